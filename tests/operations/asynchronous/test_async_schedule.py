"""Whole trees: what is run, what is refused, and what ``explain`` says of it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.opaque import opaque
from tests.operations.asynchronous.evaluation import Engine
from tests.operations.asynchronous.trees import ENV, F_, G_, T, U, f, shown
from viewscribe import Table, TableEnvironment, call, col, exists, lit, scalar
from viewscribe import functions as F
from viewscribe.expressions.functions.asynchronous.options import (
    Manner,
    RunningFunction,
    async_settings,
    is_async_call,
)
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import FieldReference, Literal
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.conditions import Fate, placed_calls
from viewscribe.operations.rewrites.asynchronous.finding import own_expressions
from viewscribe.operations.rewrites.asynchronous.schedule import schedule, with_steps


def fates(table: Table) -> list[Fate]:
    return [each.fate for each in placed_calls(table.operation)]


def explained(table: Table, options: dict[str, str] | None = None) -> str:
    env = TableEnvironment(settings=options)
    return Table(env, table.operation).explain()


def assert_only_plain_steps(root: QueryOperation) -> None:
    """Every call is in a step that has nothing but calls of columns and constants."""
    for operation in preorder(root):
        if not isinstance(operation, QueryOperation):
            continue
        expressions = own_expressions(operation)
        inside = [node for each in expressions for node in preorder(each, skip=_is_query)]
        calls = [node for node in inside if is_async_call(node)]
        if not calls:
            continue
        assert isinstance(operation, n.WithColumns)
        assert [column.child for column in operation.columns] == calls
        assert operation.schema.names[: len(operation.child.schema)] == operation.child.schema.names
        for call_ in calls:
            assert all(isinstance(arg, FieldReference | Literal) for arg in call_.args)


def _is_query(node: Node) -> bool:
    return node.is_query


# -- what is run -----------------------------------------------------------------------------------


def test_a_call_in_select_and_where_is_made_once() -> None:
    table = T.filter(F_(col("x") + 1) > 10).select("id", F_(col("x") + 1).alias("r"))
    assert shown(with_steps(table.operation)) == dedent("""\
        Project(columns: [id, async_1 AS r])
          Filter(condition: greater_than(async_1, 10))
            Project(columns: [*, async_1])
              WithColumns(columns: [f(argument_1) AS async_1])
                WithColumns(columns: [plus(x, 1) AS argument_1])
                  t""")


def test_conditions_on_the_table_are_tested_before_rows_are_asked_for() -> None:
    joined = T.left_outer_join_lateral(call("rows", col("x")).as_("name", "age"))
    table = joined.filter((col("y") | (col("x") > 1)) & (col("age") > 2)).select("id", "name")
    assert shown(with_steps(table.operation)) == dedent("""\
        Project(columns: [id, name])
          Filter(condition: greater_than(age, 2))
            Project(columns: [*, name, age])
              Generate(call: inline(async_1), outer: True, columns: [name, age])
                WithColumns(columns: [rows(x) AS async_1])
                  Filter(condition: or(y, greater_than(x, 1)))
                    t""")


def test_calls_of_functions_that_are_not_deterministic_are_all_made() -> None:
    env = TableEnvironment()
    env.create_temporary_system_function("f", f, deterministic=False)
    table = Table(env, T.operation)
    drawn = call("f", col("x"))
    made = with_steps(table.filter(drawn > 1).select(drawn.alias("a"), drawn.alias("b")).operation)
    assert sum(is_async_call(node) for node in preorder(made)) == 3


def test_the_branches_of_case_call_where_they_are_taken() -> None:
    case = F.coalesce(F.nullif(col("x"), 1), F_(col("id")), G_(col("id")))
    assert shown(with_steps(T.select(case.alias("r")).operation)) == dedent("""\
        Project(columns: [coalesce(nullif(x, 1), async_1, async_2) AS r])
          WithColumns(columns: [g where needed(argument_1, id) AS async_2])
            WithColumns(columns: [and(is_null(nullif(x, 1)), is_null(async_1)) AS argument_1])
              Project(columns: [*, async_1])
                WithColumns(columns: [f where needed(argument_1, id) AS async_1])
                  WithColumns(columns: [is_null(nullif(x, 1)) AS argument_1])
                    t""")


def test_a_condition_by_chance_guards_nothing() -> None:
    case = call("if", F.rand(1) < 0.5, F_(col("id")), 0)
    made = with_steps(T.select(case.alias("r")).operation)
    assert "f(id) AS async_1" in shown(made)
    assert "needed" not in shown(made)


def test_calls_of_groups_are_made_after_them() -> None:
    table = T.group_by("y").select("y", (F_(F.count("*")) + F.max("x")).alias("r"))
    made = with_steps(table.operation)
    assert_only_plain_steps(made)
    aggregate = next(node for node in preorder(made) if isinstance(node, n.Aggregate))
    assert not any(map(is_async_call, preorder(aggregate)))
    assert str(made.schema) == str(table.schema)


def test_a_tree_without_calls_stays_the_same() -> None:
    table = T.filter(col("id") > 1).select("id").limit(3)
    assert schedule(table.operation, async_settings({})).operation is table.operation
    assert table.explain() == table.as_summary_string()


def test_rows_in_order_stay_in_order() -> None:
    settings = {"table.exec.async-scalar.system.f.output-mode": "allow_unordered"}
    called = F_(col("x")).alias("r")

    def manner(table: Table) -> Manner:
        made = schedule(table.operation, async_settings(settings)).operation
        found = [
            node.function
            for node in preorder(made)
            if is_async_call(node) and isinstance(node.function, RunningFunction)
        ]
        return found[0].manner

    text = opaque(ENV, "SELECT 1 AS x ORDER BY x", schema="x INT")
    assert manner(T.add_columns(called)) is Manner.UNORDERED
    assert (
        manner(T.order_by("id").group_by("x").agg(F.count("*")).add_columns(called))
        is Manner.UNORDERED
    )
    assert manner(T.order_by("id").add_columns(called)) is Manner.ORDERED
    assert manner(T.order_by("id").filter(F_(col("x")) > 1)) is Manner.ORDERED
    assert manner(T.add_columns(called).order_by("id").limit(3)) is Manner.ORDERED
    assert manner(text.add_columns(called)) is Manner.ORDERED


# -- what is not -----------------------------------------------------------------------------------


def test_a_lambda_cannot_call() -> None:
    table = T.select(F.transform(col("tags"), lambda tag: F_(tag)).alias("r"))
    (refused,) = schedule(table.operation, async_settings({})).refused
    assert "variable of a lambda" in refused.why
    assert "explode" in str(refused.hint)
    for nested in (lambda tag: F_(G_(tag)), lambda tag: F_(tag + G_(1))):
        assert fates(T.select(F.transform(col("tags"), nested))) == [Fate.REFUSED, Fate.REFUSED]
    constant = T.select(F.transform(col("tags"), lambda tag: tag + F_(col("x"))).alias("r"))
    assert_only_plain_steps(with_steps(constant.operation))


@pytest.mark.parametrize("how", ["left", "right", "full", "semi", "anti"])
def test_only_an_inner_join_can_test_what_needs_both_sides(how: str) -> None:
    a, b = T.alias("a"), U.alias("b")
    refused = a.join(b, F_(col("a.x") + col("b.z")) > 1, how)
    assert fates(refused) == [Fate.REFUSED]
    assert f"{how} join" in refused.explain()
    one_sided = a.join(b, F_(col("a.x")) == col("b.z"), how)
    assert fates(one_sided) == [Fate.HOISTED]
    assert str(with_steps(one_sided.operation).schema) == str(one_sided.schema)


def test_a_sub_query_about_the_row_around_it_calls_where_it_stands() -> None:
    table = T.filter(exists(lambda o: U.filter((col("id") == o("id")) & (F_(col("z")) > 1))))
    assert fates(table) == [Fate.IN_PLACE]
    made = schedule(table.operation, async_settings({})).operation
    (called,) = [node for node in preorder(made) if is_async_call(node)]
    assert isinstance(called.function, RunningFunction)
    assert called.function.manner is Manner.SYNCHRONOUS
    assert called.function.deterministic


def test_a_sub_query_of_its_own_has_steps_of_its_own() -> None:
    table = T.filter(col("x") > scalar(U.select(F.max(F_(col("z"))).alias("m"))))
    assert fates(table) == [Fate.HOISTED]
    assert_only_plain_steps(with_steps(table.operation))


# -- explain ---------------------------------------------------------------------------------------


def test_explain() -> None:
    settings = {
        "table.exec.async-scalar.system.f.buffer-capacity": "50",
        "table.exec.async-scalar.system.f.retry-strategy": "NO_RETRY",
        "table.exec.async-scalar.system.g.output-mode": "ALLOW_UNORDERED",
    }
    table = T.filter(F_(col("x")) > 1).select("id", F.coalesce(col("x"), G_(col("id"))).alias("r"))
    assert explained(table, settings).replace(*_TABLE) == dedent("""\
        g(id) in Project(columns: [id, coalesce(x, g(id)) AS r])
          asynchronous: the projection is computed after a step of calls
          only where is_null(x)
          10 at once, 3 min for each, 3 attempts 100 ms apart; results as they are ready
        f(x) in Filter(condition: greater_than(f(x), 1))
          asynchronous: the condition is tested after a step of calls
          50 at once, 3 min for each, no second attempt; results in the order of the rows

        Project(columns: [id, coalesce(x, async_1) AS r])
          WithColumns(columns: [g where needed(argument_1, id) AS async_1])
            WithColumns(columns: [is_null(x) AS argument_1])
              Project(columns: [id, x, y, s, tags])
                Filter(condition: greater_than(async_1, 1))
                  WithColumns(columns: [f(x) AS async_1])
                    t""")


_TABLE = ("CatalogSource(table: spark_catalog.default.t, columns: [id, x, y, s, tags])", "t")


def test_explain_says_what_is_refused_and_what_to_write() -> None:
    table = T.alias("a").join(U.alias("b"), F_(col("a.x") + col("b.z")) > 1, "left")
    assert table.explain() == dedent("""\
        f(plus(x, z)) in Join(kind: left, condition: greater_than(f(plus(x, z)), 1))
          refused: the condition of a left join needs it with columns of both sides, and Spark \
