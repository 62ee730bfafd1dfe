"""Columns of a pivot that are called as a key, as each other, or as both but for their case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from tests.spark.capture.ways import Pipeline, Ways, assert_same, columns, multiset
from viewscribe.serializer import to_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs
    from tests.spark.capture.planner import OfflineSession, Planner


def _named(spark: Any) -> Any:
    sales = spark.table("world.sales")
    which = F.when(F.col("quarter") == 1, "dept").when(F.col("quarter") == 2, "Q").otherwise("q")
    return sales.select("dept", which.alias("which"), "quarter", "amount")


def as_a_key(spark: Any) -> Any:
    return _named(spark).groupBy("dept").pivot("which", ["dept", "q"]).agg(F.sum("quarter"))


def but_for_their_case(spark: Any) -> Any:
    return _named(spark).groupBy("dept").pivot("which", ["Q", "q", "DEPT"]).agg(F.max("amount"))


def with_their_aggregates(spark: Any) -> Any:
    keys = _named(spark).groupBy("dept", F.col("quarter").alias("q_s"))
    return keys.pivot("which", ["q", "Q"]).agg(
        F.sum("amount").alias("s"), F.max("amount").alias("n")
    )


def by_amounts(spark: Any) -> Any:
    sales = spark.table("world.sales").withColumn("share", F.col("quarter") / 2)
    return sales.groupBy("dept").pivot("share", [0.5, 1.0, 1e10]).agg(F.sum("quarter"))


@pytest.mark.parametrize(
    "pipeline", [as_a_key, but_for_their_case, with_their_aggregates, by_amounts]
)
def test_columns_of_one_name_are_told_apart(
    pipeline: Pipeline,
    spark: SparkSession,
    world: vs.TableEnvironment,
    planner: Planner,
    offline: OfflineSession,
):
    ways = Ways(spark, planner, offline)
    frame = pipeline(spark)
    connected = ways.connect(pipeline)
    for tree in (ways.analyzed(frame), ways.over_connect(connected), ways.recorded(pipeline)):
        assert_same(frame, tree)
    piped = spark.sql(to_sql(tree, "pipe"))
    assert columns(piped) == columns(frame)
    assert multiset(piped) == multiset(frame)


@pytest.mark.parametrize("name", ["dept", "Q"])
def test_names_given_in_text_are_told_apart(
    name: str, spark: SparkSession, world: vs.TableEnvironment
):
    from viewscribe.spark.capture.classic import capture_classic

    frame = spark.sql(
        "SELECT * FROM (SELECT dept, quarter AS q, amount FROM world.sales) "
        f"PIVOT (max(amount) FOR q IN (1 AS {name}, 2 AS {name.upper()}2, 4 AS q))"
    )
    assert_same(frame, capture_classic(frame))
