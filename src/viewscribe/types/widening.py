"""Type widening rules that Spark's ANSI and non-ANSI coercion share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from viewscribe.types.nested_types import (
    BIGINT,
    DOUBLE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    GeographyType,
    GeometryType,
    IntegralType,
    IntType,
    LogicalType,
    MapType,
    NumericType,
    SmallIntType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarcharType,
    VariantType,
    VoidType,
    YearMonthIntervalType,
)

# Which casts Spark allows, and which of them can yield NULL for a non-NULL value.

CastRules = Literal["ansi", "try", "legacy"]
Kinds = frozenset[type[LogicalType]]

_TEXT: Kinds = frozenset({StringType, CharType, VarcharType})
_INTEGRAL: Kinds = frozenset({TinyIntType, SmallIntType, IntType, BigIntType})
_EXACT: Kinds = _INTEGRAL | {DecimalType}
_NUMERIC: Kinds = _EXACT | {FloatType, DoubleType}
_ANSI_INTERVAL: Kinds = frozenset({YearMonthIntervalType, DayTimeIntervalType})
_DATETIME: Kinds = frozenset({DateType, TimeType, TimestampType, TimestampNtzType})
_SELF_DESCRIBING: Kinds = _TEXT | {VariantType}
_ATOMIC: Kinds = _NUMERIC | _TEXT | _DATETIME | {BooleanType, BinaryType, VariantType}

_FROM_NUMBER: Kinds = _NUMERIC | _SELF_DESCRIBING | {BooleanType, TimestampType}
_FROM_TEXT: Kinds = _ATOMIC | _ANSI_INTERVAL | {CalendarIntervalType}

# Targets where the two type classes alone decide, whatever their parameters.
_TARGETS: dict[type[LogicalType], Kinds] = {
    BooleanType: _NUMERIC | _SELF_DESCRIBING | {BooleanType},
    **dict.fromkeys(_EXACT, _FROM_NUMBER | _ANSI_INTERVAL),
    FloatType: _FROM_NUMBER,
    DoubleType: _FROM_NUMBER,
    **dict.fromkeys(_TEXT, _FROM_TEXT),
    BinaryType: _SELF_DESCRIBING | {BinaryType},
    DateType: _SELF_DESCRIBING | {DateType, TimestampType, TimestampNtzType},
    TimeType: _EXACT | _SELF_DESCRIBING | {TimeType, TimestampType, TimestampNtzType},
    TimestampType: _NUMERIC | _SELF_DESCRIBING | _DATETIME,
    TimestampNtzType: _SELF_DESCRIBING | _DATETIME,
    YearMonthIntervalType: _EXACT | _TEXT | {YearMonthIntervalType},
    DayTimeIntervalType: _EXACT | _TEXT | {DayTimeIntervalType},
    CalendarIntervalType: _TEXT | {CalendarIntervalType},
    VariantType: _ATOMIC,
}

# Additional casts without ANSI: everything to text, numbers to binary, …
_LEGACY_TARGETS: dict[type[LogicalType], Kinds] = {
    **dict.fromkeys(_INTEGRAL, _TEXT | {BinaryType}),
    DateType: _TEXT | _NUMERIC | {BooleanType},
    TimestampType: _TEXT | {BooleanType},
    BooleanType: _TEXT | {TimestampType},
}


def can_cast(source: LogicalType, target: LogicalType, mode: CastRules = "ansi") -> bool:
    """Returns whether this set of Spark's rules allows a cast."""
    if isinstance(source, VoidType) or source.same_type(target):
        return True
    if type(target) in _TARGETS.get(type(source), ()):
        return True
    if mode == "legacy" and type(target) in _LEGACY_TARGETS.get(type(source), ()):
        return True
    nested = _NESTED.get(type(source))
    return nested is not None and nested(source, target, mode)


