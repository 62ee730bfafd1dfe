"""How many examples a property draws: few in ``make quick``, and very many in ``make fuzz``."""

from __future__ import annotations

import os

from hypothesis import settings

USUAL = 100
FEW = 40
"""How many are drawn of a hundred where an answer is wanted at once."""


def examples(suite: int, *, fuzz: int | None = None) -> int:
    """The number for this run.

    Args:
        suite: how many ``make test`` draws.
        fuzz: how many ``make fuzz`` draws; as many where it is not given.
    """
    if fuzz is not None and os.environ.get("HYPOTHESIS_PROFILE") == "fuzz":
        return fuzz
    return max(1, suite * (settings.default.max_examples if settings.default else USUAL) // USUAL)
