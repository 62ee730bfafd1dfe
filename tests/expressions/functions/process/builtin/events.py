"""Rows with keys and times, as hypothesis draws them, for the tests of built-in functions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

START = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
SCHEMA = "user INT, ts TIMESTAMP, n INT"

T = TypeVar("T")


class Event(NamedTuple):
    """A row: its key, its time in seconds, and what else it holds."""

    user: int | None
    second: int
    n: int | None

    def row(self) -> tuple[Any, ...]:
        return (self.user, at(self.second), self.n)


def at(second: int) -> dt.datetime:
    return START + dt.timedelta(seconds=second)


def seconds(count: int) -> dt.timedelta:
    return dt.timedelta(seconds=count)


EVENTS = st.lists(
    st.builds(
        Event,
        st.sampled_from([1, 2, None]),
        st.integers(0, 20),
        st.sampled_from([None, 0, 1, 2, 3]),
    ),
    max_size=14,
)
"""Few keys and few times, so that rows share them."""


def rows(events: Sequence[Event]) -> list[tuple[Any, ...]]:
    return [event.row() for event in events]


def by_user(events: Sequence[Event], of: Callable[[list[Event]], list[T]]) -> list[T]:
    """What ``of`` makes of the rows of each key in time, the keys in the order they came in."""
    users = list(dict.fromkeys(event.user for event in events))
    return [
        made
        for user in users
        for made in of(
            sorted((e for e in events if e.user == user), key=lambda event: event.second)
        )
    ]
