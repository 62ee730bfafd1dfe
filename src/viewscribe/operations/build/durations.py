"""Lengths of time windows: the texts that Spark reads, and what they must be to each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.types import DayTimeIntervalType, YearMonthIntervalType

_UNITS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_PART = re.compile(
    rf"([+-]?)\s*(\d+(?:\.\d{{1,9}}(?=\s+seconds?\b))?)\s+({'|'.join(_UNITS)})s?(?:\s+|$)",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"interval\s+", re.IGNORECASE)
_HINT = (
    'write it as "10 minutes" or "1 day 12 hours": weeks, days, hours, minutes, seconds, '
    "milliseconds, microseconds; or as a timedelta or an interval(…) of these"
)


def microseconds(text: str) -> int:
    """How long ``"1 day 12 hours"`` is.

    Raises:
        ValidationError: Spark does not read the text as the length of a window.
    """
    rest, total = text.strip(), 0
    prefix = _INTERVAL.match(rest)
    place = prefix.end() if prefix else 0
    while place < len(rest):
        part = _PART.match(rest, place)
        if part is None:
            raise ValidationError(f"{text!r} is not a length of time", hint=_HINT)
        amount = int(Fraction(part[2]) * _UNITS[part[3].lower()])
        total += -amount if part[1] == "-" else amount
        place = part.end()
    if not rest or (prefix and prefix.end() == len(rest)):
        raise ValidationError(f"{text!r} is not a length of time", hint=_HINT)
    return total


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
            raise ValidationError("a month has no fixed length, and a window has one", hint=_HINT)
        given = given.value
    if isinstance(given, str):
        return given
    if not isinstance(given, timedelta):
        raise ValidationError(f"{value!r} is not a length of time", hint=_HINT)
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
    unit = next((each for each in units if length % _UNITS[each] == 0), "second").upper()
    return literal(timedelta(microseconds=length), DayTimeIntervalType(start=unit, end=unit))


def in_words(length: int) -> str:
    """So many microseconds in the largest unit that divides them: ``"90 minutes"``."""
    units = [each for each in _UNITS if each != "week"] if length else ["second"]
    unit = next(each for each in units if length % _UNITS[each] == 0)
    amount = length // _UNITS[unit]
    return f"{amount} {unit}" if abs(amount) == 1 else f"{amount} {unit}s"


def check_durations(function: str, args: Sequence[ResolvedExpression]) -> None:
    """Refuses lengths of windows that Spark would refuse later.

    Raises:
        ValidationError: a text is no length, or size, slide and start do not fit together.
    """
    known = [microseconds(str(arg.value)) for arg in args if isinstance(arg, Literal)]
    if function != "window" or len(known) < len(args):
        return
    size, slide, start, *_ = (*known, *known[:1], 0) if len(known) == 1 else (*known, 0)
    for name, length in (("long", size), ("apart", slide)):
        if length <= 0:
            raise ValidationError(f"windows cannot be {in_words(length)} {name}")
    if slide > size:
        raise ValidationError(
            f"windows of {in_words(size)} cannot be {in_words(slide)} apart: rows between them "
            "would be lost",
            hint="the size comes first, then the slide",
        )
    if abs(start) >= slide:
        raise ValidationError(
            f"windows that start every {in_words(slide)} cannot be {in_words(start)} off",
            hint=f"that is as far as {in_words(start % slide)}",
        )
