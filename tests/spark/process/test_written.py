"""Calls that someone wrote as SQL text: what a tree would refuse, and rows that come otherwise.

``analyze`` and the partitions are called as Spark's worker calls them, without Spark.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as spark
from pyspark.sql.udtf import AnalyzeArgument

import viewscribe as vs
from tests.process_functions import CountRows, CountWithTimeout
from viewscribe import ArgumentTrait, col
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.nodes import Process
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.driver import ProcessFunctionError
from viewscribe.spark.process.table_function import _handler
from viewscribe.spark.process.tasks import call_plan
from viewscribe.spark.types import schema_from_spark, schema_to_spark, to_spark

T = ArgumentTrait
AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
CLICKS = spark.StructType(
    [
        spark.StructField("visitor", spark.StringType()),
        spark.StructField("ts", spark.TimestampType()),
        spark.StructField("size", spark.DoubleType()),
    ]
)


@dataclass
class Click:
    """A row of two columns."""

    visitor: str
    size: int


class Wanting(vs.ProcessTableFunction[Any]):
    """Wants columns, and a constant."""

    output_type = "x STRING"

    def eval(
        self, input: Annotated[Click, vs.ArgumentHint(T.TABLE_AS_SET)], most: int, least: int = 0
    ) -> None:
        self.collect((repr(input),))


class Lasting(vs.ProcessTableFunction[Any]):
    """Has state that ends."""

    output_type = "x STRING"

    def eval(
        self,
        seen: Annotated[vs.ListState[int], vs.StateHint(ttl=dt.timedelta(hours=1))],
        input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET)],
    ) -> None:
        seen.add(1)


class Loose(vs.ProcessTableFunction[Any]):
    """Its rows may be one partition."""

    output_type = "n BIGINT"

    def eval(
        self,
        seen: vs.ListState[int],
        input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.OPTIONAL_PARTITION_BY)],
    ) -> None:
        seen.add(1)

    def finish(self, seen: vs.ListState[int]) -> None:
        self.collect(len(seen))


def constant(value: Any, type_: spark.DataType) -> AnalyzeArgument:
    return AnalyzeArgument(type_, value, isTable=False, isConstantExpression=True)


def number(value: int) -> AnalyzeArgument:
    return constant(value, spark.LongType())


def texts(*values: str) -> AnalyzeArgument:
    return constant(list(values), spark.ArrayType(spark.StringType()))


CLICKS_TABLE = AnalyzeArgument(CLICKS, None, isTable=True, isConstantExpression=False)


def at(minute: int) -> dt.datetime:
    return AT + dt.timedelta(minutes=minute)


def called(
    function: Any, partitions: list[list[tuple[Any, ...]]], *args: Any, **named: Any
) -> list[tuple[Any, ...]]:
    """The rows for the partitions that Spark would make."""
    handler: Any = _handler(function)
    analysis = handler.analyze(*args, **named)
    found = []
    for rows in partitions:
        partition = handler(analysis)
        for made in (*partition.eval(batch_of(rows)), *partition.terminate()):
            found += [tuple(row.values()) for row in made.to_pylist()]
    return found


def batch_of(rows: list[tuple[Any, ...]], **more: list[Any]) -> Any:
    columns = {
        field.name: pa.array([row[place] for row in rows], to_arrow(field.type))
        for place, field in enumerate(schema_from_spark(CLICKS))
    }
    return pa.RecordBatch.from_pydict({**columns, **more})


class ArrowUDTFWithPartition:
    """As Spark's worker begins with a table function of a call with PARTITION BY."""

    def __init__(self, create_udtf: Any, partition_child_indexes: list[int]) -> None:
        self._udtf = create_udtf()
        self._partition_child_indexes = partition_child_indexes

    def eval(self, batch: Any) -> Any:
        raise AssertionError("the batch is cut")

    def terminate(self) -> Any:
        raise AssertionError("the batches were cut")


def called_whole(
    function: Any,
    partitions: list[list[tuple[Any, ...]]],
    *args: Any,
    size: int = 2,
    **named: Any,
) -> list[tuple[Any, ...]]:
    """The same, the batches as the worker reads them: of a size, the partitions by a column."""
    handler: Any = _handler(function)
    analysis = handler.analyze(*args, **named)
    worker = ArrowUDTFWithPartition(lambda: handler(analysis), [len(CLICKS)])
    rows = [(row, number) for number, each in enumerate(partitions) for row in each]
    found = []
    for start in range(0, len(rows), size):
        some = rows[start : start + size]
        batch = batch_of([row for row, _ in some], partition_by_0=[number for _, number in some])
        found += list(worker.eval(batch))
    found += list(worker.terminate())
    return [tuple(row.values()) for made in found for row in made.to_pylist()]


