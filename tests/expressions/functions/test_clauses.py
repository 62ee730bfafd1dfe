"""DISTINCT, FILTER, IGNORE NULLS, WITHIN GROUP, OVER: refused where Spark refuses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.expressions.functions.matrix import questions, shown, text_of, type_of, without_hints
from viewscribe import Table, TableEnvironment, call, col, over
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import CallExpression, Expression, OverExpression
from viewscribe.expressions.functions.clauses import DISTINCT, FILTER, Frames
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.expressions.resolve import resolve_freely

if TYPE_CHECKING:
    from tests.expressions.functions.oracle import SparkOracle

ORDERED = over(partition_by="b", order_by="i")
WINDOWS = {
    "everything": over(),
    "partitions": over(partition_by="b"),
    "partitions as rows": over(partition_by="b").rows_between(None, None),
    "partitions as a range": over(partition_by="b").range_between(None, None),
    "sorted": ORDERED,
    "first rows": ORDERED.rows_between(None, 0),
    "first range": ORDERED.range_between(None, 0),
    "some rows": ORDERED.rows_between(-1, 0),
    "all rows": ORDERED.rows_between(None, None),
}
CLAUSES: dict[str, Callable[[CallExpression], Expression]] = {
    "DISTINCT": lambda made: made.distinct(),
    "FILTER": lambda made: made.filter(col("b")),
    "IGNORE NULLS": lambda made: made.ignore_nulls(),
    "RESPECT NULLS": lambda made: made.respect_nulls(),
    "WITHIN GROUP": lambda made: made.within_group("i"),
}


def plain_calls() -> dict[str, CallExpression]:
    """A valid call of every aggregate and window function."""
    found: dict[str, CallExpression] = {}
    for group in ("aggregates", "windows", "named"):
        for question in questions(group):
            made = question.made
            if isinstance(made, OverExpression):
                made = made.call
            if isinstance(made, CallExpression) and question.name not in found:
                with without_hints():
                    if question.ours() is not None:
                        found[question.name] = made
    kinds = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)
    return {name: made for name, made in found.items() if made.function.kind in kinds}


def _is_window(made: CallExpression) -> bool:
    return made.function.kind is FunctionKind.WINDOW


def _is_usual(made: CallExpression) -> bool:
    function = made.function
    return function.clauses == (DISTINCT, FILTER) and function.frames is Frames.ANY


def variants() -> dict[str, Expression]:
    """Calls with each clause, and over each window, by a title.

    Of the many functions that take DISTINCT and FILTER alone there is a sample.
    """
    found: dict[str, Expression] = {}
    plain = plain_calls()
    usual = [name for name, made in plain.items() if _is_usual(made)]
    for name, made in plain.items():
        if name in usual and usual.index(name) % 12:
            continue
        function = made.function
        for clause, add in CLAUSES.items():
            if clause == "WITHIN GROUP" and function.within_group:
                continue  # it has one already
            if clause == "DISTINCT" and not made.args:
                continue  # Spark reads the word as a column
            changed = add(made)
            found[f"{name} {clause}"] = changed.over(ORDERED) if _is_window(made) else changed
        if _is_window(made) or function.frames is not Frames.ANY or name in ("sum", "first"):
            for window, spec in WINDOWS.items():
                found[f"{name} over {window}"] = made.over(spec)
    partitions = WINDOWS["partitions"]
    found["sum DISTINCT over partitions"] = F.sum_distinct("i").over(partitions)
    found["first IGNORE NULLS over partitions"] = F.first("i", True).over(partitions)
    for window, spec in WINDOWS.items():
        joined = call("listagg", col("s"), ",").within_group("i")
        found[f"sorted listagg over {window}"] = joined.over(spec)
        found[f"sorted mode over {window}"] = call("mode").within_group("i").over(spec)
    for key in ("s", "s_n"):
        found[f"distinct listagg by {key}"] = F.listagg_distinct("s", ",").within_group(key)
    return found


def test_every_function_is_there() -> None:
    kinds = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)
    wanted = {name for name, each in all_built_ins().items() if each.kind in kinds}
    known = {made.function.name for made in plain_calls().values()}
    assert {all_built_ins()[name].name for name in wanted} - known <= ONLY_IN_GROUPS


ONLY_IN_GROUPS = {"grouping", "grouping_id"}
"""Spark knows these in a GROUP BY with sets alone."""


def test_spark_refuses_the_same(spark_types: SparkOracle) -> None:
    made = variants()
    texts = {title: text_of_any(each) for title, each in made.items()}
    theirs = spark_types.checked(texts.values())
    ours = {title: type_of(each) is not None for title, each in made.items()}
    different = {title for title in made if ours[title] != (theirs[texts[title]] is not None)}
    assert different == set()
    assert 60 < sum(ours.values()) < len(ours) - 60


def text_of_any(made: Expression) -> str:
    """The SQL of a call also where its clauses are refused."""
    from unittest.mock import patch

    from viewscribe.expressions.resolve import aggregates

    with (
        patch.object(aggregates, "check_clauses", lambda call: None),
        patch.object(aggregates, "check_sorted_values", lambda call: None),
        patch.object(aggregates, "check_window", lambda call, order_by, frame: None),
    ):
        return text_of(made)


@pytest.mark.parametrize("name", ["collect_list", "collect_set", "array_agg", "collect_union"])
def test_types_of_what_respects_nulls(spark_types: SparkOracle, name: str) -> None:
    for column in ("ai", "an_n"):
        plain = call(name, col(column))
        for made in (
            plain,
            plain.respect_nulls(),
            plain.ignore_nulls(),
            plain.respect_nulls().ignore_nulls(),
        ):
            text = text_of(made)
            assert shown(type_of(made)) == shown(spark_types.types([text])[text]), text
    assert text_of(call(name, col("ai")).respect_nulls()).endswith("(ai) RESPECT NULLS")
    again = call(name, col("ai")).ignore_nulls().respect_nulls()
    assert text_of(again) == text_of(call(name, col("ai")).respect_nulls())


def test_documents_say_it_where_it_says_something() -> None:
    env = TableEnvironment()
    env.create_table("t", "i INT")
    for made, said in ((F.collect_list("i").respect_nulls(), 1), (F.collect_list("i"), 0)):
        table = env.from_path("t").agg(made.alias("x"))
        document = table.to_plan()
        assert str(document).count("respect_nulls") == said
        assert Table.from_plan(env, document).operation == table.operation
        assert table.schema[0].type.element.nullable is bool(said)  # type: ignore[attr-defined]


def test_functions_that_respect_nulls_anyway_need_no_clause() -> None:
    assert text_of(F.first("i").respect_nulls()) == "first(i)"
    assert text_of(F.sum("i").respect_nulls()) == "sum(i)"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (F.rank().filter(col("b")).over(ORDERED), "rank has no FILTER"),
        (F.sum("i").ignore_nulls(), "sum has no IGNORE NULLS"),
        (F.counter_diff("i").distinct().over(ORDERED), "counter_diff has no DISTINCT"),
        (F.max("i").within_group("i"), "max has no WITHIN GROUP"),
        (F.sum_distinct("i").over(over(partition_by="b")), "does not run over a window"),
        (
            F.lag("i").over(ORDERED.rows_between(-1, 0)),
            "only runs over a window whose frame is not",
        ),
        (F.rank().over(ORDERED.rows_between(-1, 0)), "only runs over the rows from the first"),
        (F.median("i").over(ORDERED), "only runs over whole partitions, in no order"),
        (F.rank().over(over(partition_by="b")), "rank needs an order"),
        (
            F.listagg_distinct("s", ",").within_group("i"),
            "distinct values of listagg can only be sorted by themselves",
        ),
    ],
)
def test_messages(made: Expression, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        resolve_freely(made)
