"""Parser for types and schemas in DDL text."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from viewscribe.errors import DataTypeError, did_you_mean
from viewscribe.types import lexemes, nested_types
from viewscribe.types.arguments import require_text
from viewscribe.types.identifiers import ANY, is_known
from viewscribe.types.nested_types import MAX_DEPTH, Field, LogicalType, StructType

_MOST_DIGITS = 38

_TOKEN = re.compile(
    rf"""
      (?P<blank>{lexemes.BLANK}|{lexemes.LINE_COMMENT}|{lexemes.FLAT_COMMENT})
    | (?P<string>{lexemes.STRING})
    | (?P<quoted>{lexemes.QUOTED})
    | (?P<word>\w+)
    | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A token: its kind, its text, and its offset."""

    kind: str
    text: str
    start: int

    @property
    def shown(self) -> str:
        """The token as shown in error messages."""
        return "the end of the text" if self.kind == "end" else f"`{self.text}`"


@functools.lru_cache(maxsize=4096)
def parse_type(text: str, timestamp: LogicalType = nested_types.TIMESTAMP) -> LogicalType:
    """Parses a type from Spark DDL, with an optional NOT NULL after any type.

    Args:
        text: the DDL text.
        timestamp: the type that the word TIMESTAMP stands for.

    Raises:
        DataTypeError: the text is not a type; gives line and column.
    """
    reader = _Reader(text, timestamp)
    type_ = reader.type_with_nullability()
    reader.end()
    return type_


def parse_schema(text: str, timestamp: LogicalType = nested_types.TIMESTAMP) -> tuple[Field, ...]:
    """Parses fields: ``a INT, b STRING NOT NULL`` or ``struct<a: int, ...>``.

    Args:
        text: the DDL text.
        timestamp: the type that the word TIMESTAMP stands for.

    Raises:
        DataTypeError: the text is not a schema; gives line and column.
    """
    reader = _Reader(text, timestamp)
    if reader.is_struct():
        struct = reader.type()
        assert isinstance(struct, StructType)
        fields = struct.fields
    else:
        fields = reader.fields()
    reader.end()
    return fields


class _Reader:
    """Recursive-descent parser over the tokens of a text."""

    def __init__(self, text: str, timestamp: LogicalType) -> None:
        require_text(text, "a type")
        self.text = text
        self.timestamp = timestamp
        self.tokens = [
            Token(match.lastgroup or "", match.group(), match.start())
            for match in _TOKEN.finditer(text)
            if match.lastgroup != "blank"
        ]
        self.tokens.append(Token("end", "", len(text)))
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, *texts: str) -> bool:
        """Consumes the tokens if they come next; keywords are case-insensitive."""
        upcoming = self.tokens[self.at : self.at + len(texts)]
        if [token.text.upper() for token in upcoming] != list(texts):
            return False
        self.at += len(texts)
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"expected `{text}` and found {self.token.shown}")

    def end(self) -> None:
        if self.token.kind != "end":
            self.fail(f"{self.token.shown} was not expected here", hint=_AFTER_TYPE)

    def fail(self, message: str, token: Token | None = None, hint: str | None = None) -> NoReturn:
        found = token or self.token
        if found.text in ("'", '"', "`"):
            message, hint = f"the {found.text} is not closed", None
        raise DataTypeError(message, location=_location(self.text, found), hint=hint)

    def is_struct(self) -> bool:
        words = [token.text.upper() for token in self.tokens[:2]]
        return words == ["STRUCT", "<"]

    def type_with_nullability(self) -> LogicalType:
        type_ = self.type()
        return type_.not_null() if self.accept("NOT", "NULL") else type_

    def type(self) -> LogicalType:
        token = self.advance()
        handler = _HANDLERS.get(token.text.upper())
        if handler is None or token.kind != "word":
            self.fail_unknown(token)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"the type is nested more than {MAX_DEPTH} levels deep", token)
        try:
            return handler(self)
        except DataTypeError as error:
            if error.location is not None:
                raise
            self.fail(error.message, token, error.hint)
        finally:
            self.depth -= 1

    def fail_unknown(self, token: Token) -> NoReturn:
        if token.kind != "word":
            self.fail(f"expected a type and found {token.shown}", token)
        known = _OTHER_NAMES.get(token.text.upper())
        near = f"did you mean: {known}" if known else did_you_mean(token.text.upper(), _HANDLERS)
        self.fail(f"no type is called {token.shown}", token, near)

    def fields(self) -> tuple[Field, ...]:
        fields = [self.field()]
        while self.accept(","):
            fields.append(self.field())
        return tuple(fields)

    def field(self) -> Field:
        token = self.advance()
        if token.kind not in ("word", "quoted"):
            hint = "names with other characters than letters, digits and _ stand between backticks"
            self.fail(f"expected the name of a field and found {token.shown}", token, hint)
        name = token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text
        self.accept(":")
        type_ = self.type_with_nullability()
        return Field(name, type_, self.comment() if self.accept("COMMENT") else None)

    def comment(self) -> str:
        if self.token.kind != "string":
            self.fail(f"expected the comment between quotes and found {self.token.shown}")
        parts = []
        while self.token.kind == "string":
            parts.append(self.string())
        return "".join(parts)

    def string(self) -> str:
        try:
            return lexemes.string_value(self.advance().text)
        except ValueError as error:
            self.fail(f"an escape of a string is no character: {error}")

    def numbers(self, most: int, *, least: int = 0) -> tuple[int, ...]:
        """Parses up to ``most`` numbers in parentheses."""
        if not self.accept("("):
            if least:
                self.fail(f"expected `(` and a number, and found {self.token.shown}")
            return ()
        found = [self.number()]
        while len(found) < most and self.accept(","):
            found.append(self.number())
        self.expect(")")
        return tuple(found)

    def number(self) -> int:
        if not self.token.text.isdecimal():
            self.fail(f"expected a whole number and found {self.token.shown}")
        if len(self.token.text) > _MOST_DIGITS:
            self.fail(f"a number of more than {_MOST_DIGITS} digits")
        return int(self.advance().text)

    def collation(self) -> str:
        if not self.accept("COLLATE"):
            return nested_types.STRING.collation
        name = self.advance()
        while self.accept("."):
            name = self.advance()
        if name.kind not in ("word", "quoted"):
            self.fail(f"expected the name of a collation and found {name.shown}", name)
        return name.text.strip("`")


_AFTER_TYPE = "after a type come NOT NULL, then COMMENT 'text', then a comma; nothing else"


def _location(text: str, token: Token) -> str:
    """Returns line, column and the line itself with carets below the token."""
    first = text.rfind("\n", 0, token.start) + 1
    last = text.find("\n", token.start)
    column = token.start - first
    line = text[first : last if last >= 0 else len(text)].replace("\t", " ")
    cut = max(0, column - 50)
    shown = line[cut : cut + 100]
    carets = " " * (column - cut) + "^" * max(1, min(len(token.text), 100 - (column - cut)))
    number = text.count("\n", 0, token.start) + 1
    return f"line {number}, column {column + 1}\n    {shown}\n    {carets}"


def _decimal(reader: _Reader) -> LogicalType:
    return nested_types.decimal(*reader.numbers(2))


def _string(reader: _Reader) -> LogicalType:
    return nested_types.StringType(collation=reader.collation())


def _char(reader: _Reader) -> LogicalType:
    (length,) = reader.numbers(1, least=1)
    return nested_types.CharType(length=length, collation=reader.collation())


def _varchar(reader: _Reader) -> LogicalType:
    (length,) = reader.numbers(1, least=1)
    return nested_types.VarcharType(length=length, collation=reader.collation())


def _time(reader: _Reader) -> LogicalType:
    precision = reader.numbers(1)
    reader.accept("WITHOUT", "TIME", "ZONE")
    return nested_types.TimeType(precision=precision[0]) if precision else nested_types.TIME


def _timestamp(reader: _Reader) -> LogicalType:
    token = reader.token
    if reader.numbers(1) not in ((), (6,)):
        reader.fail("timestamps have 6 digits of a second", token)
    if reader.accept("WITHOUT", "TIME", "ZONE"):
        return nested_types.TIMESTAMP_NTZ
    zoned = reader.accept("WITH", "LOCAL", "TIME", "ZONE")
    return nested_types.TIMESTAMP if zoned else reader.timestamp


def _interval(reader: _Reader) -> LogicalType:
    start = _unit(reader)
    if start is None:
        return nested_types.CALENDAR_INTERVAL
    end = start
    if reader.accept("TO"):
        end = _unit(reader) or reader.fail(f"expected a unit and found {reader.token.shown}")
    if start in nested_types.YearMonthIntervalType.units:
        return nested_types.YearMonthIntervalType(start=start, end=end)
    return nested_types.DayTimeIntervalType(start=start, end=end)


def _unit(reader: _Reader) -> str | None:
    units = nested_types.YearMonthIntervalType.units + nested_types.DayTimeIntervalType.units
    return next((unit for unit in units if reader.accept(unit)), None)


def _srid(reader: _Reader, *, of_earth: bool) -> str:
    reader.expect("(")
    token = reader.token
    srid = ANY if reader.accept(ANY) else str(reader.number())
    if not is_known(srid, of_earth=of_earth):
        reader.fail(f"{srid} is no reference system{' of the Earth' * of_earth} to Spark", token)
    reader.expect(")")
    return srid


def _geometry(reader: _Reader) -> LogicalType:
    return nested_types.GeometryType(srid=_srid(reader, of_earth=False))


def _geography(reader: _Reader) -> LogicalType:
    return nested_types.GeographyType(srid=_srid(reader, of_earth=True))


def _array(reader: _Reader) -> LogicalType:
    reader.expect("<")
    element = reader.type_with_nullability()
    reader.expect(">")
    return nested_types.array(element)


def _map(reader: _Reader) -> LogicalType:
    reader.expect("<")
    key = reader.type_with_nullability()
    reader.expect(",")
    value = reader.type_with_nullability()
    reader.expect(">")
    return nested_types.map_of(key, value)


def _struct(reader: _Reader) -> LogicalType:
    reader.expect("<")
    fields = () if reader.accept(">") else reader.fields()
    if fields:
        reader.expect(">")
    return StructType(fields=fields)


def _always(type_: LogicalType) -> Callable[[_Reader], LogicalType]:
    return lambda reader: type_


_SIMPLE = {
    "VOID": nested_types.VOID,
    "BOOLEAN": nested_types.BOOLEAN,
    "TINYINT": nested_types.TINYINT,
    "BYTE": nested_types.TINYINT,
    "SMALLINT": nested_types.SMALLINT,
    "SHORT": nested_types.SMALLINT,
    "INT": nested_types.INT,
    "INTEGER": nested_types.INT,
    "BIGINT": nested_types.BIGINT,
    "LONG": nested_types.BIGINT,
    "FLOAT": nested_types.FLOAT,
    "REAL": nested_types.FLOAT,
    "DOUBLE": nested_types.DOUBLE,
    "BINARY": nested_types.BINARY,
    "DATE": nested_types.DATE,
    "TIMESTAMP_LTZ": nested_types.TIMESTAMP,
    "TIMESTAMP_NTZ": nested_types.TIMESTAMP_NTZ,
    "VARIANT": nested_types.VARIANT,
}

_HANDLERS: dict[str, Callable[[_Reader], LogicalType]] = {
    **{name: _always(type_) for name, type_ in _SIMPLE.items()},
    **dict.fromkeys(("DECIMAL", "DEC", "NUMERIC"), _decimal),
    "STRING": _string,
    "CHAR": _char,
    "CHARACTER": _char,
    "VARCHAR": _varchar,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "INTERVAL": _interval,
    "GEOMETRY": _geometry,
    "GEOGRAPHY": _geography,
    "ARRAY": _array,
    "MAP": _map,
    "STRUCT": _struct,
}

# Type names of other databases, for hints.
_OTHER_NAMES = {
    "BOOL": "BOOLEAN",
    "TEXT": "STRING",
    "STR": "STRING",
    "BLOB": "BINARY",
    "BYTEA": "BINARY",
    "VARBINARY": "BINARY",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMP",
    "INT8": "BIGINT",
    "INT4": "INT",
    "INT2": "SMALLINT",
    "NUMBER": "DECIMAL",
    "JSON": "VARIANT",
    "NULL": "VOID",
    "ROW": "STRUCT",
    "LIST": "ARRAY",
}
