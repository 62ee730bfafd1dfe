"""Lengths of time windows: the texts that Spark reads, and what they must be to each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.nodes import Literal, ResolvedExpression

UNITS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_PART = re.compile(
    rf"([+-]?)\s*(\d{{1,19}}(?:\.\d{{1,9}}(?=\s+seconds?\b))?)\s+({'|'.join(UNITS)})s?(?:\s+|$)",
    re.IGNORECASE | re.ASCII,
)
_INTERVAL = re.compile(r"interval\s+", re.IGNORECASE | re.ASCII)
HINT = (
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
            raise ValidationError(f"{text!r} is not a length of time", hint=HINT)
        unit, (whole, _, behind) = UNITS[part[3].lower()], part[2].partition(".")
        amount = int(whole) * unit + int(behind.ljust(9, "0")) * unit // 10**9
        total += -amount if part[1] == "-" else amount
        place = part.end()
    if not rest or (prefix and prefix.end() == len(rest)):
        raise ValidationError(f"{text!r} is not a length of time", hint=HINT)
    return total


def in_words(length: int) -> str:
    """So many microseconds in the largest unit that divides them: ``"90 minutes"``."""
    units = [each for each in UNITS if each != "week"] if length else ["second"]
    unit = next(each for each in units if length % UNITS[each] == 0)
    amount = length // UNITS[unit]
    return f"{amount} {unit}" if abs(amount) == 1 else f"{amount} {unit}s"


def check_lengths(args: Sequence[ResolvedExpression]) -> None:
    """Refuses lengths of windows that Spark would refuse later.

    Args:
        args: how long the windows are, how far apart, and how much later than 1970 they start.

    Raises:
        ValidationError: a text is no length, or size, slide and start do not fit together.
    """
    known = [_length(arg) for arg in args]
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


def _length(given: ResolvedExpression) -> int:
    """How long an argument of ``window`` is: a text, or a number of microseconds."""
    value = given.value if isinstance(given, Literal) else None
    if type(value) is int:
        return value
    if not isinstance(value, str):
        raise ValidationError(
            f"{given.as_summary_string()} is not the length of a window", hint=HINT
        )
    return microseconds(value)
