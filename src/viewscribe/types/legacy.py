"""Spark's type coercion without ANSI mode (``spark.sql.ansi.enabled = false``)."""

from __future__ import annotations

from collections.abc import Iterable

from viewscribe.types.nested_types import (
    DOUBLE,
    FLOAT,
    ArrayType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.widening import Widening, decimal_beside

_NOT_ATOMIC = (ArrayType, MapType, StructType, CalendarIntervalType, VoidType)
_NEVER_TEXT = (*_NOT_ATOMIC, BinaryType, BooleanType, StringType)
_NEVER_READ = (*_NOT_ATOMIC, YearMonthIntervalType, DayTimeIntervalType, StringType)


def find_compared_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type that two operands are compared in: text is cast to the other's type."""
    return _read(a, b) or _read(b, a) or WIDENING.tight(a, b) or decimal_beside(a, b)


def text_first(types: Iterable[LogicalType]) -> list[LogicalType]:
    """Returns the operands in the order for finding a common type; text comes first and wins."""
    return sorted(types, key=lambda type_: not _has_text(type_))


def _has_text(type_: LogicalType) -> bool:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return isinstance(type_, StringType)


def _read(text: LogicalType, other: LogicalType) -> LogicalType | None:
    if not isinstance(text, StringType) or isinstance(other, _NEVER_READ):
        return None
    return DOUBLE if isinstance(other, DecimalType) and other.scale > 0 else other


def _floating(a: LogicalType, b: LogicalType) -> LogicalType | None:
    # An integer next to a FLOAT becomes FLOAT, although digits are lost.
    return DOUBLE if DoubleType in (type(a), type(b)) else FLOAT


def _promote(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns text for any type next to text, except BOOLEAN, BINARY and nested types."""
    if isinstance(b, StringType):
        a, b = b, a
    if not isinstance(a, StringType) or isinstance(b, _NEVER_TEXT):
        return None
    return a


def _none(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns nothing: text and another type have no common type."""
    return None


WIDENING = Widening(numbers=_floating, promoted=_promote)
WIDENING_WITHOUT_TEXT = Widening(numbers=_floating, promoted=_none)
"""What Spark uses for VALUES and UNPIVOT in either mode: findWiderTypeWithoutStringPromotion."""
