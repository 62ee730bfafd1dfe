"""Queries inside queries inside queries: functions of Python call each other as deep."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_DEEPEST = 200_000


def deeply(make: Callable[[], T]) -> T:
    """What a function gives, however deep what it reads is nested."""
    try:
        return make()
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEPEST))
        try:
            return make()
        finally:
            sys.setrecursionlimit(before)
