"""Very long and very deep pipelines: no recursion errors, and text that grows linearly.

Each pipeline is made in two sizes, the larger twice the smaller. Nothing here is timed.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import reduce
from operator import or_ as either

import pytest

from tests.corpus import WHOLE
from viewscribe import Table, TableEnvironment, col, or_

Pipeline = Callable[[Table, int], Table]


def filters(table: Table, count: int) -> Table:
    return reduce(lambda before, number: before.filter(col("id") > number), range(count), table)


def replaced_columns(table: Table, count: int) -> Table:
    step = (col("id") + 1).alias("id")
    return reduce(lambda before, _: before.add_or_replace_columns(step), range(count), table)


def added_columns(table: Table, count: int) -> Table:
    table = table.add_or_replace_columns((col("id") + 1).alias("c0"))
    for number in range(1, count):
        table = table.add_or_replace_columns((col(f"c{number - 1}") + 1).alias(f"c{number}"))
    return table


def unions(table: Table, count: int) -> Table:
    branches = (table.filter(col("id") > number) for number in range(count))
    return reduce(Table.union_all, branches)


def chained_or(table: Table, count: int) -> Table:
    return table.filter(reduce(either, [col("id") == number for number in range(count)]))


def one_or(table: Table, count: int) -> Table:
    return table.filter(or_(*[col("id") == number for number in range(count)]))


def nested_calls(table: Table, count: int) -> Table:
    nested = reduce(lambda inside, _: inside.upper(), range(count), col("kind"))
    return table.select(nested.alias("kind"))


LONG = 10_000 if WHOLE else 2_000
"""Longer than Python recurses: ten times as long in the corpus."""

PIPELINES: dict[Pipeline, int] = {
    filters: LONG,
    replaced_columns: LONG // 2,
    added_columns: LONG // 2,
    unions: LONG // 2,
    chained_or: LONG,
    one_or: LONG,
    nested_calls: 300,
}


@pytest.fixture(params=PIPELINES, ids=lambda pipeline: pipeline.__name__)
def pipeline(request: pytest.FixtureRequest) -> Pipeline:
    chosen: Pipeline = request.param
    return chosen


@pytest.fixture(scope="module")
def table() -> Table:
    env = TableEnvironment()
    env.create_table("events", "id INT, kind STRING, day DATE")
    return env.from_path("events")


@pytest.fixture(autouse=True)
def default_recursion_limit() -> None:
    assert sys.getrecursionlimit() == 1_000


def test_equal_trees_compare_hash_and_serialize_alike(pipeline: Pipeline, table: Table) -> None:
    count = PIPELINES[pipeline]
    one, other = pipeline(table, count).operation, pipeline(table, count).operation
    assert one == other
    assert hash(one) == hash(other)
    assert one.as_serializable_string() == other.as_serializable_string()
    assert one != pipeline(table, count - 1).operation


def test_pickling_gives_the_equal_tree(pipeline: Pipeline, table: Table) -> None:
    operation = pipeline(table, PIPELINES[pipeline]).operation
    copy = pickle.loads(pickle.dumps(operation))
    assert copy == operation
    assert copy.schema == operation.schema


def test_a_plan_document_gives_the_equal_tree(pipeline: Pipeline, table: Table) -> None:
    made = pipeline(table, PIPELINES[pipeline])
    assert Table.from_plan(table.env, made.to_plan()).equals(made)


def test_printing(pipeline: Pipeline, table: Table) -> None:
    made = pipeline(table, PIPELINES[pipeline])
    summary = made.as_summary_string()
    assert "CatalogSource(table: spark_catalog.default.events" in summary
    assert repr(made.operation) == summary[:2000] + (" …" if len(summary) > 2000 else "")
    assert repr(made) == f"Table({made.schema})"


def test_text_grows_linearly(pipeline: Pipeline, table: Table) -> None:
    count = PIPELINES[pipeline]
    half, whole = (pipeline(table, size).to_sql() for size in (count // 2, count))
    assert characters(half) > count // 2
    assert characters(whole) <= 2.3 * characters(half)


def characters(text: str) -> int:
    """The length without the indentation, which nested queries deepen up to their limit."""
    return sum(len(line.lstrip()) for line in text.splitlines())
