"""Spark 4.3's type coercion rules, with ``spark.sql.ansi.enabled`` on or off."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal

from viewscribe.types import widening
from viewscribe.types.legacy import WIDENING_WITHOUT_TEXT
from viewscribe.types.nested_types import (
    BIGINT,
    CALENDAR_INTERVAL,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    VOID,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    BigIntType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
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
    VariantType,
    VoidType,
    YearMonthIntervalType,
    built_alike,
)
from viewscribe.types.policy import ANSI, IN_FORCE, LEGACY, Coercion, coercion, coercion_of
from viewscribe.types.widening import (
    MAX_DIGITS,
    cast_introduces_null,
    decimal_of,
    value,
    wider_decimal,
)

# Common types of operands, under the coercion policy in force.

CastMode = Literal["plain", "try"]


def can_cast(source: LogicalType, target: LogicalType, mode: CastMode = "plain") -> bool:
    """Returns whether Spark accepts ``CAST(source AS target)``, or TRY_CAST with mode ``try``."""
    return widening.can_cast(source, target, "try" if mode == "try" else IN_FORCE.get().casts)


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


# The result types of ``+ - * / % div``, following Spark's ANSI type coercion.

Operator = Literal["+", "-", "*", "/", "%", "div"]

# Spark keeps at least this many fractional digits when a decimal exceeds 38 digits.
MINIMUM_ADJUSTED_SCALE = 6

_Rule = Callable[[LogicalType, LogicalType], LogicalType | None]
_AnsiInterval = (YearMonthIntervalType, DayTimeIntervalType)
_ClockInterval = (DayTimeIntervalType, CalendarIntervalType)
_Interval = (YearMonthIntervalType, DayTimeIntervalType, CalendarIntervalType)
_Timestamp = (TimestampType, TimestampNtzType)
_Datetime = (DateType, TimeType, TimestampType, TimestampNtzType)


def arithmetic_type(operator: Operator, a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type of ``a operator b``, or None if Spark rejects the operands.

    The nullability follows Spark. Although ANSI mode raises on overflow and division by zero, Spark
    always types the following as nullable: ``/``, ``%`` and ``div`` of numbers, operations that
    cast text, arithmetic on TIME, and a legacy interval multiplied or divided by a number.
    Everything else is nullable if an operand is.

    For an integer literal next to a decimal, pass ``decimal_of_literal(value)`` as its type.
    """
    left, right = _value(a), _value(b)
    found = _RULES[operator](left, right)
    if found is None:
        return None
    nullable = a.nullable or b.nullable or _introduces_null(operator, left, right)
    return found.with_nullability(nullable)


def _introduces_null(operator: Operator, a: LogicalType, b: LogicalType) -> bool:
    if isinstance(a, (StringType, TimeType)) or isinstance(b, (StringType, TimeType)):
        return True
    if isinstance(a, VoidType) and isinstance(b, VoidType):
        return True
    legacy = isinstance(a, CalendarIntervalType) or isinstance(b, CalendarIntervalType)
    if operator == "*":
        return legacy
    if operator == "/":
        return legacy or not isinstance(a, _AnsiInterval)
    if operator == "-" and {type(a), type(b)} == {DateType, TimestampNtzType}:
        return True
    return operator in ("%", "div")


def adjusted_decimal(precision: int, scale: int) -> DecimalType:
    """Returns DECIMAL(precision, scale), reduced to 38 digits the way Spark does it."""
    if precision <= MAX_DIGITS:
        return DecimalType(precision=precision, scale=scale)
    if not IN_FORCE.get().precision_loss:
        return DecimalType(precision=MAX_DIGITS, scale=min(scale, MAX_DIGITS))
    whole = precision - scale
    kept = max(MAX_DIGITS - whole, min(scale, MINIMUM_ADJUSTED_SCALE))
    return DecimalType(precision=MAX_DIGITS, scale=kept)


def _value(type_: LogicalType) -> LogicalType:
    if isinstance(type_, (CharType, VarcharType)):
        return StringType(collation=type_.collation)
    return type_


def _add(a: LogicalType, b: LogicalType) -> LogicalType | None:
    return _shift_moment(a, b) or _shift_moment(b, a) or _total(a, b)


def _subtract(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, CalendarIntervalType) and isinstance(b, VoidType):
        return CALENDAR_INTERVAL
    return _difference(a, b) or _shift_moment(a, b) or _total(a, b)


def _shift_moment(point: LogicalType, by: LogicalType) -> LogicalType | None:
    """Returns the type of a datetime plus or minus an interval or a number of days."""
    if isinstance(by, VoidType) and isinstance(point, _Datetime):
        by = DAY_TIME_INTERVAL
    if isinstance(point, DateType):
        if isinstance(by, DayTimeIntervalType):
            return DATE if by.start == by.end == "DAY" else TIMESTAMP
        if isinstance(by, _Interval):
            return DATE
        if isinstance(by, StringType):
            # A quirk of Spark: collated text is cast to a number of days, other text is rejected.
            return None if by.same_type(STRING) else DATE
        return DATE if isinstance(by, IntegralType) and not isinstance(by, BigIntType) else None
    if isinstance(point, _Timestamp):
        return point if isinstance(by, _Interval) else None
    if isinstance(point, TimeType) and isinstance(by, DayTimeIntervalType):
        return TimeType(precision=max(6, point.precision)) if by.end == "SECOND" else point
    return point if isinstance(point, StringType) and isinstance(by, _ClockInterval) else None


