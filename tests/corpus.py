"""How much of the corpora is run: a part of them in the suite, all of them by ``make corpus``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

WHOLE = os.environ.get("VIEWSCRIBE_CORPUS") == "all"


def chosen(items: Iterable[T], every: int) -> list[T]:
    """One of ``every`` items, always the same; all of them where the whole corpus is run."""
    return list(items) if WHOLE else list(islice(items, 0, None, every))
