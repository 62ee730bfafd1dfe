"""Columns by name are made once for each JVM, and mean exactly that name."""

from __future__ import annotations

import pytest

from viewscribe.spark import types
from viewscribe.spark.types import named_column


@pytest.mark.parametrize("name", ["a", "a.b", "a`b", " ", "SELECT", "ü", "*"])
def test_any_name(spark, name):
    frame = spark.range(1).toDF(name)
    for _ in range(2):
        assert frame.select(named_column(name)).columns == [name]
        assert frame.select(named_column(name)).collect()[0][0] == 0
    assert named_column(name) is named_column(name)


def test_a_column_belongs_to_no_table(spark):
    one, other = spark.range(3).toDF("n"), spark.range(3).selectExpr("id + 10 AS n")
    assert [row.n for row in one.filter(named_column("n") > 1).collect()] == [2]
    assert [row.n for row in other.filter(named_column("n") > 11).collect()] == [12]
    joined = one.join(other.toDF("m"), named_column("n") == named_column("m") - 10)
    assert joined.count() == 3


def test_another_jvm_has_columns_of_its_own(spark, monkeypatch):
    before = named_column("n")

    monkeypatch.setattr("pyspark.SparkContext._gateway", object())
    assert named_column("n") is not before
    monkeypatch.undo()
    assert named_column("n") is not before


def test_not_more_than_so_many(spark, monkeypatch):
    monkeypatch.setattr(types, "_MOST", 3)
    for number in range(10):
        named_column(f"n{number}")
        assert len(types._known.columns) <= 3
