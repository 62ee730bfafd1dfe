"""A CASE that grows branch by branch keeps its arguments once, and never shows it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.expressions.properties import Branches, add_branch


@given(st.lists(st.tuples(st.integers(0, 99), st.lists(st.integers(), max_size=2)), max_size=60))
def test_each_is_as_if_it_had_been_made_alone(steps: list[tuple[int, list[int]]]) -> None:
    known: list[tuple[Any, tuple[int, ...]]] = [(tuple(range(40)), tuple(range(40)))]
    for origin, more in steps:
        args, before = known[origin % len(known)]
        known.append((add_branch(args, tuple(more)), (*before, *more)))
    for args, alone in known:
        assert len(args) == len(alone)
        assert tuple(args) == alone
        assert args[-1] == alone[-1]
        assert args[::-1] == alone[::-1]
        assert args[:20] == alone[:20]
        assert repr(args) == repr(alone)
        with pytest.raises(IndexError):
            args[len(alone)]


def test_the_arguments_are_kept_once() -> None:
    items = [0] * 40
    args: Any = Branches(items, 40)
    for number in range(100):
        args = add_branch(args, (number, number))
    assert len(args) == 240
    assert len(items) == 240


def test_two_cases_go_on_from_one() -> None:
    env = TableEnvironment()
    env.create_table("t", "v INT")
    case = F.when(col("v") == 0, 0)
    for number in range(1, 30):
        case = case.when(col("v") == number, number)
    one, other = case.when(col("v") > 90, 90), case.when(col("v") > 80, 80).otherwise(-1)
    texts = [env.from_path("t").select(each.alias("x")).to_sql() for each in (one, other, case)]
    shown = [("THEN 90" in text, "THEN 80" in text) for text in texts]
    assert shown == [(True, False), (False, True), (False, False)]
    assert [text.count("THEN") for text in texts] == [31, 31, 30]
