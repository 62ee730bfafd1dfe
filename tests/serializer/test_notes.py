"""Comments behind clauses: nothing but comments, whatever stands in them, and each in its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties.pipelines import environment, pipelines
from tests.serializer.cases import CASES, ENV, ORDERS, PEOPLE
from viewscribe import Table, col, lit
from viewscribe import functions as F
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.operations.rewrites.split import split_deep_expressions
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.noted.comments import comment

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


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(table=pipelines(RANDOM), style=st.sampled_from(STYLES))
def test_so_it_is_for_random_pipelines(table: Table, style: str) -> None:
    text = to_sql(table.operation, style, notes=every_step_noted(table.operation))
    assert _COMMENT.sub("", text) == to_sql(table.operation, style)