calls no Python function there
          call the function in a step before the join, or make the join an inner one""")


# -- whatever the tree -----------------------------------------------------------------------------

VALUES = st.recursive(
    st.sampled_from(["id", "x"]).map(col) | st.integers(0, 3).map(lit),
    lambda inner: st.one_of(
        inner.map(F_),
        inner.map(G_),
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: F.coalesce(*pair)),
        st.tuples(inner, inner, inner).map(lambda three: call("if", three[0] > 1, *three[1:])),
    ),
    max_leaves=6,
)
CONDITIONS = st.tuples(VALUES, VALUES, st.booleans()).map(
    lambda made: (made[0] > made[1]) & col("y") if made[2] else (made[0] > 1) | (made[1] < 2)
)


def _selected(table: Table, value: Any) -> Table:
    return table.select("id", value.alias("x"), "y")


STEPS: dict[str, tuple[Any, Any]] = {
    "filter": (CONDITIONS, Table.filter),
    "select": (VALUES, _selected),
    "add": (VALUES, lambda table, value: table.add_or_replace_columns(value.alias("x"))),
    "sort": (VALUES, lambda table, value: table.order_by(value, "id")),
    "limit": (st.integers(1, 5), Table.limit),
    "group": (
        VALUES,
        lambda table, value: (
            table.group_by("id", "y").agg(F.max(value).alias("x")).select("id", "x", "y")
        ),
    ),
}


@st.composite
def pipelines(draw: st.DrawFn) -> Table:
    table = T.select("id", "x", "y")
    for name in draw(st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=4)):
        argument, step = STEPS[name]
        table = step(table, draw(argument))
    return table


@given(pipelines())
def test_any_pipeline_ends_in_plain_steps_and_the_same_columns(table: Table) -> None:
    made = with_steps(table.operation)
    assert_only_plain_steps(made)
    assert str(made.schema) == str(table.schema)
    assert with_steps(made) is made


ROWS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.none() | st.integers(0, 4),
        st.booleans(),
        st.none(),
        st.none(),
    ),
    max_size=6,
)


def half(x: int | None) -> int | None:
    """NULL for some."""
    return None if x is None or x % 2 else x // 2


def next_one(x: int | None) -> int | None:
    return None if x is None else x + 1


@settings(max_examples=examples(60))
@given(pipelines(), ROWS)
def test_any_pipeline_gives_the_same_rows_with_no_more_calls(
    table: Table, rows: list[tuple[Any, ...]]
) -> None:
    """Than an engine needs that evaluates what was written lazily, row by row."""
    written = Engine(rows, {"f": half, "g": next_one})
    run = Engine(rows, {"f": half, "g": next_one})
    expected = list(written.rows(table.operation))
    assert list(run.rows(with_steps(table.operation))) == expected
    assert not run.calls - written.calls
