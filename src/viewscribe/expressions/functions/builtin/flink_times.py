"""Flink's functions of times that no function of Spark is, said with several of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression, ValueExpression, function_call
from viewscribe.expressions.functions.declarative import declarative
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.validators import any_where
from viewscribe.expressions.literals import literal as literal_of
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.types import (
    DATE,
    TIMESTAMP_NTZ,
    DateType,
    DayTimeIntervalType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)

_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_MICROSECONDS = {
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
}
_UNITS = (*_MONTHS, *_MICROSECONDS)


def _call(name: str, *args: Any) -> Expression:
    return function_call(built_in(name), args)


def _resolve(value: Expression) -> ResolvedExpression:
    assert isinstance(value, ValueExpression)
    return value.resolved


def _unit_of(function: str, type_: LogicalType, given: Expression) -> str:
    found = _resolve(given)
    unit = str(found.value).upper() if isinstance(found, Literal) else ""
    if unit == "WEEK":
        raise ValidationError(
            f"{function} to a WEEK: weeks start on Sunday in Flink, on Monday in Spark",
            hint='date_trunc("WEEK") gives the Monday',
        )
    known = (*_MONTHS, "DAY") if isinstance(type_, DateType) else _UNITS
    if unit not in known:
        raise ValidationError(
            f"{function}: {type_.ddl} has no unit {unit}", hint=f"it is one of: {', '.join(known)}"
        )
    return unit


def _floor(time: Expression, given: Expression) -> Expression:
    type_ = _resolve(time).type
    return _start_of(time, type_, _unit_of("floor", type_, given))


def _ceil(time: Expression, given: Expression) -> Expression:
    """The unit's start where the time is one, else the start of the next.

    Of a TIMESTAMP that is where the time lies one unit later: the clocks may have skipped what is
    one unit after the start.
    """
    type_ = _resolve(time).type
    unit = _unit_of("ceil", type_, given)
    if isinstance(type_, DateType) and unit == "DAY":
        return time
    start, length = _start_of(time, type_, unit), ValueExpression(_length_of(unit))
    if isinstance(type_, TimestampType):
        return _call("case", start == time, time, _start_of(time + length, type_, unit))
    return _call("case", start == time, time, start + length)


def _start_of(time: Expression, type_: LogicalType, unit: str) -> Expression:
    if isinstance(type_, DateType):
        return time if unit == "DAY" else _call("trunc", time, unit)
    if isinstance(type_, TimestampType):
        return _call("date_trunc", unit, time)
    day = time.cast(DATE)
    if unit in _MONTHS:
        return _call("trunc", day, unit).cast(TIMESTAMP_NTZ)
    midnight = day.cast(TIMESTAMP_NTZ)
    if unit == "DAY":
        return midnight
    parts = [_call("hour", time), _call("minute", time)]
    second = _call("extract", "SECOND", time)
    if unit == "HOUR":
        parts.pop()
    elif unit == "SECOND":
        parts.append(_call("floor", second))
    elif unit == "MILLISECOND":
        parts.append(_call("floor", second, 3))
    return midnight + _call("make_dt_interval", 0, *parts)


def _length_of(unit: str) -> Literal:
    if unit in _MONTHS:
        kind: LogicalType = YearMonthIntervalType(start="MONTH", end="MONTH")
        if unit == "YEAR":
            kind = YearMonthIntervalType(start="YEAR", end="YEAR")
        return literal_of(_MONTHS[unit], kind)
    named = "SECOND" if unit == "MILLISECOND" else unit
    length = timedelta(microseconds=_MICROSECONDS[unit])
    return literal_of(length, DayTimeIntervalType(start=named, end=named))


def _overlaps(
    first: Expression, first_end: Expression, second: Expression, second_end: Expression
) -> Expression:
    """Whether two spans touch; each is sorted, and its end may be an interval from its start."""
    low, high = _span(first, first_end)
    other_low, other_high = _span(second, second_end)
    return (high >= other_low) & (other_high >= low)


def _span(start: Expression, end: Expression) -> tuple[Expression, Expression]:
    """Start and end in their order.

    Not by ``least``, which skips a NULL: of an end that is NULL nothing is known.
    """
    length = _resolve(end)
    if not isinstance(length.type, DayTimeIntervalType | YearMonthIntervalType):
        return _sort(start, end)
    if not isinstance(length, Literal) or length.value is None:
        return _sort(start, start + end)
    backwards = length.value < length.value - length.value
    return (start + end, start) if backwards else (start, start + end)


def _sort(start: Expression, end: Expression) -> tuple[Expression, Expression]:
    ordered = start <= end
    return _call("case", ordered, start, end), _call("case", ordered, end, start)


def _is_time(type_: LogicalType) -> bool:
    return isinstance(type_, DateType | TimestampType | TimestampNtzType)


def _is_end(type_: LogicalType) -> bool:
    return _is_time(type_) or isinstance(type_, DayTimeIntervalType | YearMonthIntervalType)


_TIME = any_where(
    "<date or timestamp>", _is_time
)  # no text: it would be cast at each of its places
_END = any_where("<date, timestamp or INTERVAL>", _is_end)

FLOOR_TO_UNIT = declarative("""floor_to_unit(_, text(literal(STRING)))
    The start of the unit of time that a date or timestamp lies in.
    """).expand_to(_floor, args=(_TIME,))
CEIL_TO_UNIT = declarative("""ceil_to_unit(_, text(literal(STRING)))
    The first start of a unit of time that is not before a date or timestamp.
    """).expand_to(_ceil, args=(_TIME,))
TEMPORAL_OVERLAPS = declarative("""temporal_overlaps(_, _, _, _)
    Whether two spans of time have a moment in common, each a start and an end or interval.
    """).expand_to(_overlaps, args=(_TIME, _END, _TIME, _END))
