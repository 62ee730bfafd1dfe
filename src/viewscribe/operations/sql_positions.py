"""Where a SQL text names tables and functions, as Spark's grammar has it.

It reads tokens, so that it also knows what sqlglot does not parse: ``TABLE orders``, tables as
arguments, pipes. Names of CTEs are told apart from tables by Spark's rule: the nearest one that is
defined before.

Grammar: ``SqlBaseParser.g4`` of Spark 4.3.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from viewscribe.errors import ValidationError
from viewscribe.operations.only_queries import Token, read_tokens
from viewscribe.operations.sql_keywords import (
    BEHIND_PIPES,
    BEHIND_SET_OPERATIONS,
    BEHIND_TABLES,
    CLAUSES,
    ENDS,
    ENDS_OF_OPERANDS,
    NO_CALLS,
    SET_OPERATIONS,
)


class Place(Enum):
    """What stands somewhere."""

    TABLE = auto()
    QUERY = auto()
    """``TABLE orders``, a whole query."""
    FUNCTION = auto()


class Position(NamedTuple):
    """A name in a text.

    Args:
        place: what stands there.
        parts: the parts of the name, without their quotes.
        start: where it begins; of ``TABLE orders`` with the keyword.
        end: where it has ended.
    """

    place: Place
    parts: tuple[str, ...]
    start: int
    end: int


def positions(text: str) -> list[Position]:
    """Where a text names what, in its order.

    Args:
        text: one query in Spark SQL.

    Raises:
        ValidationError: it cannot be told; says at which name.
    """
    reader = _Reader(text)
    try:
        reader.read()
    except RecursionError:
        raise ValidationError(
            "the text is nested too deep to tell which tables it names",
            hint="write it with fewer parentheses in one another",
        ) from None
    return sorted(reader.names, key=lambda each: each.start)


class _Reader:
    """Walks through the tokens of a query."""

    def __init__(self, text: str) -> None:
        self.names: list[Position] = []
        self.tokens = _without_hints(text)
        self.closing = _closing(self.tokens)

    def read(self) -> None:
        """Reads all of it."""
        self.query(0, len(self.tokens), frozenset())

    # --- tokens ---

    def text(self, at: int) -> str:
        """The token there; empty outside of the text."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def word(self, at: int) -> str:
        """The keyword there; empty for anything else, and for a column of that name."""
        if not 0 <= at < len(self.tokens) or self.tokens[at].kind != "word":
            return ""
        if self.text(at - 1) == "." or self.text(at + 1) in ENDS:
            return ""
        return self.text(at).upper()

    def is_name(self, at: int) -> bool:
        if not 0 <= at < len(self.tokens):
            return False
        token = self.tokens[at]
        return token.kind in ("word", "name") or token.text.startswith('"')

    def part(self, at: int) -> str:
        token = self.tokens[at]
        if token.text.startswith('"'):
            return token.text[1:-1].replace('""', '"')
        return token.text[1:-1].replace("``", "`") if token.kind == "name" else token.text

    def chain(self, at: int) -> tuple[tuple[str, ...], int]:
        """The name of several parts that begins there, and what follows it."""
        parts = [self.part(at)]
        at += 1
        while self.text(at) == "." and self.is_name(at + 1):
            parts.append(self.part(at + 1))
            at += 2
        return tuple(parts), at

    def add(self, place: Place, parts: tuple[str, ...], first: int, behind: int) -> None:
        found = Position(place, parts, self.tokens[first].start, self.tokens[behind - 1].end)
        self.names.append(found)

    # --- queries ---

    def query(self, at: int, end: int, steps: frozenset[str]) -> None:
        """A query, perhaps with CTEs."""
        if self.word(at) == "WITH":
            at, steps = self._steps(at + 1, end, steps)
        _Clauses(self, steps, in_query=True, primary=True).read(at, end)

    def _steps(self, at: int, end: int, steps: frozenset[str]) -> tuple[int, frozenset[str]]:
        """The CTEs of WITH: each sees those before it, and itself only if it is recursive."""
        recursive = self.word(at) == "RECURSIVE" and self.word(at + 1) != "AS"
        recursive = recursive and self.text(at + 1) != "("
        at += recursive
        while at < end:
            name = self.part(at).casefold()
            at += 1
            if self.text(at) == "(" and not self.begins_query(at + 1):  # its columns
                at = self.closing[at] + 1
            while self.text(at) != "(":
                if at >= end:
                    raise _unreadable(f"WITH {name}")
                at += 1
            close = self.closing[at]
            self.query(at + 1, close, steps | {name} if recursive else steps)
            steps |= {name}
            at = close + 1
            if self.text(at) != ",":
                break
            at += 1
        return at, steps

    def begins_query(self, at: int) -> bool:
        word = self.word(at)
        if word == "TABLE":
            return self.is_name(at + 1)
        return word in ("SELECT", "WITH", "VALUES", "FROM") or (
            self.text(at) == "(" and self.begins_query(at + 1)
        )

    def ends_operand(self, at: int) -> bool:
        """Whether something that has a value ends there, so that a name behind it is an alias."""
        text = self.text(at)
        if text in (")", "]") or text[:1] in "'\"`" or self.text(at - 1) == ".":
            return bool(text)
        return text[-1:].isalnum() and text.upper() not in NO_CALLS - ENDS_OF_OPERANDS


