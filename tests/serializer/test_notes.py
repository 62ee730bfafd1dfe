"""Comments behind clauses: nothing but comments, whatever stands in them, and each in its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.properties.pipelines import environment, pipelines
from tests.serializer.cases import CASES, ORDERS, PEOPLE
from viewscribe import Table, col, lit
from viewscribe import functions as F
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.operations.rewrites.split import split_large_expressions
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.blocks import comment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NUMBER = r"step\.py:\d+"
_COMMENT = re.compile(rf" -- {_NUMBER}(?:, {_NUMBER})*$", re.MULTILINE)

RANDOM = environment()


def every_step_noted(operation: QueryOperation) -> Notes:
    """A number for each operation, those below first."""
    steps: list[QueryOperation] = []
    seen: set[int] = set()
    for node in preorder(operation):
        if isinstance(node, QueryOperation) and id(node) not in seen:
            seen.add(id(node))
            steps.append(node)
    notes = Notes()
    for number, step in enumerate(reversed(steps), 1):
        notes.note(step, f"step.py:{number}")
    return notes


def shown(text: str) -> set[str]:
    """The numbers in the comments of a text."""
    return {number for each in _COMMENT.findall(text) for number in re.findall(_NUMBER, each)}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CASES)
def test_without_its_comments_the_text_is_the_plain_one(name: str, style: str) -> None:
    operation = CASES[name]().operation
    text = to_sql(operation, style, notes=every_step_noted(operation))
    assert _COMMENT.sub("", text) == to_sql(operation, style)
    assert shown(text), text


@settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
@given(table=pipelines(RANDOM), style=st.sampled_from(STYLES))
def test_so_it_is_for_random_pipelines(table: Table, style: str) -> None:
    text = to_sql(table.operation, style, notes=every_step_noted(table.operation))
    assert _COMMENT.sub("", text) == to_sql(table.operation, style)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CASES)
def test_no_step_is_left_out(name: str, style: str) -> None:
    """But a name that another one right above it replaces, or that nothing is called by."""
    operation = CASES[name]().operation
    notes = every_step_noted(operation)
    there = shown(to_sql(operation, style, notes=notes))
    missing = {
        type(step).__name__
        for step, text in notes._noted.values()
        if not {*(text or "").split(", ")} <= there
    }
    # The one row that a generator stands over becomes constants of the SELECT.
    constants = {"Values"} if name == "generator_over_the_row_around" else set()
    assert missing <= {"SubqueryAlias"} | constants


def beside(text: str) -> dict[str, str]:
    """The comment of each line that has one."""
    lines = [line.partition(" -- ") for line in text.splitlines()]
    return {line.strip().rstrip(","): note for line, _, note in lines if note}


def noted(table: Table, *lines: tuple[Table, str]) -> str:
    notes = Notes()
    for step, text in lines:
        notes.note(step.operation, text)
    return to_sql(table.operation, notes=notes)


def test_each_clause_has_the_line_of_its_step() -> None:
    source = PEOPLE
    added = source.add_columns((col("id") + 1).alias("next"))
    first = added.filter(col("ok"))
    second = first.filter(col("born").is_not_null() | (col("next") > 3))
    grouped = second.group_by("name").agg(F.max(col("next")).alias("most"))
    having = grouped.filter(col("most") > 1)
    ordered = having.order_by("name")
    last = ordered.limit(3)
    steps = [source, added, first, second, grouped, having, ordered, last]
    text = noted(last, *[(step, f"etl.py:{line}") for line, step in enumerate(steps, 1)])
    assert beside(text) == {
        "max(id + 1) AS most": "etl.py:2",
        "FROM spark_catalog.shop.people": "etl.py:1",
        "WHERE ok": "etl.py:3",
        "AND (born IS NOT NULL OR id + 1 > 3)": "etl.py:2, etl.py:4",
        "GROUP BY name": "etl.py:5",
        "HAVING max(id + 1) > 1": "etl.py:2, etl.py:6",
        "ORDER BY name": "etl.py:7",
        "LIMIT 3": "etl.py:8",
    }


def test_equal_steps_of_different_lines_are_told_apart() -> None:
    one, other = (PEOPLE.filter(col("ok")).select("id") for _ in range(2))
    assert one.operation == other.operation
    notes = Notes()
    notes.note(one.operation, "etl.py:1")
    notes.note(other.operation, "etl.py:2")
    assert [notes.of(table.operation) for table in (one, other)] == ["etl.py:1", "etl.py:2"]


def test_no_notes_no_comments() -> None:
    assert to_sql(ORDERS.operation, notes=Notes()) == ORDERS.to_sql()


@pytest.mark.parametrize("style", STYLES)
def test_what_nests_too_deep_keeps_its_notes(style: str) -> None:
    expression = col("id")
    for _ in range(120):
        expression = F.abs(expression)
    source = PEOPLE
    deep = source.filter(expression > 1)
    last = deep.select(expression.alias("deep"))
    notes = Notes()
    for line, step in enumerate((source, deep, last), 1):
        notes.note(step.operation, f"step.py:{line}")
    text = to_sql(last.operation, style, notes=notes)
    assert split_large_expressions(last.operation) != last.operation
    assert shown(text) == {"step.py:1", "step.py:2", "step.py:3"}
    assert _COMMENT.sub("", text) == to_sql(last.operation, style)


BREAKING_OUT = [
    "etl.py:1\nOR TRUE",
    "etl.py:1\r OR TRUE",
    "etl.py:1 \\",
    "etl.py:1 */ OR TRUE /*",
    "${spark.app.name}",
    'it\'s "x" `y`; DROP',
    "a--b",
    "/*+ BROADCAST(t) */",
    "zeile\u2028\u0085\x0b\x0cx",
    "übung.py:3",
]


@pytest.mark.parametrize("text", BREAKING_OUT)
def test_a_comment_ends_where_its_line_does(text: str) -> None:
    made = comment([text])
    assert made.startswith(" -- ")
    assert len(made.splitlines()) == 1
    assert not set("\\'\"`;$*") & set(made)


@settings(max_examples=examples(120))
@given(st.text(min_size=1))
def test_whatever_is_in_it(text: str) -> None:
    made = comment([text])
    assert len(made.splitlines()) <= 1
    assert not set("\\'\"`;${}*") & set(made)
    assert "--" not in made[4:]


def parsed(spark: Any, text: str) -> str:
    """Spark's plan of a text, without the numbers that it gives columns."""
    plan = spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
    return re.sub(r"#\d+", "#", plan.treeString())


@pytest.mark.parametrize("style", STYLES)
def test_spark_reads_the_same_plan(style: str, spark: SparkSession) -> None:
    for name, make in CASES.items():
        operation = make().operation
        commented = to_sql(operation, style, notes=every_step_noted(operation))
        assert parsed(spark, commented) == parsed(spark, to_sql(operation, style)), name


@pytest.mark.parametrize("text", BREAKING_OUT)
def test_spark_reads_the_same_plan_whatever_is_in_comments(text: str, shop: SparkSession) -> None:
    table = PEOPLE.filter(col("ok")).filter(col("id") > lit(0)).select("id")
    notes = Notes()
    notes.note(table.operation, text)
    commented = to_sql(table.operation, notes=notes)
    assert "--" in commented
    rows = [sorted(shop.sql(each).collect()) for each in (commented, table.to_sql())]
    assert rows[0] == rows[1] != []
    assert parsed(shop, commented) == parsed(shop, table.to_sql())
