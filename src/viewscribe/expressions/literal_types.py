"""What type the text of a literal has in Spark, nullability included.

A constructor such as ``array(1, NULL)`` knows for itself where it holds a NULL. Where that is not
the type that was asked for, the text is under a CAST, and ``ARRAY<…>`` in a CAST cannot say NOT
NULL of its elements. NaN and the infinities are written ``double('NaN')``, which Spark takes for
a conversion that may fail, so for a value that may be NULL. The NULL of such a type is therefore
``if(FALSE, array(0), NULL)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

from viewscribe.types import (
    VOID,
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    VoidType,
    YearMonthIntervalType,
)

_NESTED = (ArrayType, MapType, StructType)
_CONSTANT = (
    *(BooleanType, IntegralType, DoubleType, FloatType, DecimalType, StringType, BinaryType),
    *(DateType, TimestampType, TimestampNtzType, YearMonthIntervalType, DayTimeIntervalType),
)
_EMPTY: LogicalType = VOID.not_null()


def type_of_text(value: object, type_: LogicalType) -> LogicalType:
    """The type that the text of a value has: the one asked for, or the nearest that can be said.

    Args:
        value: the value, held as ``literals.py`` says.
        type_: the type asked for.
    """
    if value is None:
        return type_.as_nullable() if has_constant(type_) else cast_type(VOID, type_)
    if not isinstance(type_, _NESTED):
        return constructed_type(value, type_)
    made = constructed_type(value, type_)
    return made if made.same_type(type_) else cast_type(made, type_)


def is_cast(type_: LogicalType) -> bool:
    """Whether a NULL of the type is a CAST, which says no NOT NULL of what an array or map has."""
    return cast_type(VOID, type_).same_type(type_) or not has_constant(type_)


def has_constant(type_: LogicalType) -> bool:
    """Whether a constant can be written whose type is this very one, as NOT NULL inside as it is.

    The text of such a constant is neither a cast nor a conversion, which could give NULL.
    """
    if isinstance(type_, ArrayType):
        return type_.element.nullable or has_constant(type_.element)
    if isinstance(type_, MapType):
        return has_constant(type_.key) and (type_.value.nullable or has_constant(type_.value))
    if isinstance(type_, StructType):
        return all(each.nullable or has_constant(each.type) for each in type_.fields)
    return isinstance(type_, _CONSTANT)


def constructed_type(value: Any, type_: LogicalType) -> LogicalType:
    """The type of ``array(…)``, ``map(…)`` and ``named_struct(…)`` without a CAST around."""
    if value is None:
        return VOID
    if isinstance(type_, ArrayType):
        return ArrayType(element=_merge(value, type_.element), nullable=False)
    if isinstance(type_, MapType):
        keys = _merge((key for key, _ in value), type_.key)
        values = _merge((item for _, item in value), type_.value)
        return MapType(key=keys, value=values, nullable=False)
    if isinstance(type_, StructType):
        fields = tuple(
            Field(field.name, constructed_type(item, field.type))
            for field, item in zip(type_.fields, value, strict=True)
        )
        return StructType(fields=fields, nullable=False)
    if isinstance(type_, DoubleType | FloatType):
        return type_.with_nullability(not math.isfinite(value))
    return type_.not_null()


def cast_type(made: LogicalType, target: LogicalType) -> LogicalType:
    """The type of a CAST: as nullable as its child, and inside of arrays and maps always."""
    if isinstance(target, ArrayType):
        element = made.element if isinstance(made, ArrayType) else _EMPTY
        result: LogicalType = ArrayType(element=cast_type(element, target.element).as_nullable())
    elif isinstance(target, MapType):
        key, value = (made.key, made.value) if isinstance(made, MapType) else (_EMPTY, _EMPTY)
        result = MapType(
            key=cast_type(key, target.key).not_null(),
            value=cast_type(value, target.value).as_nullable(),
        )
    elif isinstance(target, StructType):
        inner = [f.type for f in made.fields] if isinstance(made, StructType) else []
        inner = inner or [_EMPTY] * len(target.fields)
        fields = tuple(
            Field(field.name, _field_type(child, field.type), field.comment)
            for child, field in zip(inner, target.fields, strict=True)
        )
        result = StructType(fields=fields)
    else:
        result = target
    return result.with_nullability(made.nullable)


def _field_type(made: LogicalType, target: LogicalType) -> LogicalType:
    nullable = made.nullable or target.nullable
    return cast_type(made, target).with_nullability(nullable)


def _merge(values: Iterable[Any], type_: LogicalType) -> LogicalType:
    """The common type of the constructors of the values: NULL wherever one of them has it."""
    return reduce(_either, (constructed_type(value, type_) for value in values), _EMPTY)


def _either(a: LogicalType, b: LogicalType) -> LogicalType:
    nullable = a.nullable or b.nullable
    if isinstance(a, VoidType):
        return b.with_nullability(nullable)
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(element=_either(a.element, b.element), nullable=nullable)
    if isinstance(a, MapType) and isinstance(b, MapType):
        key, value = _either(a.key, b.key), _either(a.value, b.value)
        return MapType(key=key, value=value, nullable=nullable)
    if isinstance(a, StructType) and isinstance(b, StructType):
        fields = tuple(
            Field(x.name, _either(x.type, y.type)) for x, y in zip(a.fields, b.fields, strict=True)
        )
        return StructType(fields=fields, nullable=nullable)
    return a.with_nullability(nullable)