ANN, BOB = [("ann", at(1), 1.0), ("ann", at(5), 1.0)], [("bob", at(0), 2.0)]
KEYS = texts("visitor")


def test_names_are_found_whatever_their_case() -> None:
    found = called(
        CountWithTimeout, [ANN, BOB], input=CLICKS_TABLE, on_time=texts("TS"), keys=texts("VISITOR")
    )
    assert found == [("ann", 1, at(2)), ("ann", 1, at(6)), ("bob", 1, at(1))]


@pytest.mark.parametrize(
    ("function", "args", "named", "message"),
    [
        (CountRows, (), {}, "`keys` does not say by what it is partitioned"),
        (CountRows, (), {"keys": texts("size")}, "the key size is DOUBLE"),
        (CountRows, (), {"keys": texts("nobody")}, "keys names `nobody`"),
        (CountRows, (), {"keys": KEYS, "on_time": texts("tss")}, "on_time names the column `tss`"),
        (CountRows, (), {"keys": KEYS, "on_time": texts("visitor")}, "`visitor` is STRING"),
        (CountRows, (), {"keys": KEYS, "on_time": texts("ts", "size")}, "names two columns"),
        (
            CountRows,
            (CLICKS_TABLE, number(1)),
            {"keys": KEYS},
            "2 arguments by position, and takes 1",
        ),
        (CountRows, (CLICKS_TABLE,), {"input": CLICKS_TABLE, "keys": KEYS}, "`input` twice"),
        (vs.process.sessionize, (), {"keys": KEYS}, "without the argument `gap`"),
        (vs.process.deduplicate, (), {"keys": KEYS}, "requires a time column"),
        (Wanting, (), {"keys": KEYS}, "without the argument `most`"),
        (Wanting, (), {"keys": KEYS, "most": number(1)}, "columns of other types"),
        (Lasting, (), {"keys": KEYS}, "lives for 1:00:00 of event time"),
    ],
)
def test_what_a_tree_would_refuse_is_refused(
    function: Any, args: tuple[Any, ...], named: dict[str, Any], message: str
) -> None:
    given = named if args else {"input": CLICKS_TABLE, **named}
    implementation = getattr(function, "source", None)
    with pytest.raises(ViewscribeError, match=message):
        called(implementation.implementation if implementation else function, [], *args, **given)


def test_rows_that_do_not_come_in_the_order_of_time_are_refused() -> None:
    named = {"input": CLICKS_TABLE, "on_time": texts("ts"), "keys": KEYS}
    with pytest.raises(ProcessFunctionError, match="do not come in the order of `ts`") as caught:
        called(CountWithTimeout, [ANN[::-1]], **named)
    assert "write ORDER BY (ts)" in str(caught.value)
    assert called(CountWithTimeout, [ANN, BOB], **named)  # the next partition begins anew


@pytest.mark.parametrize(
    ("function", "keys", "partitions", "message"),
    [
        (CountRows, KEYS, [ANN + BOB], "fewer columns than `keys`"),
        (CountRows, KEYS, [ANN[:1], ANN[1:]], "more columns than `keys`"),
        (Loose, None, [ANN, BOB], "more columns than `keys`"),
        (Loose, KEYS, [ANN + BOB], "fewer columns than `keys`"),
    ],
)
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_keys_that_are_not_those_of_the_partitions_are_refused(
    function: Any, keys: Any, partitions: Any, message: str, size: int
) -> None:
    """Whether Spark's worker cuts its batches, or hands them over whole."""
    named = {"input": CLICKS_TABLE, **({} if keys is None else {"keys": keys})}
    call = partial(called_whole, size=size) if size else called
    with pytest.raises(ProcessFunctionError, match=message):
        call(function, partitions, **named)


@given(
    st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=6), max_size=6),
    st.integers(1, 7),
)
def test_whole_batches_give_what_partitions_give(minutes: list[list[int]], size: int) -> None:
    partitions: list[list[tuple[Any, ...]]] = [
        [(None if number == 2 else f"v{number}", at(minute), 1.0) for minute in sorted(each)]
        for number, each in enumerate(minutes)
    ]
    named = {"input": CLICKS_TABLE, "on_time": texts("ts"), "keys": KEYS}
    expected = called(CountWithTimeout, partitions, **named)
    assert called_whole(CountWithTimeout, partitions, size=size, **named) == expected


def test_one_partition_needs_no_keys() -> None:
    assert called(Loose, [ANN + BOB], input=CLICKS_TABLE) == [(3,)]


def test_a_function_is_closed_when_the_next_task_begins() -> None:
    said: list[str] = []

    class Saying(CountRows):
        def open(self) -> None:
            said.append("open")

        def close(self) -> None:
            said.append("close")

    handler: Any = _handler(Saying)
    analysis = handler.analyze(input=CLICKS_TABLE, keys=KEYS)
    for _ in range(3):
        handler(analysis)
        handler(analysis)
        handler.task = None  # what reading the class anew in a worker does
    assert said == ["open", "close", "open", "close", "open"]


