"""Casts that Spark's analyzer makes by itself, and casts that no value can fail."""

from __future__ import annotations

from viewscribe.types import (
    STRING,
    ArrayType,
    BigIntType,
    BinaryType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
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
    VariantType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import cast_introduces_null, decimal_of
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import IN_FORCE as COERCION

_Kinds = tuple[type[LogicalType], ...]
_NESTED: _Kinds = (ArrayType, MapType, StructType)
_NOT_ATOMIC: _Kinds = (*_NESTED, CalendarIntervalType, VoidType)
_TEXT: _Kinds = (StringType, CharType, VarcharType)
_TIMESTAMPS: _Kinds = (TimestampType, TimestampNtzType)
_READ_FROM_TEXT: _Kinds = (NumericType, DateType, TimeType, *_TIMESTAMPS, BinaryType, StringType)


def implicit_cast(given: LogicalType, wanted: LogicalType) -> LogicalType | None:
    """``wanted``, NULL or not as a cast of ``given`` to it is; None where Spark does not cast."""
    if isinstance(given, CharType | VarcharType):
        given = STRING.with_nullability(given.nullable)
    if type(given) is type(wanted) and (given.same_type(wanted) or isinstance(given, StringType)):
        return given
    if isinstance(given, ArrayType):
        if not isinstance(wanted, ArrayType):
            return None
        element = implicit_cast(given.element, wanted.element)
        if element is None or (element.nullable and not wanted.element.nullable):
            return None
        return ArrayType(element=element, nullable=given.nullable)
    if isinstance(given, MapType | StructType) or not _assigns(given, wanted):
        return None
    if not COERCION.get().ansi and not _assigns_without_ansi(given, wanted):
        return None
    return wanted.with_nullability(given.nullable or cast_introduces_null(given, wanted))


def _assigns(given: LogicalType, wanted: LogicalType) -> bool:
    if isinstance(given, VoidType):
        return True
    if isinstance(given, StringType):
        return not isinstance(wanted, _NOT_ATOMIC)
    if isinstance(wanted, StringType):
        return not isinstance(given, _NESTED)
    if isinstance(wanted, NumericType):
        return isinstance(given, NumericType)
    if isinstance(wanted, _TIMESTAMPS):
        return isinstance(given, (*_TIMESTAMPS, DateType, TimeType))
    if isinstance(wanted, DateType | TimeType):
        return isinstance(given, (*_TIMESTAMPS, type(wanted)))
    kinds = (YearMonthIntervalType, DayTimeIntervalType)
    return isinstance(wanted, kinds) and type(given) is type(wanted)


def _assigns_without_ansi(given: LogicalType, wanted: LogicalType) -> bool:
    """The older analyzer reads text as less, and writes less as text."""
    if isinstance(given, StringType):
        return isinstance(wanted, _READ_FROM_TEXT)
    if isinstance(wanted, TimeType):
        return isinstance(given, TimeType | VoidType)
    return not isinstance(wanted, StringType) or not isinstance(given, CalendarIntervalType)


def cast_type(source: LogicalType, target: LogicalType, *, lenient: bool = False) -> LogicalType:
    """``target`` with the nullability of ``CAST(source AS target)``, or of TRY_CAST.

    Spark casts to STRING where CHAR or VARCHAR is written: nothing is cut or filled.
    """
    source, target = value_type(source), value_type(target)
    forced = not is_up_cast(source, target) if lenient else cast_introduces_null(source, target)
    return target.with_nullability(source.nullable or forced)


def is_up_cast(source: LogicalType, target: LogicalType) -> bool:
    """Whether every value of ``source`` has a counterpart in ``target``, as Spark sees it."""
    if isinstance(source, VoidType) or source.same_type(target):
        return True
    if isinstance(source, NumericType) and isinstance(target, NumericType):
        if isinstance(target, DecimalType):
            if not isinstance(source, DecimalType | IntegralType):
                return False
            exact = decimal_of(source)
            whole = target.precision - target.scale >= exact.precision - exact.scale
            return whole and target.scale >= exact.scale
        if isinstance(target, IntegralType):
            return isinstance(source, IntegralType) and target.bits >= source.bits
        if isinstance(target, DoubleType):
            return not isinstance(source, DecimalType)
        return isinstance(source, IntegralType | FloatType)
    if isinstance(target, StringType):
        return not isinstance(source, (*_NESTED, VariantType))
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return _up_casts_inside(source.element, target.element)
    if isinstance(source, MapType) and isinstance(target, MapType):
        inside = ((source.key, target.key), (source.value, target.value))
        return all(_up_casts_inside(left, right) for left, right in inside)
    if isinstance(source, StructType) and isinstance(target, StructType):
        pairs = zip(source.fields, target.fields, strict=False)
        return all(_up_casts_inside(left.type, right.type) for left, right in pairs)
    return (type(source), type(target)) in _UP_CASTS


def _up_casts_inside(source: LogicalType, target: LogicalType) -> bool:
    return (target.nullable or not source.nullable) and is_up_cast(source, target)


_UP_CASTS: frozenset[tuple[type[LogicalType], type[LogicalType]]] = frozenset(
    {
        (StringType, BinaryType),
        (DateType, TimestampType),
        (DateType, TimestampNtzType),
        (TimestampType, TimestampNtzType),
        (TimestampNtzType, TimestampType),
        (TimestampType, BigIntType),
        (BigIntType, TimestampType),
        (YearMonthIntervalType, YearMonthIntervalType),
        (DayTimeIntervalType, DayTimeIntervalType),
    }
)
