"""Several errors of syntax in one query: where it goes on behind a part that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.grammar.words import Cursor
from viewscribe.parser.scopes import Findings
from viewscribe.parser.syntax import Name
from viewscribe.parser.tokens import END, WORD

T = TypeVar("T")

_CLAUSES = {
    "FROM": "", "WHERE": "", "GROUP": "BY", "HAVING": "", "QUALIFY": "", "ORDER": "BY",
    "SORT": "BY", "CLUSTER": "BY", "DISTRIBUTE": "BY", "UNION": "", "INTERSECT": "", "|>": "",
    ";": "",
}  # fmt: skip
"""The words at which a query goes on, and the word that must stand behind."""


class RecoveringCursor(Cursor):
    """Notes the errors of parts whose end is plain to see, and goes on behind them.

    That is so only where all parentheses have their partners, or else an error would be made up.
    """

    findings: Findings | None = None

    def noting(self, read: Callable[[], T]) -> T:
        """What the whole text is.

        Raises:
            SqlSyntaxError: it is nothing; with all errors that were found.
        """
        self.findings = Findings() if self._is_balanced else None
        if self.findings is None:
            return read()
        found = self.findings.attempt(read)
        self.findings.raise_all()
        assert found is not None
        return found

    def attempt(self, read: Callable[[], T], ends: str = "") -> T:
        """A part; where it is wrong, the place is then behind it, and what is given means nothing.

        Args:
            read: reads the part.
            ends: what ends it beside the words of clauses: a comma in a list; or a parenthesis,
                which is then all that does.
        """
        begin, depth = self.place, self.depth
        try:
            return read()
        except SqlSyntaxError as error:
            end = None if self.findings is None else self._end_of(begin, ends)
            if end is None or self.findings is None:
                raise
            self.findings.errors.append(error)
            self.go_to(end)
            self.depth = depth
            nothing: T = Name(self.tokens[begin].start, ("",))  # type: ignore[assignment]
            return nothing

    def _end_of(self, begin: int, ends: str) -> int | None:
        """Where the part ends that begins there; None where the error is behind that."""
        depth = 0
        for place in range(begin, len(self.tokens)):
            token = self.tokens[place]
            if depth == 0 and place >= self.place and self._ends(place, ends):
                return place
            if token.word == "(":
                depth += 1
            elif token.word == ")":
                depth -= 1
                if depth < 0:
                    return None
        return None

    def _ends(self, place: int, ends: str) -> bool:
        token = self.tokens[place]
        if token.kind is END or token.word == ")":
            return True
        if ends == ")":
            return False
        if token.word == ends:
            return bool(ends)
        behind = _CLAUSES.get(token.word)
        return behind is not None and behind in ("", self.tokens[place + 1].word)

    @cached_property
    def _is_balanced(self) -> bool:
        depth = 0
        for token in self.tokens:
            depth += (token.word == "(") - (token.word == ")")
            if depth < 0:
                return False
        return depth == 0


# Types in SQL text: where one ends. What it is, the reader of DDL says.

_OPENING = {"<": 1, "<>": 0, "(": 1}
_NESTED = ("ARRAY", "MAP", "STRUCT")
"""Behind other types, ``<`` compares: ``a::int < 2``."""
_CLOSING = {">": 1, ")": 1}


class TypeGrammar(RecoveringCursor):
    """Reads types."""

    def type_text(self) -> str:
        """A type as it was written."""
        begin = self.at
        if self.token.kind is not WORD:
            raise self.expected("a type")
        first = self.step().word
        if first == "INTERVAL":
            self._interval()
        elif first in ("TIMESTAMP", "TIME") and self.word in ("WITHOUT", "WITH"):
            self._zone()
        if self.word == "(" or (self.word in ("<", "<>") and first in _NESTED):
            self._nested()
        if first in ("TIMESTAMP", "TIME") and self.word in ("WITHOUT", "WITH"):
            self._zone()
        if self.word == "COLLATE":
            self.step()
            self.path("a collation")
        last = self.tokens[self.place - 1]
        return self.text[begin : last.start + len(last.text)]

    def _interval(self) -> None:
        if self.word in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"):
            self.step()
            if self.took("TO"):
                self.step()

    def _zone(self) -> None:
        if self.ahead().word in ("TIME", "LOCAL"):
            self.step()
            self.took("LOCAL")
            self.need("TIME", "ZONE")

    def _nested(self) -> None:
        depth = 0
        while True:
            depth += _OPENING.get(self.word, 0) - _CLOSING.get(self.word, 0)
            if self.token.kind == "end":
                raise self.expected(">")
            self.step()
            if depth <= 0:
                return
