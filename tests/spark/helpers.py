"""Comparing what a pipeline gives with SQL written by hand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

from tests.spark.answers import Answers
from viewscribe.spark.compare import canonical_rows, frozen

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs


def rows(frame: DataFrame) -> list[Any]:
    """The rows in canonical form, in their order."""
    names = [f"c{place}" for place in range(len(frame.columns))]
    return [frozen(row) for row in canonical_rows(frame, names).collect()]


def by_column(frame: DataFrame) -> dict[str, tuple[str, list[Any]]]:
    """The type and the values of each column, sorted."""
    found = rows(frame)
    return {
        name: (type_, sorted((row[place] for row in found), key=repr))
        for place, (name, type_) in enumerate(columns(frame))
    }


def columns(frame: DataFrame) -> list[tuple[str, str]]:
    """Names and types."""
    return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]


def gives(spark: SparkSession, table: vs.Table, sql: str, *, ordered: bool = False) -> None:
    """Asserts that a pipeline gives the columns and rows of a query written by hand.

    The query may say ``people`` for ``world.people``.
    """
    before = spark.catalog.currentDatabase()
    spark.catalog.setCurrentDatabase("world")
    try:
        expected = spark.sql(sql)
    finally:
        spark.catalog.setCurrentDatabase(before)
    actual = table.to_dataframe(spark)
    assert columns(actual) == columns(expected)
    assert [name for name, _ in columns(actual)] == list(table.schema.names)
    answers = Answers(rows)
    if ordered:
        assert answers.of(actual) == answers.of(expected)
    else:
        ours, theirs = Counter(answers.of(actual)), Counter(answers.of(expected))
        assert ours == theirs, f"surplus: {ours - theirs}, missing: {theirs - ours}"


def sorted_rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows as tuples, in an order of their own."""
    return sorted(map(tuple, frame.collect()), key=repr)


def failure(frame: DataFrame) -> str:
    """What Spark says when it runs a frame that must fail."""
    with pytest.raises(PySparkException) as error:
        frame.collect()
    return str(error.value)


def plan_of(frame: DataFrame) -> str:
    """The analyzed plan as text."""
    java: Any = frame
    return str(java._jdf.queryExecution().analyzed().toString())
