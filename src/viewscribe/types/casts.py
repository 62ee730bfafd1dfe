"""Which casts Spark allows, and which of them can yield NULL for a non-NULL value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from viewscribe.types.logical import (
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
    FloatType,
    GeographyType,
    GeometryType,
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
    VarcharType,
    VariantType,
    VoidType,
    YearMonthIntervalType,
)

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
    return _loses_range(source, target)


def _loses_range(source: LogicalType, target: LogicalType) -> bool:
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
