"""Lengths of time windows as users give them: texts, timedeltas and intervals."""

from __future__ import annotations

from datetime import timedelta

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.window_lengths import HINT, UNITS, in_words
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.types import DayTimeIntervalType, YearMonthIntervalType


def duration(value: object) -> str:
    """A length of time as Spark's text of it: a text as it is, a timedelta, an interval literal.

    Raises:
        ValidationError: it is none of these, or has months in it.
    """
    if isinstance(value, str):
        return value
    given = value.resolved if isinstance(value, dsl.ValueExpression) else value
    if isinstance(given, Literal):
        if isinstance(given.type, YearMonthIntervalType):
            raise ValidationError("a month has no fixed length, and a window has one", hint=HINT)
        given = given.value
    if isinstance(given, str):
        return given
    if not isinstance(given, timedelta):
        raise ValidationError(f"{value!r} is not a length of time", hint=HINT)
    return in_words(given // timedelta(microseconds=1))


def gap(value: object) -> str | dsl.Expression:
    """The gap that ends a session: a length as ``duration`` takes it, or one of each row's own.

    Raises:
        ValidationError: it is neither.
    """
    given = value.resolved if isinstance(value, dsl.ValueExpression) else value
    if isinstance(value, dsl.Expression) and not isinstance(given, Literal):
        return value
    return duration(value)


def interval_of(length: int) -> Literal:
    """So many microseconds as an interval of one unit: ``INTERVAL '90' MINUTE``."""
    units = ("day", "hour", "minute")
    unit = next((each for each in units if length % UNITS[each] == 0), "second").upper()
    return literal(timedelta(microseconds=length), DayTimeIntervalType(start=unit, end=unit))
