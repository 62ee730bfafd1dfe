"""Literals as SQL text that Spark reads back as the same value of the same type."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.syntax import Binding
from viewscribe.expressions.literals import constructed_type, is_cast
from viewscribe.expressions.nodes import Literal
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
from viewscribe.types.policy import session_ddl

# Pieces of SQL text that know how tightly they bind and how to break over lines.
#
# A fragment has its one-line text (None where it holds a query, which never is one line) and,
# where it can be broken, a layout: a function from the column it starts in to the broken text.
# Whether a line is broken depends on its width alone, so equal trees give equal bytes.

WIDTH = 88
NEVER_BROKEN = 30
"""An operation of fewer characters stays on its line, however deep the indentation."""

Layout = Callable[[int], str]


class Fragment(msgspec.Struct, eq=False):
    """A printed expression.

    Args:
        text: the expression on one line, or None where it cannot be.
        binding: how tightly it holds together.
        layout: the broken form, from the indentation (in spaces) of the line it starts on.
    """

    text: str | None
    binding: int = Binding.PRIMARY
    layout: Layout | None = None

    def render(self, indent: int = 0, reserve: int = 0) -> str:
        """The text for a line indented by ``indent``, ``reserve`` characters of it taken."""
        text, layout = self.text, self.layout
        if text is not None and (layout is None or indent + reserve + len(text) <= WIDTH):
            return text
        assert layout is not None
        return layout(indent)


def parenthesize(fragment: Fragment) -> Fragment:
    """The fragment between parentheses."""
    text = None if fragment.text is None else f"({fragment.text})"
    if fragment.layout is None:
        return Fragment(text)
    return Fragment(
        text,
        Binding.PRIMARY,
        lambda indent: f"(\n{' ' * (indent + 2)}{fragment.render(indent + 2)}\n{' ' * indent})",
    )


def at_least(fragment: Fragment, binding: int) -> Fragment:
    """The fragment, between parentheses if it binds less tightly than ``binding``."""
    return fragment if fragment.binding >= binding else parenthesize(fragment)


def follow(fragment: Fragment, tail: str) -> Fragment:
    """The fragment and a tail on its last line, which counts when it is broken."""
    text = None if fragment.text is None else fragment.text + tail
    if fragment.layout is None:
        return Fragment(text)
    taken = len(tail) + 1
    return Fragment(text, Binding.PRIMARY, lambda indent: fragment.render(indent, taken) + tail)


def print_call(head: str, operands: Sequence[Fragment], tail: str = ")") -> Fragment:
    """``head`` (with its opening parenthesis), operands separated by commas, ``tail``."""
    texts = [operand.text for operand in operands]
    if None in texts:
        text = None
    else:
        text = f"{head}{', '.join(texts)}{tail}"  # type: ignore[arg-type]
        if len(text) < 40:
            return Fragment(text)

    def layout(indent: int) -> str:
        if len(operands) == 1 and operands[0].text is None:
            return f"{head}{operands[0].render(indent)}{tail}"
        pad = " " * (indent + 2)
        lines = [pad + operand.render(indent + 2, 1) for operand in operands]
        return head + "\n" + ",\n".join(lines) + "\n" + " " * indent + tail

    return Fragment(text, Binding.PRIMARY, layout if operands else None)


def print_list(head: str, operands: Sequence[Fragment], binding: int) -> Fragment:
    """``head (a, b, c)``: a list of values, filled into lines where it is long."""
    texts = [operand.text for operand in operands]
    flat = None if None in texts else f"{head} ({', '.join(texts)})"  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        lines: list[str] = []
        line = ""
        for place, operand in enumerate(operands):
            piece = operand.render(indent + 2, 1) + ("," if place + 1 < len(operands) else "")
            if line and indent + 3 + len(line) + len(piece) > WIDTH:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
        lines.append(line)
        pad = "\n" + " " * (indent + 2)
        return f"{head} (" + "".join(pad + each for each in lines) + "\n" + " " * indent + ")"

    return Fragment(flat, binding, layout)


def join(left: Fragment, middle: str, right: Fragment, binding: int) -> Fragment:
    """``left middle right``, broken before the middle where it is too long."""
    if left.text is None or right.text is None:
        text = None
    else:
        text = f"{left.text} {middle} {right.text}"
        if len(text) < NEVER_BROKEN:
            return Fragment(text, binding)

    def layout(indent: int) -> str:
        first = left.render(indent)
        if right.text is None:
            return f"{first} {middle} {right.render(indent)}"
        rest = right.render(indent + 2, len(middle) + 1)
        if "\n" not in first and indent + len(first) + len(middle) + len(rest) + 2 <= WIDTH:
            return f"{first} {middle} {rest}"
        return f"{first}\n{' ' * (indent + 2)}{middle} {rest}"

    return Fragment(text, binding, layout)


def print_connected(word: str, terms: Sequence[Fragment], binding: int) -> Fragment:
    """``a AND b AND c``: a term a line where it is too long, the ANDs within an OR indented."""
    texts = [term.text for term in terms]
    text = None if None in texts else f" {word} ".join(texts)  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        lead = f"\n{' ' * indent}{word} "
        return lead.join(
            term.render(indent + 2 * (term.binding == Binding.AND), len(word) + 1) for term in terms
        )

    return Fragment(text, binding, layout)


def pieces(items: Sequence[str | Fragment], binding: int = Binding.PRIMARY) -> Fragment:
    """Words and fragments one after the other."""
    texts: list[str | None] = []
    broken = False
    for item in items:
        if isinstance(item, str):
            texts.append(item)
        else:
            texts.append(item.text)
            broken = broken or item.layout is not None
    text = None if None in texts else "".join(texts)  # type: ignore[arg-type]
    if not broken:
        return Fragment(text, binding)
    return Fragment(
        text,
        binding,
        lambda indent: "".join(
            item if isinstance(item, str) else item.render(indent) for item in items
        ),
    )


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
