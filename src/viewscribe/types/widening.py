"""Type widening rules that Spark's ANSI and non-ANSI coercion share."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from viewscribe.types.casts import can_cast, cast_introduces_null
from viewscribe.types.logical import (
    BIGINT,
    DOUBLE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    Field,
    FloatType,
    GeographyType,
    GeometryType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VarcharType,
    VoidType,
    YearMonthIntervalType,
)

MAX_DIGITS = 38

Widen = Callable[[LogicalType, LogicalType], LogicalType | None]


class Widening(msgspec.Struct, frozen=True, eq=False):
    """The widening rules of one of Spark's coercion modes.

    Args:
        numbers: widens two numeric types that are not DECIMAL.
        promoted: widens text and another type.
    """

    numbers: Widen
    promoted: Widen

    def wide(self, a: LogicalType, b: LogicalType) -> LogicalType | None:
        """Returns the least common type; digits may be lost, and text may win."""
        return (
            self.tight(a, b)
            or decimal_beside(a, b)
            or self.promoted(a, b)
            or _complex(a, b, self.wide)
        )

    def tight(self, a: LogicalType, b: LogicalType) -> LogicalType | None:
        """Returns the wider of two types of one family, without loss of digits."""
        if a.same_type(b):
            return a
        if isinstance(a, VoidType):
            return b
        if isinstance(b, VoidType):
            return a
        family = _family(a)
        if family is not _family(b):
            return None
        if family is NumericType:
            return self._numeric(a, b)
        widen = _FAMILIES.get(family)
        return widen(a, b) if widen else _complex(a, b, self.tight)

    def _numeric(self, a: LogicalType, b: LogicalType) -> LogicalType | None:
        if isinstance(a, DecimalType) or isinstance(b, DecimalType):
            return _whole_in_decimal(a, b) or _whole_in_decimal(b, a)
        if isinstance(a, IntegralType) and isinstance(b, IntegralType):
            return a if a.bits >= b.bits else b
        return self.numbers(a, b)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """Returns the decimal that holds both, giving up fractional digits first if it must."""
    if a == b:
        return a
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    excess = max(0, precision - MAX_DIGITS)
    return DecimalType(precision=precision - excess, scale=max(0, scale - excess))


def decimal_of(type_: NumericType) -> DecimalType:
    """Returns the decimal that holds every value of an integer type, or the decimal itself.

    For an integer literal next to a decimal Spark uses a narrower one; see ``decimal_of_literal``.
    """
    if isinstance(type_, DecimalType):
        return type_
    if isinstance(type_, IntegralType):
        return DecimalType(precision=type_.digits, scale=0, nullable=type_.nullable)
    raise TypeError(f"{type_} has no exact decimal")


def value(type_: LogicalType) -> LogicalType:
    """Returns the type within expressions, where CHAR and VARCHAR are STRING."""
    if isinstance(type_, (CharType, VarcharType)):
        return StringType(collation=type_.collation, nullable=type_.nullable)
    return type_


def _family(type_: LogicalType) -> type[LogicalType]:
    for family in (NumericType, StringType):
        if isinstance(type_, family):
            return family
    return DateType if isinstance(type_, _DATETIME) else type(type_)


_DATETIME = (DateType, TimeType, TimestampType, TimestampNtzType)


def _floating(a: LogicalType, b: LogicalType) -> LogicalType | None:
    # An integer next to a FLOAT becomes DOUBLE, to keep its digits.
    return a if isinstance(a, FloatType) and isinstance(b, FloatType) else DOUBLE


def _whole_in_decimal(whole: LogicalType, wide: LogicalType) -> LogicalType | None:
    if isinstance(whole, IntegralType) and isinstance(wide, DecimalType):
        return wide if wide.precision - wide.scale >= whole.digits else None
    return None


def _datetime(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, TimeType) or isinstance(b, TimeType):
        if isinstance(a, TimeType) and isinstance(b, TimeType):
            return a if a.precision >= b.precision else b
        return None
    zoned = isinstance(a, TimestampType) or isinstance(b, TimestampType)
    return TIMESTAMP if zoned else TIMESTAMP_NTZ


def _interval(a: LogicalType, b: LogicalType) -> LogicalType:
    assert isinstance(a, (YearMonthIntervalType, DayTimeIntervalType))
    assert isinstance(b, (YearMonthIntervalType, DayTimeIntervalType))
    return type(a)(
        start=min(a.start, b.start, key=a.units.index), end=max(a.end, b.end, key=a.units.index)
    )


def _shape(a: LogicalType, b: LogicalType) -> LogicalType:
    assert isinstance(a, (GeometryType, GeographyType))
    return type(a)(srid="ANY")


_FAMILIES: dict[type[LogicalType], Widen] = {
    DateType: _datetime,
    StringType: lambda a, b: None,  # of two collations; where one wins, calls are told before
    YearMonthIntervalType: _interval,
    DayTimeIntervalType: _interval,
    GeometryType: _shape,
    GeographyType: _shape,
}


def decimal_beside(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Widens two numeric types, one of them a DECIMAL; gives up digits if it must."""
    if not (isinstance(a, NumericType) and isinstance(b, NumericType)):
        return None
    if not (isinstance(a, DecimalType) or isinstance(b, DecimalType)):
        return None
    exact = (DecimalType, IntegralType)
    if isinstance(a, exact) and isinstance(b, exact):
        return wider_decimal(decimal_of(a), decimal_of(b))
    return DOUBLE


def _promote(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type that text next to another type is cast to."""
    if isinstance(b, StringType):
        a, b = b, a
    if not isinstance(a, StringType) or isinstance(b, StringType):
        return None
    if isinstance(b, NumericType):
        return BIGINT if isinstance(b, IntegralType) else DOUBLE
    unknown = (YearMonthIntervalType, DayTimeIntervalType, CalendarIntervalType)
    return b if not isinstance(b, unknown) and can_cast(a, b) else None


def _complex(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    handler = _COMPLEX.get(type(a)) if type(a) is type(b) else None
    return handler and handler(a, b, widen)


def _member(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    found = widen(a, b)
    if found is None:
        return None
    forced = cast_introduces_null(a, found) or cast_introduces_null(b, found)
    return found.with_nullability(a.nullable or b.nullable or forced)


def _arrays(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, ArrayType)
    assert isinstance(b, ArrayType)
    element = _member(a.element, b.element, widen)
    return element and ArrayType(element=element)


def _maps(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, MapType)
    assert isinstance(b, MapType)
    key = _member(a.key, b.key, widen)
    if key is None or key.nullable:
        return None
    value = _member(a.value, b.value, widen)
    return value and MapType(key=key, value=value)


def _structs(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, StructType)
    assert isinstance(b, StructType)
    if [field.name.lower() for field in a.fields] != [field.name.lower() for field in b.fields]:
        return None
    fields = []
    for left, right in zip(a.fields, b.fields, strict=True):
        found = _member(left.type, right.type, widen)
        if found is None:
            return None
        fields.append(Field(left.name, found))
    return StructType(fields=tuple(fields))


_COMPLEX: dict[
    type[LogicalType], Callable[[LogicalType, LogicalType, Widen], LogicalType | None]
] = {ArrayType: _arrays, MapType: _maps, StructType: _structs}

ANSI_WIDENING = Widening(numbers=_floating, promoted=_promote)
"""Spark's rules under ``spark.sql.ansi.enabled = true``."""


def find_compared_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type that two operands are compared in under ANSI mode."""
    return ANSI_WIDENING.tight(a, b) or decimal_beside(a, b) or _promote(a, b)
