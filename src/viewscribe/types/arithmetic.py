"""The result types of ``+ - * / % div``, following Spark's ANSI type coercion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from viewscribe.types.common import common_type
from viewscribe.types.logical import (
    BIGINT,
    CALENDAR_INTERVAL,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    STRING,
    TIMESTAMP,
    YEAR_MONTH_INTERVAL,
    BigIntType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    LogicalType,
    NumericType,
    StringType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VarcharType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.policy import IN_FORCE
from viewscribe.types.widening import MAX_DIGITS, decimal_of

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
        return _shifted_date(by)
    if isinstance(point, _Timestamp):
        return point if isinstance(by, _Interval) else None
    if isinstance(point, TimeType) and isinstance(by, DayTimeIntervalType):
        return TimeType(precision=max(6, point.precision)) if by.end == "SECOND" else point
    return point if isinstance(point, StringType) and isinstance(by, _ClockInterval) else None


def _shifted_date(by: LogicalType) -> LogicalType | None:
    if isinstance(by, DayTimeIntervalType):
        return DATE if by.start == by.end == "DAY" else TIMESTAMP
    if isinstance(by, _Interval):
        return DATE
    if isinstance(by, StringType):
        # A quirk of Spark: collated text is cast to a number of days, other text is rejected.
        return None if by.same_type(STRING) else DATE
    return DATE if isinstance(by, IntegralType) and not isinstance(by, BigIntType) else None


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
