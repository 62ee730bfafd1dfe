"""How many examples a property draws: the same few at every run, and many in `make fuzz`."""

from __future__ import annotations

import os


def examples(suite: int, *, fuzz: int) -> int:
    """The number for this run."""
    return fuzz if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else suite
