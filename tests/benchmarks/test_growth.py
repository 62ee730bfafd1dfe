"""Longer pipelines cost as much more as they are longer: in calls, not in time."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

import pytest

from benchmarks.growth import AIM, WORKS, Work

T = TypeVar("T")


def count_calls(run: Callable[[], T]) -> tuple[T, int]:
    """What a function returns, and how many calls of Python and of C it makes."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()  # what it runs belongs to others
    sys.setprofile(count)
    try:
        made = run()
    finally:
        sys.setprofile(before)
        gc.enable()
    return made, calls


@pytest.mark.slow("work of two sizes")
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.title)
def test_work_grows_as_pipelines_do(work: Work) -> None:
    small = work.sizes[0]
    large = min(4 * small, work.sizes[-1])
    work.make(2).to_sql()  # imports, and what is found out once
    counts = []
    for size in (small, large):
        table, building = count_calls(lambda size=size: work.make(size))  # type: ignore[misc]
        _, printing = count_calls(table.to_sql)
        counts.append((building, printing))
    for before, after in zip(*counts, strict=True):
        assert math.log(after / before) / math.log(large / small) <= AIM
