"""Common types of operands, under the coercion policy in force."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from viewscribe.types import casts
from viewscribe.types.casts import cast_introduces_null
from viewscribe.types.legacy import WIDENING_WITHOUT_TEXT
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
from viewscribe.types.nested_types import built_alike
from viewscribe.types.policy import IN_FORCE
from viewscribe.types.widening import value

CastMode = Literal["plain", "try"]


def can_cast(source: LogicalType, target: LogicalType, mode: CastMode = "plain") -> bool:
    """Returns whether Spark accepts ``CAST(source AS target)``, or TRY_CAST with mode ``try``."""
    return casts.can_cast(source, target, "try" if mode == "try" else IN_FORCE.get().casts)


def common_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the least common type of two operands, or None if Spark finds none.

    This is the type of CASE, COALESCE, IF, IN, array(...), greatest, least, UNION and the other
    set operations. It is nullable if either operand is; ``cast_introduces_null`` tells whether the
    cast to it can yield NULL. Two different collations have no common type here: which one applies
    depends on more than the types.
    """
    widened = a if a is b else IN_FORCE.get().widening.wide(value(a), value(b))
    return widened and value(widened).with_nullability(a.nullable or b.nullable)


def common_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """Returns the least common type of any number of operands, left to right as in Spark."""
    found: LogicalType | None = None
    for each in IN_FORCE.get().ordered(types):
        found = each if found is None else common_type(found, each)
        if found is None:
            return None
    return VOID if found is None else value(found)


def stacked_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """Returns the type of values from rows of VALUES, or from columns of UNPIVOT.

    Text has none in common with what is no text, and an integer beside a FLOAT becomes one,
    whether ANSI mode is on or off.
    """
    found: LogicalType = VOID
    nullable = False
    for each in types:
        wider = WIDENING_WITHOUT_TEXT.wide(value(found), value(each))
        if wider is None:
            return None
        found, nullable = wider, nullable or each.nullable
    return value(found).with_nullability(nullable)


def merged_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """Like ``common_type_of``, but nullable as well if casting an operand can yield NULL.

    This is the type, nullability included, of CASE with ELSE and of a column of a set operation.
    """
    operands = tuple(types)
    found = common_type_of(operands)
    if found is None or found.nullable:
        return found
    forced = any(cast_introduces_null(value(each), found) for each in operands)
    return found.with_nullability(forced)


def comparison_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type that comparison operators convert to, or None if Spark rejects them.

    Stricter than ``common_type``: strings, and decimals of different scale, are not converted
    inside arrays and structs; what fields are called makes no difference. ``is_orderable`` tells
    whether the type can be compared at all.
    """
    found = IN_FORCE.get().compared(value(a), value(b))
    if found is None and built_alike(a, b):
        found = value(a)
    return found and found.with_nullability(a.nullable or b.nullable)


def is_comparable(a: LogicalType, b: LogicalType) -> bool:
    """Returns whether Spark accepts ``a = b`` and ``a < b`` for operands of these types."""
    found = comparison_type(a, b)
    return found is not None and is_orderable(found)


_UNORDERED = (MapType, VariantType, CalendarIntervalType, GeometryType, GeographyType)
_NO_SET_ELEMENT = (MapType, VariantType)


@lru_cache(maxsize=10_000)
def is_orderable(type_: LogicalType) -> bool:
    """Returns whether Spark can compare, sort and partition windows by the type.

    It cannot if the type contains a map, a variant, a legacy interval, a geometry or a geography.
    """
    return _nowhere(type_, _UNORDERED)


def is_groupable(type_: LogicalType) -> bool:
    """Returns whether Spark accepts the type in GROUP BY: maps yes, variants no."""
    return _nowhere(type_, (VariantType,))


def supports_distinct(type_: LogicalType) -> bool:
    """Returns whether Spark accepts the type in DISTINCT and set operations except UNION ALL."""
    return _nowhere(type_, _NO_SET_ELEMENT)


def is_map_key(type_: LogicalType) -> bool:
    """Returns whether Spark accepts the type as a map key."""
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
    """Returns the decimal type of an INT or BIGINT literal next to a decimal operand.

    It is nullable if it has fewer digits than the literal's own type, because Spark types that cast
    as nullable: ``price * 2`` is nullable even if ``price`` is not.
    """
    own = INT if -(2**31) <= value < 2**31 else BIGINT
    digits = len(str(abs(value)))
    return DecimalType(precision=digits, scale=0, nullable=digits < own.digits)
