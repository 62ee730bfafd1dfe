"""Timestamps and intervals made of their parts, with PySpark's arguments."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import CallExpression, Operand
from viewscribe.expressions.python_calls import default, python_call


def make_timestamp(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp of six numbers, or of a date and a time, in a time zone."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("make_timestamp", numbers, (date, time), timezone)


def try_make_timestamp(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp that make_timestamp makes, NULL where there is none."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("try_make_timestamp", numbers, (date, time), timezone)


def make_timestamp_ntz(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp without a time zone of six numbers, or of a date and a time."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("make_timestamp_ntz", numbers, (date, time))


def try_make_timestamp_ntz(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp that make_timestamp_ntz makes, NULL where there is none."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("try_make_timestamp_ntz", numbers, (date, time))


def _timestamp(
    name: str, numbers: tuple[Any, ...], moment: tuple[Any, Any], timezone: Operand = None
) -> CallExpression:
    given = [each for each in numbers if each is not None]
    of_moment = [each for each in moment if each is not None]
    if given and of_moment:
        raise ValidationError(f"{name} takes six numbers or a date and a time, not both")
    zone = [] if timezone is None else [timezone]
    return python_call(name, *(given or of_moment), *zone)


def make_interval(
    years: Operand = None,
    months: Operand = None,
    weeks: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
) -> CallExpression:
    """The interval of years, months, weeks, days, hours, minutes and seconds."""
    parts = (years, months, weeks, days, hours, mins, secs)
    return python_call("make_interval", *default(*[(part, 0) for part in parts]))


def try_make_interval(
    years: Operand = None,
    months: Operand = None,
    weeks: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
) -> CallExpression:
    """The interval of its parts, NULL where it is too long."""
    parts = (0 if years is None else years, months, weeks, days, hours, mins, secs)
    return python_call("try_make_interval", *default(*[(part, 0) for part in parts]))
