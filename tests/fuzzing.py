"""How many examples a property draws: few and always the same, but new ones in ``make fuzz``."""

from __future__ import annotations

import os

FEW = 40
MANY = 10
"""How many times as many ``make fuzz`` draws."""


def examples(suite: int, *, fuzz: int | None = None) -> int:
    """The number for this run.

    Args:
        suite: how many the tests draw.
        fuzz: how many ``make fuzz`` draws; ten times as many where it is not given.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz":
        return fuzz or MANY * suite
    return suite
