"""``one_match_join`` against the same said without state: visits, and one match in each."""

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
    rows,
    seconds,
)
from viewscribe.errors import ValidationError

P = vs.process
RIGHT_SCHEMA = "who INT, at TIMESTAMP, price INT"


def found(left: list[Event], right: list[Event], ttl: int) -> list[tuple[Any, ...]]:
    made = P.run(
        P.one_match_join,
        {"left": rows(left), "right": rows(right)},
        schema={"left": SCHEMA, "right": RIGHT_SCHEMA},
        partition_by={"left": "user", "right": "who"},
        on_time=["ts", "at"],
        ttl=seconds(ttl),
    )
    return [tuple(row) for row in made]


def matches(left: list[Event], right: list[Event], ttl: int) -> list[tuple[Any, ...]]:
    """In each visit, the rows between which no more than ``ttl`` passes, at most one pair.

    It is the first row that comes after one of the other table, with the last of those.
    """
    both = [(event.second, side, event) for side, of in enumerate((left, right)) for event in of]
    made = []
    for user in dict.fromkeys(event.user for _, _, event in both):
        of_user = sorted((each for each in both if each[2].user == user), key=lambda each: each[:2])
        visits: list[list[Any]] = []
        for each in of_user:
            if not visits or each[0] - visits[-1][-1][0] > ttl:
                visits.append([])
            visits[-1].append(each)
        for visit in visits:
            first = next((place for place, e in enumerate(visit) if e[1] != visit[0][1]), None)
            if first is not None:
                pair = sorted((visit[first - 1], visit[first]), key=lambda each: each[1])
                made.append((user, user, pair[0][2], pair[1][2], visit[first][0]))
    return made


@given(EVENTS, EVENTS, st.integers(1, 6))
def test_each_visit_has_one_match(left: list[Event], right: list[Event], ttl: int) -> None:
    assert found(left, right, ttl) == [
        (user, user, one.row(), other.row(), at(second))
        for user, _, one, other, second in matches(left, right, ttl)
    ]


def test_both_rows_are_structs() -> None:
    (made,) = P.run(
        P.one_match_join,
        {"left": rows([Event(1, 0, 5)]), "right": rows([Event(1, 3, 7)])},
        schema=SCHEMA,
        partition_by="user",
        on_time="ts",
        ttl=seconds(9),
    )
    assert made.fields == ("user", "user0", "left", "right", "rowtime")
    assert (made.left.n, made.right.n) == (5, 7)


def test_it_lives_for_some_time() -> None:
    with pytest.raises(ValidationError, match=r"`ttl` of OneMatchJoin is datetime.timedelta"):
        found([Event(1, 0, 1)], [Event(1, 0, 1)], 0)
