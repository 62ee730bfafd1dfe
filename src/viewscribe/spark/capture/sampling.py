"""Fractions of rows as the numbers of percent that SQL takes."""

from __future__ import annotations

import math

from viewscribe.errors import CaptureError


def percent_of(fraction: float) -> float:
    """The number of percent that Spark, dividing it by 100, reads as just the fraction.

    Raises:
        CaptureError: there is none, as for a few fractions of many digits.
    """
    for digits in (10, 12, 14):
        percent = round(fraction * 100, digits)
        if percent / 100 == fraction:
            return percent
    near = fraction * 100
    for percent in (near, math.nextafter(near, 0), math.nextafter(near, math.inf)):
        if percent / 100 == fraction:
            return percent
    raise CaptureError(
        f"no number of percent is exactly the fraction {fraction!r}",
        hint="sample a fraction of fewer digits",
    )
