"""``deduplicate`` against the least and the greatest row of each key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import viewscribe as vs
from tests.expressions.functions.process.builtin.events import EVENTS, SCHEMA, Event, by_user, rows
from viewscribe import col
from viewscribe.errors import ValidationError

P = vs.process


def found(events: list[Event], **options: Any) -> list[tuple[Any, ...]]:
    return [
        tuple(row)
        for row in P.run(
            P.deduplicate,
            {"input": rows(events)},
            schema=SCHEMA,
            partition_by="user",
            on_time="ts",
            **options,
        )
    ]


def with_time(event: Event) -> tuple[Any, ...]:
    return (*event.row(), event.row()[1])


@given(EVENTS)
def test_the_first_row_of_each_key(events: list[Event]) -> None:
    assert found(events) == by_user(events, lambda of: [with_time(of[0])])


@given(EVENTS)
def test_the_last_row_of_each_key(events: list[Event]) -> None:
    assert found(events, keep="last") == by_user(events, lambda of: [with_time(of[-1])])


@given(EVENTS)
def test_an_order_decides_between_rows_of_one_time(events: list[Event]) -> None:
    def rank(event: Event) -> tuple[int, bool, int]:  # NULL first, as Spark sorts
        return (event.second, event.n is not None, event.n or 0)

    first = found(events, order_by=["ts", "n"])
    last = found(events, order_by=["ts", "n"], keep="last")
    assert first == by_user(events, lambda of: [with_time(min(of, key=rank))])
    assert [row[:3] for row in last] == by_user(events, lambda of: [max(of, key=rank).row()])


def test_it_is_descending_where_the_order_is() -> None:
    made = found([Event(1, 0, 5), Event(1, 0, 7)], order_by=["ts", col("n").desc()])
    assert [row[2] for row in made] == [7]


def test_columns_come_once_though_keys_come_first() -> None:
    made = P.run(
        P.deduplicate,
        {"input": [{"ts": Event(1, 0, 1).row()[1], "n": 1, "User": 3}]},
        partition_by="user",
        on_time="TS",
    )
    assert made[0].fields == ("User", "ts", "n", "rowtime")


def test_which_row_is_said_in_one_of_two_words() -> None:
    with pytest.raises(
        ValidationError, match=r"`keep` of Deduplicate is 'all'\n.*.first. or .last."
    ):
        found([Event(1, 0, 1)], keep="all")


def test_rows_have_a_time() -> None:
    with pytest.raises(ValidationError, match="requires a time column"):
        P.run(P.deduplicate, {"input": rows([Event(1, 0, 1)])}, schema=SCHEMA, partition_by="user")


def test_an_object_is_used_for_tables_of_other_columns() -> None:
    function = P.Deduplicate()
    one = P.run(
        function,
        {"input": rows([Event(1, 0, 5)])},
        schema=SCHEMA,
        partition_by="user",
        on_time="ts",
    )
    (other,) = P.run(
        function,
        {"input": [{"n": 7, "place": "a", "at": Event(1, 0, 1).row()[1]}]},
        partition_by="place",
        on_time="at",
    )
    assert [tuple(row[:3]) for row in one] == [Event(1, 0, 5).row()]
    assert other.as_dict() == {"place": "a", "n": 7, "at": other.at, "rowtime": other.at}
