"""Expressions deeper than Spark parses become steps, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

from viewscribe import Table, TableEnvironment, col, lit, over
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import fold, preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import WithColumns
from viewscribe.operations.rewrites.split import DEPTH, split_large_expressions

ENV = TableEnvironment()
ENV.create_table("t", "id INT, v INT, part_1 INT, ok BOOLEAN, tags ARRAY<INT>")
T = ENV.from_path("t")


def nested(calls: int, start: Any = None) -> Any:
    value = col("v") if start is None else start
    for _ in range(calls):
        value = F.abs(value)
    return value


def height(operation: QueryOperation) -> int:
    def deepest(node: Any, children: list[int]) -> int:
        return 0 if isinstance(node, QueryOperation) else 1 + max(children, default=0)

    found = 0
    for node in preorder(operation):
        if isinstance(node, QueryOperation):
            for child in node.children():
                if not isinstance(child, QueryOperation):
                    found = max(found, fold(child, deepest))
    return found


PIPELINES = {
    "select": lambda: T.select("id", nested(300).alias("x")),
    "add": lambda: T.add_columns(nested(300).alias("x")),
    "filter": lambda: T.filter(nested(300) > 1),
    "sort": lambda: T.order_by(nested(300).desc()),
    "group": lambda: T.group_by("id").agg(F.sum(nested(300)).alias("s")),
    "key": lambda: T.group_by(nested(300).alias("k")).agg(F.count("*").alias("c")),
    "window": lambda: T.select(F.sum(nested(300)).over(over(order_by=nested(200))).alias("s")),
    "explode": lambda: T.explode(F.array(nested(300)), "x"),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_no_expression_stays_deep(name: str) -> None:
    table = PIPELINES[name]()
    split = split_large_expressions(table.operation)
    assert height(table.operation) > 300
    assert height(split) <= DEPTH + 3
    assert str(split.schema) == str(table.schema)


@pytest.mark.parametrize("name", PIPELINES)
def test_the_text_nests_little(name: str) -> None:
    text = PIPELINES[name]().to_sql()
    deepest, depth = 0, 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    assert deepest < 100
    assert text.count("abs(") >= 300


def test_what_is_shallow_stays_the_same_tree() -> None:
    table = T.filter(nested(30) > 1).select(nested(30).alias("x"))
    assert split_large_expressions(table.operation) is table.operation


def test_equal_parts_are_computed_once() -> None:
    deep = nested(100)
    split = split_large_expressions(T.select((deep + deep).alias("x")).operation)
    steps = [node for node in preorder(split) if isinstance(node, WithColumns)]
    assert steps
    assert all(len(step.columns) == 1 for step in steps)


def test_parts_take_no_name_that_there_is() -> None:
    split = split_large_expressions(T.select("part_1", nested(100).alias("x")).operation)
    for node in preorder(split):
        if isinstance(node, QueryOperation):
            names = [name.lower() for name in node.schema.names]
            assert len(set(names)) == len(names)


def branch(calls: int) -> Table:
    return T.select(F.when(col("ok"), nested(calls)).otherwise(lit(0)).alias("x"))


def test_what_is_evaluated_only_sometimes_does_not_move() -> None:
    """Under CASE an error must stay where the condition guards against it."""
    table = branch(60)
    assert not any(
        isinstance(node, WithColumns) for node in preorder(split_large_expressions(table.operation))
    )
    with pytest.raises(NotSerializableError, match="evaluated only under conditions"):
        branch(300).to_sql()


def test_random_values_do_not_move() -> None:
    split = split_large_expressions(T.select(nested(60, F.rand(1)).alias("x")).operation)
    assert not any(isinstance(node, WithColumns) for node in preorder(split))


def doubled(times: int) -> Any:
    value = col("v")
    for _ in range(times):
        value = value + value
    return value


def guarded(times: int) -> Any:
    value = col("v")
    for number in range(times):
        value = F.when(value > number, value).otherwise(value + 1)
    return value


def queried(times: int) -> Any:
    value = T.select(F.max("v")).scalar()
    for _ in range(times):
        value = value + value
    return value


REPEATING = {
    "sum": doubled,
    "case": guarded,
    "query": queried,
    "many": lambda times: F.coalesce(*[doubled(times)] * 30),
}


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
@pytest.mark.parametrize("name", REPEATING)
def test_what_is_used_twice_again_and_again_is_written_once(name: str, style: Any) -> None:
    """As text, each would be longer than 2 ** times, or 3 ** times."""
    table = T.select("id", REPEATING[name](40).alias("x"))
    text = table.to_sql(style=style)
    assert len(text) < 40_000
    assert ENV.sql_query(text).to_sql(style=style) == text


def test_what_is_repeated_only_under_conditions_is_refused() -> None:
    """It may only be computed where the condition holds, and writing it out is no way."""
    table = T.select(F.when(col("ok"), doubled(40)).otherwise(lit(0)).alias("x"))
    with pytest.raises(NotSerializableError, match="again and again"):
        table.to_sql()


def test_cases_in_else_are_branches_of_one() -> None:
    value: Any = lit(0)
    for number in range(400):
        value = F.when(col("v") == number, number + 1).otherwise(value)
    text = T.select(value.alias("x")).to_sql()
    assert text.count("CASE") == 1
    assert text.count("WHEN") == 400
    assert ENV.sql_query(text).to_sql() == text


@pytest.mark.parametrize("terms", [1_000, 10_000])
def test_sums_of_many_terms(terms: int) -> None:
    value = col("v")
    for _ in range(terms):
        value = value + col("id")
    assert T.select(value.alias("x")).to_sql(style="pipe").count(" + id") == terms


def test_queries_inside_of_queries() -> None:
    def within(levels: int) -> Table:
        inner = T.select("id")
        for _ in range(levels):
            inner = T.filter(col("id").in_(inner)).select("id")
        return inner

    assert within(90).to_sql().count("IN (") == 90
    with pytest.raises(NotSerializableError, match="save an inner query"):
        within(200).to_sql()


def joined(times: int) -> Table:
    """The table joined with itself, and the result with itself, again and again."""
    table = T.select("id", "v")
    for number in range(times):
        other = table.select(col("id").alias(f"id_{number}"))
        table = table.join(other, col("id") == col(f"id_{number}")).select("id", "v")
    return table


def united(times: int) -> Table:
    table = T.select("id", "v")
    for number in range(times):
        table = table.union_all(table.filter(col("v") > number))
    return table


@pytest.mark.parametrize("make", [joined, united])
def test_what_is_read_again_and_again(make: Any) -> None:
    """As short as its steps, as far as Spark analyzes it: it writes out what is shared."""
    assert len(make(12).to_sql()) < 5_000
    for style in ("pipe", "nested"):
        with pytest.raises(NotSerializableError, match="readable style"):
            make(12).to_sql(style=style)
    for times in (14, 60, 1_000):
        with pytest.raises(NotSerializableError, match="save this step as a table"):
            make(times).to_sql()
    assert make(60).as_summary_string().endswith(", as above")


def test_a_large_union_joined_with_itself_again_and_again() -> None:
    """Each step that is used again reads more tables than a step to save should: the least then."""
    table = T.select("id", "v")
    for number in range(200):
        table = table.union_all(T.filter(col("v") > number).select("id", "v"))
    for number in range(7):
        other = table.select(col("id").alias(f"id_{number}"))
        table = table.join(other, col("id") == col(f"id_{number}")).select("id", "v")
    with pytest.raises(NotSerializableError, match=r"save this step as a table, .*: SetOperation"):
        table.to_sql()


@pytest.mark.parametrize("steps", [10, 100, 1_000])
def test_text_grows_with_the_pipeline_and_not_faster(steps: int) -> None:
    filters, columns = T, T
    for number in range(steps):
        filters = filters.filter(col("id") != number)
        columns = columns.add_or_replace_columns((col("v") + 1).alias("v"))
    assert len(filters.to_sql()) < 200 + 24 * steps
    assert len(columns.to_sql()) < 400 + 60 * steps


def test_ten_thousand_steps() -> None:
    table = T
    for number in range(10_000):
        table = table.filter(col("id") != number)
    text = table.to_sql()
    assert text.count("AND ") == 9_999
    assert text.count("SELECT") == 1
    assert Table.from_plan(ENV, table.to_plan()).equals(table)