def _difference(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type of the difference of two datetimes; text and NULL take the other's type."""
    kinds = [each for each in (a, b) if isinstance(each, _Datetime)]
    others = [each for each in (a, b) if not isinstance(each, _Datetime)]
    if not kinds or not all(isinstance(each, (StringType, VoidType)) for each in others):
        return None
    if not IN_FORCE.get().ansi and isinstance(others and others[0], StringType):
        return DayTimeIntervalType(start="DAY", end="DAY") if isinstance(b, DateType) else None
    if isinstance(a, DateType) and isinstance(b, StringType) and not b.same_type(STRING):
        return None
    if all(isinstance(each, DateType) for each in kinds):
        return DayTimeIntervalType(start="DAY", end="DAY")
    if all(isinstance(each, TimeType) for each in kinds):
        return DayTimeIntervalType(start="HOUR", end="SECOND")
    return None if any(isinstance(each, TimeType) for each in kinds) else DAY_TIME_INTERVAL


def _total(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """Returns the type of the sum or difference of two intervals or two numbers."""
    if isinstance(a, _Interval) or isinstance(b, _Interval):
        return _total_span(a, b)
    return _numbers(a, b, _decimal_sum)


def _total_span(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, CalendarIntervalType) and isinstance(b, CalendarIntervalType):
        return CALENDAR_INTERVAL
    spans = (*_AnsiInterval, VoidType)
    return common_type(a, b) if isinstance(a, spans) and isinstance(b, spans) else None


def _multiply(a: LogicalType, b: LogicalType) -> LogicalType | None:
    return _scale_interval(a, b) or _scale_interval(b, a) or _numbers(a, b, _decimal_product)


def _scale_interval(span: LogicalType, by: LogicalType) -> LogicalType | None:
    if not isinstance(by, (NumericType, StringType, VoidType)):
        return None
    return _FULL_SPAN.get(type(span))


_FULL_SPAN: dict[type[LogicalType], LogicalType] = {
    YearMonthIntervalType: YEAR_MONTH_INTERVAL,
    DayTimeIntervalType: DAY_TIME_INTERVAL,
    CalendarIntervalType: CALENDAR_INTERVAL,
}


def _divide(a: LogicalType, b: LogicalType) -> LogicalType | None:
    span = _scale_interval(a, b)
    if span is not None:
        return span
    found = _numbers(a, b, _decimal_quotient)
    exact = isinstance(found, DecimalType) and not isinstance(a, VoidType)
    return found if exact or found is None else DOUBLE


def _remainder(a: LogicalType, b: LogicalType) -> LogicalType | None:
    return _numbers(a, b, _decimal_remainder)


def _whole_quotient(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, _AnsiInterval) or isinstance(b, _AnsiInterval):
        return _total_span(a, b) and BIGINT
    if isinstance(a, VoidType) and isinstance(b, VoidType):
        return BIGINT
    found = _numbers(a, b, _decimal_quotient)
    return BIGINT if isinstance(found, (IntegralType, DecimalType)) else None


def _numbers(
    a: LogicalType, b: LogicalType, decimal_rule: Callable[[DecimalType, DecimalType], DecimalType]
) -> LogicalType | None:
    if isinstance(a, VoidType):
        a = b
    elif isinstance(b, VoidType):
        b = a
    if isinstance(a, VoidType):
        return DOUBLE
    if not IN_FORCE.get().ansi:
        a, b = (DOUBLE if isinstance(each, StringType) else each for each in (a, b))
    if isinstance(a, (IntegralType, DecimalType)) and isinstance(b, (IntegralType, DecimalType)):
        if isinstance(a, DecimalType) or isinstance(b, DecimalType):
            return decimal_rule(decimal_of(a), decimal_of(b))
    elif not isinstance(a, NumericType) and not isinstance(b, NumericType):
        return None
    found = common_type(a, b)
    return found if isinstance(found, NumericType) else None


def _decimal_sum(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted_decimal(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def _decimal_product(a: DecimalType, b: DecimalType) -> DecimalType:
    return adjusted_decimal(a.precision + b.precision + 1, a.scale + b.scale)


def _decimal_quotient(a: DecimalType, b: DecimalType) -> DecimalType:
    if not IN_FORCE.get().precision_loss:
        return _quotient_without_loss(a, b)
    scale = max(MINIMUM_ADJUSTED_SCALE, a.scale + b.precision + 1)
    return adjusted_decimal(a.precision - a.scale + b.scale + scale, scale)


def _quotient_without_loss(a: DecimalType, b: DecimalType) -> DecimalType:
    """Returns the quotient's type, with excess digits cut on both sides of the decimal point."""
    whole = min(MAX_DIGITS, a.precision - a.scale + b.scale)
    scale = min(MAX_DIGITS, max(MINIMUM_ADJUSTED_SCALE, a.scale + b.precision + 1))
    excess = whole + scale - MAX_DIGITS
    if excess > 0:
        scale -= excess // 2 + 1
        whole = MAX_DIGITS - scale
    return DecimalType(precision=whole + scale, scale=scale)


def _decimal_remainder(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted_decimal(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


_RULES: dict[str, _Rule] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "div": _whole_quotient,
}


__all__ = [
    "ANSI",
    "LEGACY",
    "CastMode",
    "Coercion",
    "Operator",
    "adjusted_decimal",
    "arithmetic_type",
    "can_cast",
    "cast_introduces_null",
    "coercion",
    "coercion_of",
    "common_type",
    "common_type_of",
    "comparison_type",
    "decimal_of",
    "decimal_of_literal",
    "is_comparable",
    "is_groupable",
    "is_map_key",
    "is_orderable",
    "merged_type_of",
    "stacked_type_of",
    "supports_distinct",
    "wider_decimal",
]
