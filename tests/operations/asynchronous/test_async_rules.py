"""Each rule alone: the tree before and after it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.asynchronous.trees import F_, G_, T, U, becomes
from viewscribe import call, col, lit, over
from viewscribe import functions as F
from viewscribe.expressions.nodes import Alias
from viewscribe.expressions.resolve import resolve
from viewscribe.operations.nodes import Aggregate, Filter
from viewscribe.operations.rewrites.asynchronous.conditions import (
    push_condition,
    split_condition,
    split_condition_rex_field,
    split_join,
)
from viewscribe.operations.rewrites.asynchronous.finding import (
    expand_project,
    hoist,
    merge_projections,
    nested_split,
    occurrences,
    own_expressions,
    split_project,
    split_projection_rex_field,
)
from viewscribe.operations.rewrites.asynchronous.schedule import (
    push_limit,
    push_sort,
    split_aggregate,
)
from viewscribe.operations.rewrites.asynchronous.sharing import share_calls

# -- conditions ------------------------------------------------------------------------------------


def test_split_condition() -> None:
    becomes(
        split_condition,
        T.filter((F_(col("x")) > 10) & col("y")),
        """
        Filter(condition: and(greater_than(f(x), 10), y))
          t
        """,
        """
        Project(columns: [*])
          Filter(condition: and(greater_than(async_1, 10), y))
            WithColumns(columns: [f(x) AS async_1])
              t
        """,
    )


def test_split_condition_tests_one_before_it_calls_for_the_next() -> None:
    becomes(
        split_condition,
        T.filter((F_(col("x")) > 1) & (G_(col("id")) > 2)),
        """
        Filter(condition: and(greater_than(f(x), 1), greater_than(g(id), 2)))
          t
        """,
        """
        Project(columns: [*])
          Filter(condition: greater_than(async_1, 2))
            WithColumns(columns: [g(id) AS async_1])
              Project(columns: [*])
                Filter(condition: greater_than(async_1, 1))
                  WithColumns(columns: [f(x) AS async_1])
                    t
        """,
    )


def test_split_condition_calls_only_where_or_needs_it() -> None:
    becomes(
        split_condition,
        T.filter(col("y") | (F_(col("x")) > 1)),
        """
        Filter(condition: or(y, greater_than(f(x), 1)))
          t
        """,
        """
        Project(columns: [*])
          Filter(condition: or(y, greater_than(async_1, 1)))
            WithColumns(columns: [f where needed(is_not_true(y), x) AS async_1])
              t
        """,
    )


def test_split_condition_rex_field() -> None:
    becomes(
        split_condition_rex_field,
        T.filter(call("person", col("x"))["name"] == "ada"),
        """
        Filter(condition: equals(get_field(person(x), 'name'), 'ada'))
          t
        """,
        """
        Project(columns: [*])
          Filter(condition: equals(get_field(async_1, 'name'), 'ada'))
            WithColumns(columns: [person(x) AS async_1])
              t
        """,
    )


def test_push_condition_before_the_calls_of_the_same_condition() -> None:
    becomes(
        push_condition,
        T.filter((F_(col("x")) > 10) & col("y") & (col("id") < 3)),
        """
        Filter(condition: and(greater_than(f(x), 10), y, less_than(id, 3)))
          t
        """,
        """
        Filter(condition: greater_than(f(x), 10))
          Filter(condition: and(y, less_than(id, 3)))
            t
        """,
    )


def test_push_condition_below_a_projection_with_calls() -> None:
    becomes(
        push_condition,
        T.select((col("id") + 1).alias("next"), F_(col("x")).alias("r")).filter(
            (col("next") < 3) & (col("r") > 1)
        ),
        """
        Filter(condition: and(less_than(next, 3), greater_than(r, 1)))
          Project(columns: [plus(id, 1) AS next, f(x) AS r])
            t
        """,
        """
        Filter(condition: greater_than(r, 1))
          Project(columns: [plus(id, 1) AS next, f(x) AS r])
            Filter(condition: less_than(plus(id, 1), 3))
              t
        """,
    )


@pytest.mark.parametrize(
    "table",
    [
        T.select("id", F_(col("x")).alias("r"), F.rand(1).alias("chance")).filter(col("id") < 3),
        T.select("id", F_(col("x")).alias("r"), F.row_number().over(over(order_by="x"))).filter(
            col("id") < 3
        ),
        T.select("id", F_(col("x")).alias("r")).limit(5).filter(col("id") < 3),
        T.select("id", F_(col("x")).alias("r")).filter(F.rand(1) < 0.5),
        T.filter(col("id") < 3),
    ],
)
def test_conditions_that_stay(table: object) -> None:
    operation = table.operation  # type: ignore[attr-defined]
    assert isinstance(operation, Filter)
    assert push_condition(operation) is operation


# -- projections -----------------------------------------------------------------------------------


def test_split_project() -> None:
    becomes(
        split_project,
        T.select(F.concat(F_(col("x")).cast("STRING"), lit("!")).alias("r"), "id"),
        """
        Project(columns: [concat(cast(f(x), STRING), '!') AS r, id])
          t
        """,
        """
        Project(columns: [concat(cast(async_1, STRING), '!') AS r, id])
          WithColumns(columns: [f(x) AS async_1])
            t
        """,
    )


def test_split_project_of_columns_that_replace_others() -> None:
    becomes(
        split_project,
        T.add_or_replace_columns((F_(col("x")) + 1).alias("x"), F_(col("x")).alias("r")),
        """
        WithColumns(columns: [plus(f(x), 1) AS x, f(x) AS r])
          t
        """,
        """
        Project(columns: [*, r])
          WithColumns(columns: [plus(async_1, 1) AS x, async_1 AS r])
            WithColumns(columns: [f(x) AS async_1])
              t
        """,
    )


def test_split_project_leaves_a_step_of_calls_alone() -> None:
    step = T.add_columns(F_(col("x")).alias("r")).operation
    assert split_project(step) is step


def test_split_project_takes_calls_out_of_branches_with_their_conditions() -> None:
    becomes(
        split_project,
        T.select(F.coalesce(col("x"), F_(col("id"))).alias("r")),
        """
        Project(columns: [coalesce(x, f(id)) AS r])
          t
        """,
        """
        Project(columns: [coalesce(x, async_1) AS r])
          WithColumns(columns: [f where needed(is_null(x), id) AS async_1])
            t
        """,
    )


def test_split_projection_rex_field() -> None:
    becomes(
        split_projection_rex_field,
        T.select(call("person", col("x"))["name"].alias("name"), F_(col("x")).alias("r")),
        """
        Project(columns: [get_field(person(x), 'name') AS name, f(x) AS r])
          t
        """,
        """
        Project(columns: [get_field(async_1, 'name') AS name, f(x) AS r])
          WithColumns(columns: [person(x) AS async_1])
            t
        """,
    )


def test_expand_project() -> None:
    becomes(
        expand_project,
        T.add_columns(F_(col("s")["a"]).alias("r"), G_(col("x")).alias("q")),
        """
        WithColumns(columns: [f(get_field(s, 'a')) AS r, g(x) AS q])
          t
        """,
        """
        Project(columns: [*, async_1 AS r, async_2 AS q])
          WithColumns(columns: [f(argument_1) AS async_1, g(x) AS async_2])
            WithColumns(columns: [get_field(s, 'a') AS argument_1])
              t
        """,
    )


def test_expand_project_computes_arguments_only_where_the_call_is_needed() -> None:
    table = T.select(F.coalesce(col("x"), F_(col("id") + 1)).alias("r"))
    becomes(
        expand_project,
        split_project(table.operation).inputs()[0],
        """
        WithColumns(columns: [f where needed(is_null(x), plus(id, 1)) AS async_1])
          t
        """,
        """
        Project(columns: [*, async_1])
          WithColumns(columns: [f where needed(argument_1, argument_2) AS async_1])
            WithColumns(columns: [is_null(x) AS argument_1, case(is_null(x), plus(id, 1)) \
AS argument_2])
              t
        """,
    )


def test_nested_split() -> None:
    becomes(
        nested_split,
        T.add_columns(F_(G_(col("x")) + 1).alias("r")),
        """
        WithColumns(columns: [f(plus(g(x), 1)) AS r])
          t
        """,
        """
        Project(columns: [*, async_2 AS r])
          WithColumns(columns: [f(plus(async_1, 1)) AS async_2])
            WithColumns(columns: [g(x) AS async_1])
              t
        """,
    )


def test_nested_split_makes_a_call_once_that_is_an_argument_too() -> None:
    becomes(
        nested_split,
        T.add_columns(G_(col("x")).alias("q"), F_(G_(col("x"))).alias("r")),
        """
        WithColumns(columns: [g(x) AS q, f(g(x)) AS r])
          t
        """,
        """
        Project(columns: [*, async_1 AS q, async_2 AS r])
          WithColumns(columns: [f(async_1) AS async_2])
            WithColumns(columns: [g(x) AS async_1])
              t
        """,
    )


def test_merge_projections() -> None:
    becomes(
        merge_projections,
        T.select("x", col("id").alias("key")).select((col("key") + col("x")).alias("r"), "key"),
        """
        Project(columns: [plus(key, x) AS r, key])
          Project(columns: [x, id AS key])
            t
        """,
        """
        Project(columns: [plus(id, x) AS r, id AS key])
          t
        """,
    )


# -- calls that were made already ------------------------------------------------------------------


def test_share_calls() -> None:
    split = split_condition(T.filter(F_(col("x")) > 1).operation)
    step = T.with_operation(split).add_columns(F_(col("x")).alias("r"), G_(col("x")).alias("q"))
    becomes(
        share_calls,
        step,
        """
        WithColumns(columns: [f(x) AS r, g(x) AS q])
          Project(columns: [*])
            Filter(condition: greater_than(async_1, 1))
              WithColumns(columns: [f(x) AS async_1])
                t
        """,
        """
        Project(columns: [*, async_2 AS r, async_1 AS q])
          WithColumns(columns: [g(x) AS async_1])
            Project(columns: [*, async_1 AS async_2])
              Filter(condition: greater_than(async_1, 1))
                WithColumns(columns: [f(x) AS async_1])
                  t
        """,
    )


def test_calls_of_other_rows_are_not_shared() -> None:
    below = T.add_columns(F_(col("x")).alias("r"))
    for table in (
        below.add_or_replace_columns((col("x") + 1).alias("x")),
        below.union_all(below),
        below.select(col("id").alias("x"), "r"),
    ):
        step = table.add_columns(F_(col("x")).alias("q")).operation
        assert share_calls(step) is step


# -- other operations ------------------------------------------------------------------------------


def test_a_limit_counts_before_calls_are_made() -> None:
    table = T.add_columns(F_(col("x")).alias("r")).select("id", "r")
    becomes(
        push_limit,
        table.order_by(col("id").desc()).limit(3),
        """
        Limit(count: 3)
          Sort(keys: [id DESC])
            Project(columns: [id, r])
              WithColumns(columns: [f(x) AS r])
                t
        """,
        """
        Project(columns: [id, r])
          WithColumns(columns: [f(x) AS r])
            Limit(count: 3)
              Sort(keys: [id DESC])
                t
        """,
    )
    for stays in (table.order_by("r").limit(3), table.filter(col("r") > 1).limit(3), T.limit(3)):
        assert push_limit(stays.operation) is stays.operation


def test_rows_are_sorted_before_calls_are_made() -> None:
    table = T.add_columns(F_(col("x")).alias("r")).select("id", "r")
    becomes(
        push_sort,
        table.order_by(col("id").desc()),
        """
        Sort(keys: [id DESC])
          Project(columns: [id, r])
            WithColumns(columns: [f(x) AS r])
              t
        """,
        """
        Project(columns: [id, r])
          WithColumns(columns: [f(x) AS r])
            Sort(keys: [id DESC])
              t
        """,
    )
    for stays in (table.order_by("r"), table.filter(col("r") > 1).order_by("id"), T.order_by("id")):
        assert push_sort(stays.operation) is stays.operation


def test_a_sort_by_calls() -> None:
    becomes(
        hoist,
        T.order_by(F_(col("x")).desc()),
        """
        Sort(keys: [f(x) DESC])
          t
        """,
        """
        Project(columns: [*])
          Sort(keys: [async_1 DESC])
            WithColumns(columns: [f(x) AS async_1])
              t
        """,
    )


def test_rows_generated_from_calls() -> None:
    becomes(
        hoist,
        T.explode(F.array(F_(col("x"))), "e"),
        """
        Generate(call: explode(array(f(x))), columns: [e])
          t
        """,
        """
        Project(columns: [*, e])
          Generate(call: explode(array(async_1)), columns: [e])
            WithColumns(columns: [f(x) AS async_1])
              t
        """,
    )


def test_calls_in_keys_and_aggregates_are_made_for_rows() -> None:
    becomes(
        split_aggregate,
        T.group_by(F_(col("x")).alias("k")).agg(F.sum(G_(col("id"))).filter(col("y")).alias("s")),
        """
        Aggregate(keys: [f(x) AS k], aggregates: [sum(g(id)) FILTER (y) AS s])
          t
        """,
        """
        Aggregate(keys: [async_1 AS k], aggregates: [sum(async_2) FILTER (y) AS s])
          WithColumns(columns: [f(x) AS async_1, g where needed(y, id) AS async_2])
            t
        """,
    )


def test_calls_of_what_a_group_holds_are_made_after_it() -> None:
    """As Spark has them: calls around aggregates, in the node that groups."""
    (project,) = T.select(F_(col("x")).alias("r")).operation.expressions  # type: ignore[attr-defined]
    called = project.child
    largest, key = (resolve(each, T.schema) for each in (F.max("x"), col("y")))
    once = called.copy_with({"args": (largest,)})
    twice = called.copy_with({"args": (once,)})
    values = tuple(
        Alias(value, name, value.type)
        for value, name in ((once, "r"), (resolve(F.count("*"), T.schema), "n"), (twice, "q"))
    )
    becomes(
        split_aggregate,
        Aggregate.of(T.operation, (key,), values),
        """
        Aggregate(keys: [y], aggregates: [f(max(x)) AS r, count(*) AS n, f(f(max(x))) AS q])
          t
        """,
        """
        Project(columns: [y, f(aggregate_1) AS r, aggregate_2 AS n, f(f(aggregate_1)) AS q])
          Aggregate(keys: [y], aggregates: [max(x) AS aggregate_1, count(*) AS aggregate_2])
            t
        """,
    )


# -- what is evaluated only sometimes --------------------------------------------------------------

X, Y, CALL, OTHER = col("x"), col("y"), F_(col("id")), G_(col("id"))


@pytest.mark.parametrize(
    ("made", "needed"),
    [
        (F.when(Y, CALL), ["y"]),
        (F.when(Y, CALL).when(X > 1, OTHER), ["y", "and(is_not_true(y), greater_than(x, 1))"]),
        (F.when(Y, CALL).otherwise(OTHER), ["y", "is_not_true(y)"]),
        (
            F.when(Y, 0).when(X > 1, CALL).otherwise(OTHER),
            [
                "and(is_not_true(y), greater_than(x, 1))",
                "and(is_not_true(y), is_not_true(greater_than(x, 1)))",
            ],
        ),
        (F.when(CALL > 1, 0).when(OTHER > 1, 1), [None, "is_not_true(greater_than(f(id), 1))"]),
        (call("if", Y, CALL, OTHER), ["y", "is_not_true(y)"]),
        (call("if", CALL > 1, 0, OTHER), [None, "is_not_true(greater_than(f(id), 1))"]),
        (call("nvl2", X, CALL, OTHER), ["is_not_null(x)", "is_null(x)"]),
        (call("nvl", X, CALL), ["is_null(x)"]),
        (F.coalesce(X, col("id"), CALL), ["and(is_null(x), is_null(id))"]),
        (Y & (CALL > 1), ["y"]),
        ((X > 1) & (CALL > 1), ["is_not_false(greater_than(x, 1))"]),
        (Y | (X > 1) | (CALL > 1), ["and(is_not_true(y), is_not_true(greater_than(x, 1)))"]),
        (X + CALL, [None]),
    ],
)
def test_calls_are_needed_where_their_branch_is_taken(made: Any, needed: list[str | None]) -> None:
    (operation,) = own_expressions(T.select(made.alias("r")).operation)
    found = [each.needed for each in occurrences(operation)]
    assert [each and each.as_summary_string() for each in found] == needed


def test_a_call_of_one_side_is_made_before_the_join() -> None:
    joined = T.alias("a").join(
        U.alias("b"), (F_(col("a.x")) == G_(col("b.z"))) & (col("a.id") > 1) & (col("b.id") > 2)
    )
    once = split_join(joined.operation)
    becomes(
        split_join,
        once,
        """
        Join(kind: inner, condition: equals(f(x), g(z)))
          Filter(condition: greater_than(id, 1))
            SubqueryAlias(name: a)
              t
          Filter(condition: greater_than(id, 2))
            SubqueryAlias(name: b)
              u
        """,
        """
        Project(columns: [*, id, z])
          Join(kind: inner, condition: equals(async_1, async_1))
            WithColumns(columns: [f(x) AS async_1])
              Filter(condition: greater_than(id, 1))
                SubqueryAlias(name: a)
                  t
            WithColumns(columns: [g(z) AS async_1])
              Filter(condition: greater_than(id, 2))
                SubqueryAlias(name: b)
                  u
        """,
    )


def test_a_call_of_both_sides_is_made_after_an_inner_join() -> None:
    condition = (F_(col("a.x") + col("b.z")) > 1) & (col("a.id") == col("b.id"))
    becomes(
        split_join,
        T.alias("a").join(U.alias("b"), condition),
        """
        Join(kind: inner, condition: and(greater_than(f(plus(x, z)), 1), equals(id, id)))
          SubqueryAlias(name: a)
            t
          SubqueryAlias(name: b)
            u
        """,
        """
        Filter(condition: greater_than(f(plus(x, z)), 1))
          Join(kind: inner, condition: equals(id, id))
            SubqueryAlias(name: a)
              t
            SubqueryAlias(name: b)
              u
        """,
    )
