"""What a function is told of its call is the same for a tree, for SQL text and for ``run``."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import viewscribe as vs
from viewscribe import ArgumentTrait, col
from viewscribe.spark.functions import register_functions

AT = dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)
SCHEMA = "user INT, ts TIMESTAMP, page STRING"
ROWS = [(1, AT, "a")]
CONSTANTS: dict[str, Any] = {
    "words": ["a", "b"],
    "codes": {"x": 1, "y": 2},
    "moment": AT + dt.timedelta(microseconds=1),
    "span": dt.timedelta(minutes=5, microseconds=3),
}


class Told(vs.ProcessTableFunction[Any]):
    """What it was called with, as text."""

    output_type = "told STRING"

    def eval(
        self,
        ctx: vs.Context,
        input: Annotated[vs.Row, vs.ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
        words: list[str],
        codes: dict[str, int],
        moment: dt.datetime,
        span: dt.timedelta,
    ) -> None:
        """Says it."""
        passed = ctx.set_semantics_for("INPUT")
        call = (
            passed.partition_by_columns(),
            passed.order_by_columns(),
            passed.time_column(),
            passed.co_partition_args(),
        )
        self.collect(repr((*call, words, codes, moment.isoformat(), span)))


def test_tree_text_and_run_tell_the_same(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("told", Told)
    clicks = env.from_values(ROWS, SCHEMA).partition_by("USER").order_by("TS", col("page").desc())
    table = clicks.process("told", on_time="Ts", **CONSTANTS)
    (here,) = vs.process.run(
        Told,
        {"input": ROWS},
        schema=SCHEMA,
        partition_by="user",
        order_by=["ts", col("page").desc()],
        on_time="ts",
        **CONSTANTS,
    )
    assert here.told.startswith("(('user',), ('ts', 'page'), 'ts', (), ['a', 'b'], {'x': 1, 'y'")
    (row,) = table.to_dataframe(spark).select("told").collect()
    assert row.told == here.told
    register_functions(table.operation, spark)
    (row,) = spark.sql(table.to_sql()).select("told").collect()
    assert row.told == here.told
