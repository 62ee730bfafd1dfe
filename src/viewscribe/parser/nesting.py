"""Queries inside queries inside queries: functions of Python call each other as deep."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from viewscribe.errors import SqlSyntaxError

T = TypeVar("T")

_DEEPEST = 200_000


def deeply(make: Callable[[], T]) -> T:
    """What a function gives, however deep what it reads is nested.

    Raises:
        SqlSyntaxError: deeper than Python's own calls go.
    """
    try:
        return make()
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEPEST))
        try:
            return make()
        except RecursionError:
            raise SqlSyntaxError(
                "the text is nested too deep to be read",
                hint="write it with fewer parentheses in one another",
            ) from None
        finally:
            sys.setrecursionlimit(before)
