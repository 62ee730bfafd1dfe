"""Literals as SQL text that Spark reads back as the same value of the same type."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.syntax import Binding
from viewscribe.expressions.literal_types import constructed_type, is_cast
from viewscribe.expressions.nodes import Literal
from viewscribe.serializer.fragments import Fragment, pieces, print_call
from viewscribe.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    IntType,
    LogicalType,
    MapType,
    SmallIntType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    TinyIntType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.session_types import session_ddl

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_TO_ESCAPE = re.compile(r"[\\'\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\$(?=\{)")
_LARGEST_FLOAT = 3.4028234663852886e38
_SURROGATE = re.compile("[\ud800-\udfff]")


def quote_string(text: str) -> str:
    """The text as a string literal.

    ``${`` is escaped too: Spark substitutes variables before it parses.
    """
    if _SURROGATE.search(text):
        raise NotSerializableError(
            f"a string with half a surrogate pair has no SQL text: {text!r}",
            hint="it is not valid Unicode; remove the character",
        )
    return f"'{_TO_ESCAPE.sub(_escape, text)}'"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def print_literal(literal: Literal) -> Fragment:
    """The literal as a fragment."""
    value, type_ = literal.value, literal.type
    if value is None:
        return _null(type_)
    kind = type(type_)
    if kind in _PRINTERS and kind not in _NESTED:
        return _PRINTERS[kind](value, type_)
    made = _construct(value, type_)
    if not constructed_type(value, type_).same_type(type_):
        return pieces(["CAST(", made, f" AS {type_text(type_)})"])
    return made


def _null(type_: LogicalType) -> Fragment:
    if isinstance(type_, VoidType):
        return Fragment("NULL")
    if is_cast(type_):
        return Fragment(f"CAST(NULL AS {type_text(type_)})")
    return print_call("if(", [Fragment("FALSE"), _constant(type_), Fragment("NULL")])


def _constant(type_: LogicalType) -> Fragment:
    """Some constant of the very type, NULL where it has items that may be."""
    if isinstance(type_, ArrayType):
        return print_call("array(", [print_any(type_.element)])
    if isinstance(type_, MapType):
        return print_call("map(", [_constant(type_.key), print_any(type_.value)])
    if isinstance(type_, StructType):
        items = []
        for field in type_.fields:
            items += [Fragment(quote_string(field.name)), print_any(field.type)]
        return print_call("named_struct(", items)
    if isinstance(type_, DecimalType):
        return _decimal(Decimal((0, (9,) * type_.precision, -type_.scale)), type_)
    zero = 0 if isinstance(type_, IntegralType) else _ZEROS.get(type(type_))
    if zero is None:
        raise NotSerializableError(
            f"a column of {type_.ddl} that is never NULL, and of which there are no rows",
            hint="let it be NULL: there are no values of it either way",
        )
    return _PRINTERS[type(type_)](zero, type_)


def print_any(type_: LogicalType) -> Fragment:
    """Some constant of the very type: NULL where it may be."""
    return _null(type_) if type_.nullable else _constant(type_)


def _construct(value: Any, type_: LogicalType) -> Fragment:
    """The value alone: a NULL has the type of what is beside it, or of the CAST around all."""
    if value is None:
        return Fragment("NULL")
    printer = _PRINTERS.get(type(type_))
    if printer is None:
        raise NotSerializableError(
            f"a literal of {type_.ddl} has no SQL text",
            hint="build the value from a literal with a function",
        )
    return printer(value, type_)


_NESTED = frozenset((ArrayType, MapType, StructType))
_SIGNED, _UNSIGNED = Binding.UNARY, Binding.PRIMARY


def _number(text: str) -> Fragment:
    return Fragment(text, _SIGNED if text[0] == "-" else _UNSIGNED)


def _suffix(suffix: str) -> Callable[[int, LogicalType], Fragment]:
    return lambda value, type_: Fragment(f"{value}{suffix}", _SIGNED if value < 0 else _UNSIGNED)


def _double(value: float, type_: LogicalType) -> Fragment:
    if not math.isfinite(value):
        return Fragment(f"double('{_special(value)}')")
    return _number(_digits(repr(value)) + "D")


def _float(value: float, type_: LogicalType) -> Fragment:
    if not math.isfinite(value):
        return Fragment(f"float('{_special(value)}')")
    exact = struct.pack("f", value)
    for precision in range(1, 18):
        text = f"{value:.{precision}g}"
        # Rounded up past the largest FLOAT, Spark's parser refuses it: more digits are needed.
        if abs(float(text)) <= _LARGEST_FLOAT and struct.pack("f", float(text)) == exact:
            break
    return _number(_digits(text) + "F")


def _digits(text: str) -> str:
    mantissa, mark, exponent = text.partition("e")
    if "." not in mantissa and not mark:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}" if mark else mantissa


def _special(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal, type_: DecimalType) -> Fragment:
    digits = len(value.as_tuple().digits)
    scale = type_.scale
    text = f"{value:f}" if scale else f"{value:f}BD"
    if (max(digits, scale), scale) == (type_.precision, scale):
        return _number(text)
    return Fragment(f"CAST({text} AS {type_.ddl})")


def _date(value: dt.date, type_: LogicalType) -> Fragment:
    return Fragment(f"DATE '{value.isoformat()}'")


def _timestamp(value: dt.datetime, type_: LogicalType) -> Fragment:
    shown = value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(" ")
    return Fragment(f"TIMESTAMP '{shown}Z'")


def _timestamp_ntz(value: dt.datetime, type_: LogicalType) -> Fragment:
    return Fragment(f"TIMESTAMP_NTZ '{value.isoformat(' ')}'")


def _time(value: dt.time, type_: TimeType) -> Fragment:
    text = f"TIME '{value.isoformat()}'"
    return Fragment(text if type_.precision == 6 else f"CAST({text} AS {type_.ddl})")


def _year_month(value: int, type_: YearMonthIntervalType) -> Fragment:
    sign, months = ("-", -value) if value < 0 else ("", value)
    if type_.start == "MONTH":
        shown = f"{months}"
    elif type_.end == "YEAR":
        shown = f"{months // 12}"
    else:
        shown = f"{months // 12}-{months % 12}"
    return Fragment(f"INTERVAL '{sign}{shown}' {type_.ddl.removeprefix('INTERVAL ')}")


_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_SECONDS = (86_400, 3_600, 60, 1)


def _day_time(value: dt.timedelta, type_: DayTimeIntervalType) -> Fragment:
    microseconds = value // dt.timedelta(microseconds=1)
    sign, microseconds = ("-", -microseconds) if microseconds < 0 else ("", microseconds)
    seconds, fraction = divmod(microseconds, 1_000_000)
    first, last = _UNITS.index(type_.start), _UNITS.index(type_.end)
    parts = []
    for place in range(first, last + 1):
        amount, seconds = divmod(seconds, _SECONDS[place])
        parts.append(f"{amount}" if place == first else f"{amount:02d}")
    if type_.end == "SECOND" and fraction:
        parts[-1] += f".{fraction:06d}".rstrip("0")
    after_days = first == 0 and last > 0
    shown = f"{parts[0]} {':'.join(parts[1:])}" if after_days else ":".join(parts)
    return Fragment(f"INTERVAL '{sign}{shown}' {type_.ddl.removeprefix('INTERVAL ')}")


def _array(value: tuple[Any, ...], type_: ArrayType) -> Fragment:
    return print_call("array(", [_construct(item, type_.element) for item in value])


def _map(value: tuple[tuple[Any, Any], ...], type_: MapType) -> Fragment:
    items = []
    for key, item in value:
        items += [_construct(key, type_.key), _construct(item, type_.value)]
    return print_call("map(", items)


def _struct(value: tuple[Any, ...], type_: StructType) -> Fragment:
    items: list[Fragment] = []
    for field, item in zip(type_.fields, value, strict=True):
        items += [Fragment(quote_string(field.name)), _construct(item, field.type)]
    return print_call("named_struct(", items)


def type_text(type_: LogicalType) -> str:
    """The type as CAST wants it.

    Raises:
        NotSerializableError: Spark would replace a part of a field's name before parsing.
    """
    text = session_ddl(type_)
    if "${" in text and _SUBSTITUTED.search(text):
        raise NotSerializableError(
            f"a field of {text} holds `${{…}}`, which Spark substitutes before it parses",
            hint="give the field another name",
        )
    return text


def _string(value: str, type_: StringType) -> Fragment:
    text = quote_string(value)
    if type_.collation == "UTF8_BINARY":
        return Fragment(text)
    return Fragment(f"{text} COLLATE {type_.collation}")


_PRINTERS: dict[type[LogicalType], Callable[[Any, Any], Fragment]] = {
    BooleanType: lambda value, type_: Fragment("TRUE" if value else "FALSE"),
    TinyIntType: _suffix("Y"),
    SmallIntType: _suffix("S"),
    IntType: _suffix(""),
    BigIntType: _suffix("L"),
    FloatType: _float,
    DoubleType: _double,
    DecimalType: _decimal,
    StringType: _string,
    BinaryType: lambda value, type_: Fragment(f"X'{value.hex().upper()}'"),
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    TimestampNtzType: _timestamp_ntz,
    YearMonthIntervalType: _year_month,
    DayTimeIntervalType: _day_time,
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}

_ZEROS: dict[type[LogicalType], Any] = {
    BooleanType: False,
    FloatType: 0.0,
    DoubleType: 0.0,
    StringType: "",
    BinaryType: b"",
    DateType: dt.date(1970, 1, 1),
    TimestampType: dt.datetime(1970, 1, 1, tzinfo=dt.UTC),
    TimestampNtzType: dt.datetime(1970, 1, 1),
    TimeType: dt.time(0),
    YearMonthIntervalType: 0,
    DayTimeIntervalType: dt.timedelta(0),
}

_SUBSTITUTED = re.compile(r"\$\{\S+?\}")


@lru_cache(maxsize=20_000)
def identifier(name: str) -> str:
    """The name as an identifier, quoted where it must be.

    Raises:
        NotSerializableError: Spark would replace a part of it before parsing.
    """
    if "${" in name and _SUBSTITUTED.search(name):
        raise NotSerializableError(
            f"the name `{name}` holds `${{…}}`, which Spark substitutes before it parses",
            hint="give the column another name",
        )
    if _SURROGATE.search(name) or "\0" in name:
        raise NotSerializableError(
            f"the name {name!r} holds a character that SQL text cannot carry",
            hint="give the column another name",
        )
    return quote_identifier(name)
