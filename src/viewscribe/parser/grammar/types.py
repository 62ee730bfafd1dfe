"""Types in SQL text: where one ends. What it is, the reader of DDL says."""

from __future__ import annotations

from viewscribe.parser.grammar.recovery import RecoveringCursor
from viewscribe.parser.tokens import WORD

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