def test_a_wrong_constant_is_named() -> None:
    with pytest.raises(ValidationError, match="`keep` of Deduplicate is BIGINT, and takes STRING"):
        called(
            vs.process.Deduplicate,
            [],
            input=CLICKS_TABLE,
            keys=KEYS,
            on_time=texts("ts"),
            keep=number(1),
        )


# -- what a tree says ------------------------------------------------------------------------------


class Nested(vs.ProcessTableFunction[Any]):
    """Its keys may be fields."""

    output_type = "n BIGINT"

    def eval(
        self,
        input: Annotated[
            vs.Row,
            vs.ArgumentHint(
                T.TABLE_AS_SET, T.SUPPORTS_NESTED_PARTITION_BY, T.SUPPORTS_NESTED_ORDER_BY
            ),
        ],
    ) -> None: ...


class Ordered(vs.ProcessTableFunction[Any]):
    """Wants an order."""

    output_type = "n BIGINT"

    def eval(
        self, input: Annotated[Click, vs.ArgumentHint(T.TABLE_AS_SET, T.REQUIRES_ORDER_BY)]
    ) -> None: ...


COLUMNS = (
    "visitor STRING, ts TIMESTAMP, size BIGINT, op STRING, "
    "s STRUCT<x: STRING, by_name: MAP<STRING, INT>>, x STRING"
)
HOUR = dt.timedelta(hours=1)


def calls(t: Any) -> dict[str, vs.Table]:
    """Calls of all kinds."""
    by_visitor = t.partition_by("visitor")
    left, right = by_visitor.as_argument("left"), t.partition_by("x").copartition_with("left")
    on_both = {"ttl": HOUR, "on_time": "ts"}
    process = vs.process
    return {
        "deduplicate": by_visitor.process(process.deduplicate, on_time="ts", keep="last"),
        "sessions": by_visitor.process(process.session_count, on_time="ts", gap=HOUR),
        "passing": by_visitor.process(process.sessionize, on_time="ts", gap=HOUR),
        "rows": t.env.from_call(vs.call(process.to_changelog, t, op="change")),
        "one partition": t.env.from_call(vs.call(process.from_changelog, t)),
        "two tables": t.env.from_call(
            vs.call(process.one_match_join, left, right.as_argument("right"), **on_both)
        ),
        "a field": t.partition_by(col("s").get("x")).order_by(col("s").get("x")).process(Nested),
        "two keys": t.partition_by("x", col("s").get("x")).process(Nested, on_time="ts"),
        "ordered": by_visitor.order_by("size").process(Ordered),
        "ordered in time": by_visitor.order_by("ts", "size").process(Ordered, on_time="ts"),
    }


NAMES = ("deduplicate", "sessions", "passing", "rows", "one partition", "two tables", "a field")


@pytest.mark.parametrize("name", [*NAMES, "two keys", "ordered", "ordered in time"])
def test_what_a_tree_says_gives_the_columns_of_the_tree(name: str) -> None:
    env = vs.TableEnvironment()
    env.create_table("t", COLUMNS)
    node = calls(env.from_path("t"))[name].operation
    assert isinstance(node, Process)
    table = spark.StructType(schema_to_spark(node.child.schema.fields).fields)
    named = {
        "tables" if node.is_tagged else node.tables[0]: AnalyzeArgument(
            table, None, isTable=True, isConstantExpression=False
        ),
        "on_time": texts(*node.on_time) if node.on_time else None,
        "keys": texts(*node.key_names) if node.key_names else None,
        "order_keys": texts(*node.order_by) if len(node.order) > len(node.on_time) else None,
    }
    for argument, value in zip(node.arguments, node.args, strict=True):
        assert isinstance(value, Literal)
        named[argument] = constant(value.value, to_spark(value.type))
    given = {argument: value for argument, value in named.items() if value is not None}
    implementation = node.function.source.implementation  # type: ignore[attr-defined]
    analysis = _handler(implementation).analyze(**given)  # type: ignore[attr-defined]
    assert analysis.plan.fields == node.fields
    tree = call_plan(node)
    assert analysis.plan.key_paths == tree.key_paths
    assert analysis.plan.sources == tree.sources
    assert analysis.plan.time_name == tree.time_name


def test_text_says_which_field_is_the_key_beside_a_column_of_its_name() -> None:
    env = vs.TableEnvironment()
    env.create_table("t", COLUMNS)
    env.create_temporary_system_function("nested", Nested)
    made = env.from_path("t").partition_by(col("s").get("x"), "visitor").process("nested")
    assert made.schema.names == ("x", "visitor", "n")
    assert "PARTITION BY (s.x, visitor),\n  keys => array('s.x', 'visitor')" in made.to_sql()
