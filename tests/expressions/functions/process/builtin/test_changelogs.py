"""``timed_last_value``, ``to_changelog`` and ``from_changelog``: against sets, and round trips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
)
from viewscribe.errors import ValidationError
from viewscribe.spark.process.driver import ProcessFunctionError

P = vs.process
CODES = {"INSERT": "c", "+U": "u", "-D": "d"}
MEANINGS = {"c": "INSERT", "u": "+U", "d": "DELETE"}


def changes(events: list[Event]) -> list[vs.Row]:
    return P.run(
        P.timed_last_value,
        {"input": rows(events)},
        schema=SCHEMA,
        partition_by="user",
        on_time="ts",
    )


def first_of_each_time(of: list[Event]) -> list[Event]:
    return list({event.second: event for event in reversed(of)}.values())[::-1]


@given(EVENTS)
def test_a_later_row_takes_the_one_before_back(events: list[Event]) -> None:
    def said(of: list[Event]) -> list[tuple[Any, ...]]:
        made: list[tuple[Any, ...]] = []
        before = None
        for event in first_of_each_time(of):
            user, time, n = event.row()
            if before is not None:
                made.append((user, "-U", *before, time))
            made.append((user, "+I" if before is None else "+U", time, n, time))
            before = (time, n)
        return made

    assert [tuple(row) for row in changes(events)] == by_user(events, said)


@given(EVENTS, st.randoms(use_true_random=False))
def test_a_changelog_leaves_the_last_rows_behind_in_any_order(
    events: list[Event], random: Any
) -> None:
    log = changes(events)
    random.shuffle(log)
    left = P.run(
        P.from_changelog,
        {"input": [tuple(row) for row in log]},
        schema="user INT, op STRING, ts TIMESTAMP, n INT, rowtime TIMESTAMP",
        partition_by="user",
        on_time="rowtime",
    )
    wanted = by_user(events, lambda of: [first_of_each_time(of)[-1]])
    assert Counter(map(tuple, left)) == Counter((*e.row(), at(e.second)) for e in wanted)


VALUES = st.one_of(
    st.none(),
    st.sampled_from([0.0, -0.0, 1.5, float("nan")]),
)
CHANGES = st.lists(st.tuples(VALUES, st.lists(st.sampled_from("ab"), max_size=2)), max_size=12)
COLUMNS = "op STRING, x DOUBLE, tags ARRAY<STRING>"


def same(value: Any) -> str:
    return repr((None if value[0] is None else value[0] + 0.0, list(value[1])))


@given(CHANGES, CHANGES, st.randoms(use_true_random=False))
def test_rows_are_a_bag_without_keys(stay: list[Any], go: list[Any], random: Any) -> None:
    """Of any types: NaN is NaN, zero has no sign."""
    log = [("+I", *row) for row in stay] + [
        (op, *row) for row in go for op in random.choice([("+I", "-D"), ("+U", "-U")])
    ]
    random.shuffle(log)
    left = P.run(P.from_changelog, {"input": log}, schema=COLUMNS)
    assert Counter(map(same, left)) == Counter(map(same, stay))


@given(CHANGES, st.data())
def test_what_was_never_added_is_not_taken_back(stay: list[Any], data: Any) -> None:
    row = data.draw(CHANGES.filter(bool))[0]
    many = sum(same(row) == same(each) for each in stay) + 1
    log = [("+I", *each) for each in stay] + [("-D", *row)] * many
    with pytest.raises(ProcessFunctionError, match="back 1 times more than it adds it"):
        P.run(P.from_changelog, {"input": log}, schema=COLUMNS)


@given(EVENTS)
def test_an_upsert_is_the_last_row_of_each_key(events: list[Event]) -> None:
    schema = f"op STRING, {SCHEMA}"
    log = P.run(P.to_changelog, {"input": rows(events)}, schema=SCHEMA)
    assert [tuple(row) for row in log] == [("+I", *event.row()) for event in events]
    left = P.run(
        P.from_changelog,
        {"input": [tuple(row) for row in log]},
        schema=schema,
        partition_by="user",
        on_time="ts",
        upsert=True,
    )
    last = P.run(
        P.deduplicate,
        {"input": rows(events)},
        schema=SCHEMA,
        partition_by="user",
        on_time="ts",
        keep="last",
    )
    assert [(r.user, r.n, r.rowtime) for r in left] == [(r.user, r.n, r.ts) for r in last]


def test_an_upsert_forgets_what_is_deleted() -> None:
    log = [("c", 1, at(0), 5), ("d", 1, at(1), None), ("c", 2, at(0), 6), ("u", 2, at(1), 7)]
    left = P.run(
        P.from_changelog,
        {"input": log},
        schema=f"op STRING, {SCHEMA}",
        partition_by="user",
        on_time="ts",
        op_mapping=MEANINGS,
        upsert=True,
    )
    assert [tuple(row) for row in left] == [(2, 7, at(1))]


@given(EVENTS)
def test_operations_have_the_words_of_the_caller(events: list[Event]) -> None:
    log = changes(events)
    schema = "user INT, op STRING, ts TIMESTAMP, n INT, rowtime TIMESTAMP"
    made = P.run(
        P.to_changelog,
        {"input": [tuple(row) for row in log]},
        schema=schema,
        op="change",
        op_mapping=CODES,
    )
    words = {"+I": "c", "+U": "u"}
    assert [tuple(row) for row in made] == [
        (words[row.op], row.user, row.ts, row.n, row.rowtime) for row in log if row.op in words
    ]


def test_the_operation_comes_first_and_is_not_hidden_by_another_column() -> None:
    (made,) = P.run(P.to_changelog, {"input": [{"a": 1, "Op": "-D"}]}, op="kind")
    assert made.as_dict() == {"kind": "-D", "a": 1}
    with pytest.raises(ValidationError, match=r'has a column `A` already\n.*op="change"'):
        P.run(P.to_changelog, {"input": [{"a": 1}]}, op="A")


def test_an_operation_is_a_text_of_four() -> None:
    with pytest.raises(ProcessFunctionError, match="`op` of the input is 'x', which is no op"):
        P.run(P.to_changelog, {"input": [{"op": "x"}]})
    with pytest.raises(ValidationError, match="`op` of the input of ToChangelog is INT"):
        P.run(P.to_changelog, {"input": [{"op": 1}]})
    with pytest.raises(ProcessFunctionError, match="'c' in the column `op` is no operation"):
        P.run(P.from_changelog, {"input": [{"op": "c", "a": 1}]})


@pytest.mark.parametrize(
    ("function", "mapping", "part"),
    [
        (P.to_changelog, {"UPDATE": "u"}, "a key of op_mapping is 'UPDATE', which is no"),
        (P.from_changelog, {"u": "UPDATE"}, "a value of op_mapping is 'UPDATE', which is no"),
    ],
)
def test_a_mapping_names_operations(function: Any, mapping: dict[str, str], part: str) -> None:
    with pytest.raises(ValidationError, match=f"{part} operation\n.*-U .UPDATE_BEFORE."):
        P.run(function, {"input": [{"op": "+I"}]}, op_mapping=mapping)


@pytest.mark.parametrize(
    ("keys", "time", "lacking"),
    [(None, "ts", "PARTITION BY the key"), ("user", None, "on_time, by which the last row counts")],
)
def test_an_upsert_needs_a_key_and_a_time(keys: Any, time: Any, lacking: str) -> None:
    rows: Sequence[Any] = [("+I", *Event(1, 0, 1).row())]
    with pytest.raises(ValidationError, match=f"with upsert needs {lacking}"):
        P.run(
            P.from_changelog,
            {"input": rows},
            schema=f"op STRING, {SCHEMA}",
            partition_by=keys,
            on_time=time,
            upsert=True,
        )


def test_a_changelog_has_its_column() -> None:
    with pytest.raises(ValidationError, match=r"no text column `op`.*\n.*\n.*did you mean: opp"):
        P.run(P.from_changelog, {"input": [{"opp": "+I"}]})


def test_an_operation_has_one_word() -> None:
    mapping = {"INSERT": "a", "+I": "b"}
    with pytest.raises(ValidationError, match=r"two words for \+I: 'b' and 'a'"):
        vs.process.run(vs.process.to_changelog, {"input": [{"k": 1}]}, op_mapping=mapping)


@pytest.mark.parametrize("name", [None, ""])
@pytest.mark.parametrize("function", [vs.process.to_changelog, vs.process.from_changelog])
def test_the_operation_is_a_column_with_a_name(function: Any, name: str | None) -> None:
    with pytest.raises(ValidationError, match=r"the argument `op` of .* is (None|'')"):
        vs.process.run(function, {"input": [{"op": "+I", "k": 1}]}, op=name)
