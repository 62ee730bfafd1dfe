"""Long and deep pipelines run in Spark, as text and interpreted, with Spark's default settings.

The text of the readable style must parse and analyze where Spark gives up on the obvious forms.
Sizes of thousands are for ``make corpus``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus import WHOLE
from tests.serializer.deep_tables import SHAPES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SIZES = {
    "filters": 220,  # beyond 100 nested queries Spark's parser has no stack left
    "columns": 120,  # beyond 70, its analyzer
    "replacements": 220,  # beyond 100 nested queries, the parser again
    "union": 320,  # beyond 300 where parentheses nest; in one row it is beyond 500
    "terms": 600,  # beyond 250, nested in text or by Column's operator
    "calls": 300,  # beyond 200 calls of Column
}
"""Sizes beyond those at which the obvious form, written by hand, fails in Spark."""

GREAT = dict.fromkeys(("filters", "columns", "replacements", "union"), 1_000)
GREAT |= {"terms": 10_000, "calls": 300}
"""As long and deep as somebody might make them, for ``make corpus``."""


@pytest.mark.slow("Spark plans hundreds of everything")
@pytest.mark.parametrize("shape", SIZES)
def test_shape(deep: SparkSession, shape: str) -> None:
    check(deep, shape, (GREAT if WHOLE else SIZES)[shape])


def check(session: SparkSession, shape: str, size: int) -> None:
    """The rows of the text, and those of the interpreted tree, are the right ones."""
    table, rows = SHAPES[shape](size)
    for frame in (session.sql(table.to_sql()), table.to_dataframe(session)):
        assert frame.columns == table.columns
        assert collected(frame) == sorted(rows, key=repr)


def collected(data: DataFrame) -> list[tuple[object, ...]]:
    """The rows in a fixed order, by one task: a union of many tables would start as many."""
    return sorted((tuple(row) for row in data.coalesce(1).collect()), key=repr)
