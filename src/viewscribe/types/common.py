"""What two types become together, under the coercion in force."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from viewscribe.types import casts
from viewscribe.types.casts import cast_introduces_null
from viewscribe.types.logical import (
    BIGINT,
    INT,
    VOID,
    ArrayType,
    CalendarIntervalType,
    DecimalType,
    GeographyType,
    GeometryType,
    LogicalType,
    MapType,
    StructType,
    VariantType,
)
from viewscribe.types.policy import IN_FORCE
from viewscribe.types.widening import value

CastMode = Literal["plain", "try"]


def can_cast(source: LogicalType, target: LogicalType, mode: CastMode = "plain") -> bool:
    """Whether Spark accepts ``CAST(source AS target)``, or TRY_CAST with mode ``try``."""
    return casts.can_cast(source, target, "try" if mode == "try" else IN_FORCE.get().casts)


def common_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The least common type of two operands, or None where Spark finds none.

    This is the type of CASE, COALESCE, IF, IN, array(...), greatest, least, UNION and the other
    set operations. It is nullable where either operand is; that a cast to it can yield NULL is
    what ``cast_introduces_null`` says. Two collations have nothing
    in common here: which one a call works with is not a question of types alone.
    """
    widened = a if a is b else IN_FORCE.get().widening.wide(value(a), value(b))
    return widened and value(widened).with_nullability(a.nullable or b.nullable)


def common_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """The least common type of any number of operands, found from left to right as Spark does."""
    found: LogicalType | None = None
    for each in IN_FORCE.get().ordered(types):
        found = each if found is None else common_type(found, each)
        if found is None:
            return None
    return VOID if found is None else value(found)


def merged_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """``common_type_of``, nullable also where the cast of an operand to it can yield NULL.

    This is the type, nullability included, of CASE with ELSE and of a column of a set operation.
    """
    operands = tuple(types)
    found = common_type_of(operands)
    if found is None or found.nullable:
        return found
    forced = any(cast_introduces_null(value(each), found) for each in operands)
    return found.with_nullability(forced)


def comparison_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The type that ``=``, ``<`` and the like compare in, or None where Spark refuses.

    Narrower than ``common_type``: inside arrays and structs neither strings nor decimals of
    different scale are brought together. Whether the type can be compared is ``is_orderable``.
    """
    found = IN_FORCE.get().compared(value(a), value(b))
    return found and found.with_nullability(a.nullable or b.nullable)


def is_comparable(a: LogicalType, b: LogicalType) -> bool:
    """Whether Spark accepts ``a = b`` and ``a < b`` for operands of these types."""
    found = comparison_type(a, b)
    return found is not None and is_orderable(found)


_UNORDERED = (MapType, VariantType, CalendarIntervalType, GeometryType, GeographyType)
_NO_SET_ELEMENT = (MapType, VariantType)


@lru_cache(maxsize=10_000)
def is_orderable(type_: LogicalType) -> bool:
    """Whether Spark compares, sorts and partitions windows by the type.

    It does not where a map, a variant, a legacy interval or a shape is anywhere inside.
    """
    return _nowhere(type_, _UNORDERED)


def is_groupable(type_: LogicalType) -> bool:
    """Whether Spark accepts GROUP BY the type: maps it does, variants it does not."""
    return _nowhere(type_, (VariantType,))


def supports_distinct(type_: LogicalType) -> bool:
    """Whether Spark accepts the type in SELECT DISTINCT and in set operations but UNION ALL."""
    return _nowhere(type_, _NO_SET_ELEMENT)


def is_map_key(type_: LogicalType) -> bool:
    """Whether Spark accepts the type as the key of a map."""
    return _nowhere(type_, _NO_SET_ELEMENT)


def _nowhere(type_: LogicalType, unwanted: tuple[type[LogicalType], ...]) -> bool:
    if isinstance(type_, unwanted):
        return False
    if isinstance(type_, ArrayType):
        return _nowhere(type_.element, unwanted)
    if isinstance(type_, MapType):
        return _nowhere(type_.key, unwanted) and _nowhere(type_.value, unwanted)
    if isinstance(type_, StructType):
        return all(_nowhere(field.type, unwanted) for field in type_.fields)
    return True


def decimal_of_literal(value: int) -> DecimalType:
    """The decimal that Spark reads an INT or BIGINT literal as, beside a decimal operand.

    It is nullable where it has fewer digits than the literal's own type, because the cast is one
    that Spark types as nullable: so ``price * 2`` may be NULL where ``price`` may not.
    """
    own = INT if -(2**31) <= value < 2**31 else BIGINT
    digits = len(str(abs(value)))
    return DecimalType(precision=digits, scale=0, nullable=digits < own.digits)