class _Clauses:
    """What stands between two parentheses: a query, its parts, or expressions."""

    def __init__(
        self,
        reader: _Reader,
        steps: frozenset[str],
        *,
        in_query: bool = False,
        primary: bool = False,
        expected: bool = False,
    ) -> None:
        self._reader = reader
        self._steps = steps
        self._in_query = in_query
        self._primary = primary
        """Whether a query can begin here: ``TABLE orders``."""
        self._expected = expected
        """Whether a table is named next."""
        self._listing = expected
        """Whether a comma is followed by a table."""
        self._ended = False
        """Whether a table was just named, so that its alias may follow."""
        self._in_values = False

    def read(self, at: int, end: int) -> None:
        """Reads from there to there."""
        while at < end:
            at = self._next(at, end)

    def _next(self, at: int, end: int) -> int:
        """Reads what stands there; says what follows it."""
        reader, primary = self._reader, self._primary
        if reader.text(at) == "(":
            return self._parenthesis(at)
        word = reader.word(at)
        self._primary = False
        if self._expected:
            return self._table(at, word)
        if primary and word == "TABLE" and reader.is_name(at + 1):
            return self._named(at + 1, keyword=at)
        if primary and word == "VALUES":
            self._in_values = True
            return at + 1
        if (self._ended or self._may_name_values(at, word)) and (
            behind := self._alias(at, word)
        ) is not None:
            return behind
        if reader.text(at) == ",":
            return self._comma(at)
        if reader.text(at) == "|" and reader.text(at + 1) == ">":
            return self._pipe(at)
        if word == "TABLE" and reader.text(at - 1) in ("(", ",", ">"):
            self._expected = reader.is_name(at + 1) or reader.text(at + 1) == "("
            return at + 1
        return self._keyword(at, word)

    def _keyword(self, at: int, word: str) -> int:
        reader = self._reader
        if word == "FROM" and self._in_query and reader.text(at - 1).upper() != "DISTINCT":
            self._expected = self._listing = True
            self._in_values = False
        elif word == "JOIN" and self._listing:
            self._expected, self._ended = True, False
        elif word == "LATERAL" and reader.word(at + 1) == "VIEW":
            self._listing = self._ended = False
            return at + 2 + (reader.word(at + 2) == "OUTER")
        elif word in SET_OPERATIONS and not (word == "EXCEPT" and reader.text(at - 1) == "*"):
            return self._set_operation(at)
        elif word in CLAUSES and self._in_query:
            self._listing = self._ended = self._in_values = False
        elif word in ("ON", "USING"):
            self._ended = False
        return at + 1

    def _set_operation(self, at: int) -> int:
        self._primary = self._in_query = True
        self._listing = self._ended = self._in_values = False
        at += 1
        while self._reader.word(at) in BEHIND_SET_OPERATIONS:
            at += 1
        return at

    def _pipe(self, at: int) -> int:
        self._in_query = True
        self._ended = self._in_values = False
        self._listing = self._reader.word(at + 2) in BEHIND_PIPES
        return at + 2

    def _comma(self, at: int) -> int:
        self._expected = self._listing and not self._in_values
        self._ended = False
        return at + 1

    # --- tables ---

    def _may_name_values(self, at: int, word: str) -> bool:
        """Whether what stands there can be the alias of ``VALUES 1, 2``."""
        return self._in_values and (word == "AS" or self._reader.ends_operand(at - 1))

    def _table(self, at: int, word: str) -> int:
        reader = self._reader
        if word == "LATERAL":
            return at + 1
        self._expected = False
        if word == "VALUES":
            self._in_values = True
            return at + 1
        if word == "STREAM" and (reader.is_name(at + 1) or reader.text(at + 1) == "("):
            raise _unreadable(f"STREAM {reader.text(at + 1)}")
        if not reader.is_name(at):
            raise _unreadable(reader.text(at))
        return self._named(at)

    def _named(self, at: int, keyword: int | None = None) -> int:
        reader = self._reader
        parts, behind = reader.chain(at)
        self._ended = True
        if reader.text(behind) == "(":
            return behind  # a function that makes rows, as every call
        if len(parts) > 1 or parts[0].casefold() not in self._steps:
            place = Place.TABLE if keyword is None else Place.QUERY
            reader.add(place, parts, at if keyword is None else keyword, behind)
        elif keyword is not None:
            reader.add(Place.QUERY, (), keyword, at)
        return behind

    def _alias(self, at: int, word: str) -> int | None:
        """What follows the alias of a table, and its columns; None where there is none."""
        reader = self._reader
        if word == "AS":
            at += 1
        elif not reader.is_name(at) or word in BEHIND_TABLES:
            return None
        self._ended = self._in_values = False
        return reader.closing[at + 1] + 1 if reader.text(at + 1) == "(" else at + 1

    # --- parentheses ---

    def _parenthesis(self, at: int) -> int:
        reader = self._reader
        close = reader.closing[at]
        expected, primary = self._expected, self._primary
        self._expected = self._primary = False
        called = not (expected or primary) and self._call(at)
        in_parts = reader.text(at + 1) == "(" or (called and reader.word(at + 1) == "TABLE")
        if reader.begins_query(at + 1) and not in_parts:
            reader.query(at + 1, close, self._steps)
        else:
            inner = _Clauses(
                reader, self._steps, expected=expected, primary=primary, in_query=primary
            )
            inner.read(at + 1, close)
        self._ended = self._ended or expected or self._in_values
        return close + 1

    def _call(self, at: int) -> bool:
        """Whether the arguments of a function stand in the parentheses."""
        reader, first = self._reader, at - 1
        if not reader.is_name(first):
            return False
        while reader.text(first - 1) == "." and reader.is_name(first - 2):
            first -= 2
        parts, _ = reader.chain(first)
        only = parts[0] if len(parts) == 1 else ""
        if reader.tokens[first].text.upper() == "IDENTIFIER" and only:
            raise ValidationError(
                "the text computes a name with IDENTIFIER(…)",
                hint="write the name itself; a name that is computed cannot be followed",
            )
        if reader.tokens[first].kind == "word" and only.upper() in NO_CALLS:
            return False
        if reader.text(first - 1).upper() == "AS" or reader.text(first)[:1].isdigit():
            return False
        reader.add(Place.FUNCTION, parts, first, at)
        return True


def _without_hints(text: str) -> list[Token]:
    """The tokens; hints name aliases and nothing else."""
    found, behind = [], 0
    for token in read_tokens(text):
        if token.start < behind:
            continue
        if text.startswith("/*+", token.start):
            end = text.find("*/", token.start)
            behind = len(text) if end < 0 else end + 2
            continue
        found.append(token)
    return found


def _closing(tokens: list[Token]) -> dict[int, int]:
    opened: list[int] = []
    found: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.text == "(":
            opened.append(at)
        elif token.text == ")":
            if not opened:
                raise _unreadable(")")
            found[opened.pop()] = at
    if opened:
        raise _unreadable("(")
    return found


def _unreadable(what: str) -> ValidationError:
    return ValidationError(
        f"which tables the text names cannot be told at `{what[:60]}`",
        hint="write it in another way: a query over tables by their names",
    )
