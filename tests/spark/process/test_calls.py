"""What a function may not rely on: constants that it changes, timers and ends without time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe import ArgumentTrait, call
from viewscribe.errors import ValidationError
from viewscribe.operations.nodes import Process
from viewscribe.types.ddl import parse_type

T = ArgumentTrait
AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
Set = Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET)]


class Changing(vs.ProcessTableFunction[Any]):
    """Changes its constants."""

    output_type = "told STRING"

    def eval(self, input: Set, words: list[str], codes: dict[str, list[int]]) -> None:
        self.collect(repr((words, codes)))
        words.append("more")
        codes["a"].append(1)
        codes["b"] = []


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_every_row_is_given_the_constants_of_the_call(keys: list[int]) -> None:
    words, codes = ["x"], {"a": [0]}
    rows = [{"k": key} for key in keys]
    found = vs.process.run(Changing, {"input": rows}, partition_by="k", words=words, codes=codes)
    assert {row.told for row in found} == {repr((words, codes))}
    assert len(found) == len(keys)


class Waiting(vs.ProcessTableFunction[Any]):
    """Has timers."""

    output_type = "n INT"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        ctx.timers().register_on_time("a", AT)

    def on_timer(self) -> None: ...


def test_a_call_without_time_has_no_timers() -> None:
    with pytest.raises(ValidationError, match="its call names no time") as caught:
        vs.process.run(Waiting, {"input": [{"k": 1}]}, partition_by="k")
    assert 'on_time=descriptor("ts")' in str(caught.value)


@dataclass(slots=True, eq=False)
class Held:
    """State that compares like nothing else."""

    n: int = 0


class Lasting(vs.ProcessTableFunction[Any]):
    """Counts, and forgets after an hour without a change."""

    output_type = "n INT"

    def eval(
        self,
        held: Annotated[Held, vs.StateHint(ttl=dt.timedelta(hours=1))],
        input: Set,
    ) -> None:
        if input.counts:
            held.n += 1
        self.collect(held.n)


def test_a_call_without_time_has_no_state_that_ends() -> None:
    env = vs.TableEnvironment()
    table = env.from_values([(1, True)], "k INT, counts BOOLEAN")
    with pytest.raises(ValidationError, match="`held` of Lasting lives for 1:00:00 of event time"):
        env.from_call(call(Lasting, table.partition_by("k").as_argument("input")))


def test_state_that_is_read_alone_ends_whatever_class_it_is_of() -> None:
    rows = [(1, AT + dt.timedelta(minutes=minute), minute == 0) for minute in (0, 40, 80)]
    found = vs.process.run(
        Lasting,
        {"input": rows},
        schema="k INT, ts TIMESTAMP, counts BOOLEAN",
        partition_by="k",
        on_time="ts",
    )
    assert [row.n for row in found] == [1, 1, 0]


def test_a_table_is_not_called_like_a_column_of_several_in_one() -> None:
    class Both(vs.ProcessTableFunction[Any]):
        output_type = "n INT"

        def eval(
            self,
            left: Annotated[vs.Row | None, vs.ArgumentHint(T.TABLE_AS_SET, name="__time")],
            right: Set | None,
        ) -> None: ...

    with pytest.raises(ValidationError, match="declares the table `__time`"):
        vs.process.run(Both, {"__time": [{"k": 1}], "right": [{"k": 1}]}, partition_by="k")


def test_the_keys_of_tables_in_one_may_be_null_where_one_of_them_may() -> None:
    class Both(vs.ProcessTableFunction[Any]):
        output_type = "n INT"

        def eval(self, left: Set | None, right: Set | None) -> None: ...

    env = vs.TableEnvironment()
    left = env.from_values([(1,)], "k INT").partition_by("k").as_argument("left")
    right = env.from_values([(None,)], "other INT").partition_by("other").copartition_with("left")
    made = env.from_call(call(Both, left, right.as_argument("right")))
    assert isinstance(made.operation, Process)
    key = made.operation.child.schema.fields[0]
    assert (key.name, key.type) == ("__key", parse_type("STRUCT<k: INT>").not_null())