def cast_introduces_null(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether Spark types the cast as nullable even if the source is not."""
    if isinstance(source, VoidType) or source.same_type(target):
        return False
    if isinstance(source, (StringType, CharType, VarcharType)):
        return type(target) not in _TEXT and not isinstance(target, BinaryType)
    if isinstance(source, VariantType) or isinstance(target, CalendarIntervalType):
        return True
    if isinstance(source, DateType):
        return type(target) not in _TEXT and not isinstance(target, TimestampType)
    if isinstance(target, DateType):
        return not isinstance(source, TimestampType)
    if isinstance(target, DecimalType):
        return not _always_fits(source, target)
    if isinstance(source, (FloatType, DoubleType)):
        return isinstance(target, (IntegralType, TimestampType))
    if isinstance(source, DecimalType):
        return isinstance(target, IntegralType)
    if isinstance(source, TimestampType):
        return isinstance(target, IntegralType) and target.bits < 64
    if isinstance(source, TimeType):
        return isinstance(target, (TinyIntType, SmallIntType))
    return False


def _always_fits(source: LogicalType, target: DecimalType) -> bool:
    whole = target.precision - target.scale
    if isinstance(source, BooleanType):
        return whole >= 1
    if isinstance(source, IntegralType):
        return whole >= source.digits
    if isinstance(source, DecimalType):
        source_whole = source.precision - source.scale
        return whole > source_whole or (whole == source_whole and target.scale >= source.scale)
    return False


def _holds(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    # Spark rejects a cast to a nested NOT NULL type if the source may be NULL in that place.
    may_be_null = source.nullable
    if mode != "ansi":
        may_be_null = may_be_null or cast_introduces_null(source, target)
    return can_cast(source, target, mode) and (target.nullable or not may_be_null)


def _from_array(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    assert isinstance(source, ArrayType)
    if isinstance(target, ArrayType):
        return _holds(source.element, target.element, mode)
    if isinstance(target, VariantType):
        return can_cast(source.element, target, mode)
    return type(target) in _TEXT


def _from_map(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    assert isinstance(source, MapType)
    if isinstance(target, MapType):
        return _holds(source.key, target.key, mode) and _holds(source.value, target.value, mode)
    return type(target) in _TEXT


def _from_struct(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    assert isinstance(source, StructType)
    if isinstance(target, StructType):
        return len(source.fields) == len(target.fields) and all(
            _holds(left.type, right.type, mode)
            for left, right in zip(source.fields, target.fields, strict=True)
        )
    return type(target) in _TEXT


def _from_variant(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    if isinstance(target, ArrayType):
        return can_cast(source, target.element, mode)
    if isinstance(target, MapType):
        return type(target.key) in _TEXT and can_cast(source, target.value, mode)
    if isinstance(target, StructType):
        return all(can_cast(source, field.type, mode) for field in target.fields)
    return False


def _from_shape(source: LogicalType, target: LogicalType, mode: CastRules) -> bool:
    assert isinstance(source, (GeometryType, GeographyType))
    if not isinstance(target, (GeometryType, GeographyType)):
        return False
    return target.srid == source.srid or (target.srid == "ANY" and type(target) is type(source))


_NESTED: dict[type[LogicalType], Callable[[LogicalType, LogicalType, CastRules], bool]] = {
    ArrayType: _from_array,
    MapType: _from_map,
    StructType: _from_struct,
    VariantType: _from_variant,
    GeometryType: _from_shape,
    GeographyType: _from_shape,
}


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
            if isinstance(a, DecimalType) or isinstance(b, DecimalType):
                return _whole_in_decimal(a, b) or _whole_in_decimal(b, a)
            if isinstance(a, IntegralType) and isinstance(b, IntegralType):
                return a if a.bits >= b.bits else b
            return self.numbers(a, b)
        widen = _FAMILIES.get(family)
        return widen(a, b) if widen else _complex(a, b, self.tight)


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
    return DateType if isinstance(type_, _DATES_AND_TIMES) else type(type_)


_DATES_AND_TIMES = (DateType, TimeType, TimestampType, TimestampNtzType)


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
