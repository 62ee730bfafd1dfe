"""Reading a DDL statement word by word."""

from __future__ import annotations

import re

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.types import Field, LogicalType

_TOKEN = re.compile(
    r"""
    \s+ | --[^\n]*(?:\n|$) | /\*.*?\*/          # nothing
    | (?P<name>`(?:[^`]|``)*` | [^\W\d]\w*)     # a word, or a name between backticks
    | (?P<string>'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.)*")
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Column(msgspec.Struct, frozen=True):
    """A column or parameter of a statement, with the text of its default where it has one."""

    field: Field
    default: str | None = None


class Token(msgspec.Struct, frozen=True):
    """A piece of the text and where it stands."""

    kind: str
    text: str
    start: int
    end: int


class Reader:
    """What is left of a statement.

    Args:
        text: the statement, with or without a semicolon at its end.
    """

    def __init__(self, text: str) -> None:
        self._text = text.strip().rstrip(";").rstrip()
        self._tokens = [
            Token(match.lastgroup, match.group(), match.start(), match.end())
            for match in _TOKEN.finditer(self._text)
            if match.lastgroup
        ]
        self._place = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._place >= len(self._tokens)

    def start(self) -> str:
        """The first words of the statement."""
        return " ".join(token.text for token in self._tokens[:4])

    def at(self, text: str) -> bool:
        """Whether the next piece is this one."""
        return not self.done and self._tokens[self._place].text.upper() == text

    def takes(self, words: str) -> bool:
        """Goes past these words where they come next."""
        wanted = words.split()
        found = self._tokens[self._place : self._place + len(wanted)]
        if [token.text.upper() for token in found] != wanted:
            return False
        self._place += len(wanted)
        return True

    def expect(self, words: str) -> None:
        """Goes past these words, which must come next."""
        if not self.takes(words):
            raise self.unexpected(words)

    def word(self) -> str:
        """The next word."""
        return self._next("name", "a word").text

    def name(self) -> tuple[str, ...]:
        """A name of one, two or three parts."""
        parts = [_bare(self._next("name", "a name").text)]
        while self.takes("."):
            parts.append(_bare(self._next("name", "a name").text))
        return tuple(parts)

    def last_name(self) -> tuple[str, ...]:
        """A name after which nothing comes."""
        parts = self.name()
        self.finish()
        return parts

    def single_name(self) -> str:
        """A name of one part."""
        parts = self.name()
        if len(parts) > 1:
            raise ValidationError(
                f"`{'.'.join(parts)}` is a name of {len(parts)} parts where one is wanted",
                hint="system functions and temporary views have no catalog and database",
            )
        return parts[0]

    def string(self) -> str:
        """A string literal's value."""
        text = self._next("string", "a string").text
        inner = text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.S)

    def type(self) -> LogicalType:
        """A type, up to the word that can be none of it."""
        from viewscribe.types.ddl import parse_type

        start, depth = self._place, 0
        while not self.done:
            token = self._tokens[self._place]
            if depth == 0 and self._place > start and self._ends_type(token):
                break
            depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(token.text, 0)
            if depth < 0:
                break
            self._place += 1
        return parse_type(self._span(start))

    def _ends_type(self, token: Token) -> bool:
        if token.kind in ("string", "number"):
            return True
        return token.text.upper() in _AFTER_TYPE

    def columns(self) -> list[Column]:
        """``(name TYPE [DEFAULT expression] [COMMENT 'text'], …)``."""
        self.expect("(")
        found: list[Column] = []
        while not self.takes(")"):
            if found:
                self.expect(",")
            name = _bare(self._next("name", "a name").text)
            type_, default, comment = self.type(), None, None
            while not self.at(",") and not self.at(")"):
                if self.takes("DEFAULT"):
                    default = self._expression()
                elif self.takes("COMMENT"):
                    comment = self.string()
                elif self.takes("NOT NULL"):
                    type_ = type_.not_null()
                else:
                    raise self.unexpected("DEFAULT, COMMENT, a comma or a parenthesis")
            found.append(Column(Field(name, type_, comment), default))
        return found

    def _expression(self) -> str:
        """Text up to a comma or parenthesis that closes what is around it."""
        start, depth = self._place, 0
        while not self.done:
            token = self._tokens[self._place]
            if depth == 0 and token.text.upper() in (",", ")", "COMMENT"):
                break
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            self._place += 1
        return self._span(start)

    def rest(self) -> str:
        """All that is left, as it was written."""
        if self.done:
            raise self.unexpected("an expression or query")
        start, self._place = self._place, len(self._tokens)
        return self._text[self._tokens[start].start :]

    def finish(self) -> None:
        """Checks that nothing is left."""
        if not self.done:
            raise self.unexpected("the end of the statement")

    def unexpected(self, wanted: str) -> ValidationError:
        """The error for a piece that is something else."""
        found = "the statement ends" if self.done else f"`{self._tokens[self._place].text}` stands"
        return ValidationError(
            f"{found} where {wanted} is wanted", location=f"execute_sql({self._text[:200]!r})"
        )

    def _next(self, kind: str, wanted: str) -> Token:
        if self.done or self._tokens[self._place].kind != kind:
            raise self.unexpected(wanted)
        self._place += 1
        return self._tokens[self._place - 1]

    def _span(self, start: int) -> str:
        if start >= self._place:
            raise self.unexpected("a type or expression")
        return self._text[self._tokens[start].start : self._tokens[self._place - 1].end]


_AFTER_TYPE = frozenset(
    (
        *("AS", "RETURN", "RETURNS", "LANGUAGE", "DETERMINISTIC", "NOT", "CONTAINS", "READS"),
        *("COMMENT", "USING", "DEFAULT", "AGGREGATE", "JAR", "FILE", ","),
    )
)


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name[0] == "`" else name
