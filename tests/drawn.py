"""How many examples a property draws: ``make quick`` draws fewer than ``make test``."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
FEW = 40


def examples(count: int) -> int:
    """So many, or as great a part of them as the profile of the run asks for."""
    return max(1, count * (settings.default.max_examples if settings.default else USUAL) // USUAL)
