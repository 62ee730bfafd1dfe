"""DISTINCT, FILTER, IGNORE NULLS, WITHIN GROUP, OVER: refused where Spark refuses them."""

from __future__ import annotations

import pytest

from tests.expressions.functions.clause_calls import ORDERED, plain_calls, text_of_any, variants
from tests.expressions.functions.matrix import REFUSED, shown, text_of, type_of
from tests.expressions.functions.recorded import recorded
from viewscribe import Table, TableEnvironment, call, col, over
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.expressions.resolve import resolve_freely


def test_every_function_is_there() -> None:
    kinds = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)
    wanted = {name for name, each in all_built_ins().items() if each.kind in kinds}
    known = {made.function.name for made in plain_calls().values()}
    assert {all_built_ins()[name].name for name in wanted} - known <= ONLY_IN_GROUPS


ONLY_IN_GROUPS = {"grouping", "grouping_id"}
"""Spark knows these in a GROUP BY with sets alone."""


def test_spark_says_the_same() -> None:
    made, theirs = variants(), recorded("clauses", "ansi")
    ours = {title: shown(type_of(each)) for title, each in made.items()}
    wanted = {title: theirs[text_of_any(each)] for title, each in made.items()}
    assert {title for title in made if ours[title] != wanted[title]} == set()
    assert 60 < sum(type_ == REFUSED for type_ in ours.values()) < len(ours) - 60


@pytest.mark.parametrize("name", ["collect_list", "collect_set", "array_agg", "collect_union"])
def test_respecting_nulls_and_ignoring_them_after_all(name: str) -> None:
    respecting = call(name, col("ai")).respect_nulls()
    assert text_of(respecting).endswith("(ai) RESPECT NULLS")
    assert text_of(call(name, col("ai")).ignore_nulls().respect_nulls()) == text_of(respecting)
    assert text_of(respecting.ignore_nulls()) == text_of(call(name, col("ai")).ignore_nulls())


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
