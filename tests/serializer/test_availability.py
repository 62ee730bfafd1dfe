"""What is known of when functions and types came, asked of the running Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.expressions.functions.matrix import Question, questions
from tests.expressions.functions.palette import SCHEMA
from tests.expressions.functions.recorded import ask
from tests.versions import RUNNING, before
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.expressions.functions.syntax import FunctionCall
from viewscribe.expressions.resolve import resolve
from viewscribe.serializer.statement import needs
from viewscribe.serializer.targets import target_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUPS = ("scalars", "aggregates", "windows", "lambdas", "named")

NOT_LISTED = {"collate"}
"""Functions written as a call that Spark does not list."""

DOCUMENTED_OTHERWISE = {"max_by", "min_by", "time", "try_to_date"}
"""Functions of which Spark's documentation does not say when they came."""

_TIMES = "not every conversion from and to TIME is made before Spark 4.3"
DIFFERENT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("array", "equals", "greatest", "in", "least"), ("4.3", _TIMES)),
    **dict.fromkeys(("time", "time_diff", "time_trunc"), ("4.3", _TIMES)),
    "element_at": ("4.1", "an element of an array of values that are not NULL is not NULL"),
    "get_item": ("4.2", "the same, and a NULL of no type has no elements"),
}
"""Calls whose types an older Spark finds otherwise, by function: until which version, and why."""

EACH = 2
"""About how many calls of a function are asked for, far apart from each other."""


def test_functions_are_there_from_their_version_on(spark: SparkSession) -> None:
    listed = {row.function for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    wrong = []
    for function in all_built_ins().values():
        if function.kind is FunctionKind.DECLARATIVE or type(function.syntax) is not FunctionCall:
            continue
        if function.name in NOT_LISTED | DOCUMENTED_OTHERWISE:
            continue
        if (function.sql_name in listed) is before(function.since):
            wrong.append((function.name, function.since))
    assert not wrong


@pytest.mark.skipif(RUNNING is None, reason="of the newest, all calls are compared with a record")
@pytest.mark.parametrize("group", GROUPS)
def test_calls_that_need_nothing_newer_have_the_types_of_the_newest(
    spark: SparkSession, group: str
) -> None:
    asked = [question for each in by_function(group).values() for question in drawn(each)]
    assert asked
    found = ask(spark, group, "ansi", [question.text for question in asked])
    wrong = {
        question.text: (question.answer, found[question.text])
        for question in asked
        if question.answer != found[question.text] and not is_excused(question)
    }
    assert not wrong


def by_function(group: str) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for question in questions(group):
        if question.ours() is not None and is_known(question):
            found.setdefault(question.name, []).append(question)
    return found


def drawn(calls: list[Question]) -> list[Question]:
    return calls[:: max(1, len(calls) // EACH)]


def is_known(question: Question) -> bool:
    """Whether the running Spark has all that the call needs, as far as we know."""
    assert question.made is not None
    needed = [came for _, came in needs(resolve(question.made, SCHEMA))]
    return max(needed, default=(1, 0, 0)) <= target_of(RUNNING).version


def is_excused(question: Question) -> bool:
    known = DIFFERENT.get(question.name)
    return known is not None and before(known[0])
