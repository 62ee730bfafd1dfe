"""``session_count`` and ``sessionize`` against sessions found in another way.

There, rows of a key are in one session where a chain of rows links them, no two of its neighbours
further apart than the gap; no order, no state.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from tests.expressions.functions.process.builtin.events import (
    EVENTS,
    SCHEMA,
    Event,
    at,
    by_user,
    rows,
    seconds,
)
from viewscribe.errors import ValidationError

P = vs.process
GAPS = st.integers(1, 6)


def found(function: Any, events: list[Event], gap: int) -> list[tuple[Any, ...]]:
    made = P.run(
        function,
        {"input": rows(events)},
        schema=SCHEMA,
        partition_by="user",
        on_time="ts",
        gap=seconds(gap),
    )
    return [tuple(row) for row in made]


def linked(times: set[int], start: int, gap: int) -> set[int]:
    """The times that chains of neighbours reach from one."""
    reached, edge = {start}, {start}
    while edge:
        edge = {time for time in times for one in edge if abs(time - one) <= gap} - reached
        reached |= edge
    return reached


def sessions(events: list[Event], gap: int) -> list[set[int]]:
    times = {event.second for event in events}
    groups = {min(linked(times, time, gap)): linked(times, time, gap) for time in times}
    return [groups[start] for start in sorted(groups)]


@given(EVENTS, GAPS)
def test_sessions_are_counted(events: list[Event], gap: int) -> None:
    def counted(of: list[Event]) -> list[tuple[Any, ...]]:
        return [
            (
                of[0].user,
                at(min(times)),
                at(max(times) + gap),
                sum(event.second in times for event in of),
                at(max(times) + gap),
            )
            for times in sessions(of, gap)
        ]

    assert found(P.session_count, events, gap) == by_user(events, counted)


@given(EVENTS, GAPS)
def test_rows_are_told_their_session(events: list[Event], gap: int) -> None:
    def told(of: list[Event]) -> list[tuple[Any, ...]]:
        groups = sessions(of, gap)
        return [
            (*event.row(), number + 1, at(min(times)), at(event.second))
            for event in of
            for number, times in enumerate(groups)
            if event.second in times
        ]

    assert found(P.sessionize, events, gap) == by_user(events, told)


def test_times_without_a_time_zone_stay_so() -> None:
    local = at(0).replace(tzinfo=None)
    for function in (P.session_count, P.sessionize):
        (made,) = P.run(
            function,
            {"input": [{"user": 1, "ts": local}]},
            partition_by="user",
            on_time="ts",
            gap=seconds(1),
        )
        assert made.session_start == local


@pytest.mark.parametrize("function", [P.session_count, P.sessionize])
@pytest.mark.parametrize("gap", [0, -1])
def test_a_gap_is_above_zero(function: Any, gap: int) -> None:
    with pytest.raises(ValidationError, match="a span of time above zero: gap=timedelta"):
        found(function, [Event(1, 0, 1)], gap)
