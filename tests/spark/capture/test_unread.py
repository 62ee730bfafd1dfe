"""Columns of Python functions that a later step drops are no part of the view, at any door."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from tests.spark.capture.ways import WAYS, Ways, assert_same
from viewscribe.errors import CaptureError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner
    from viewscribe.operations.base import QueryOperation

Pipeline = Callable[[Any], Any]


def _twice(column: Any, kind: str = "bigint") -> Any:
    from pyspark.sql import functions as F

    return F.udf(lambda number: 2 * number, kind)(column)


def _counted(spark: Any) -> Any:
    return spark.range(3).withColumn("u", _twice("id")).withColumn("e", F.col("id") % 2)


def _joined_with_itself(frame: Any) -> Any:
    return frame.drop("u").join(frame.select("id"), "id")


def _numbered(frame: Any) -> Any:
    from pyspark.sql import Window

    by_value = Window.orderBy("u").partitionBy("e")
    by_id = Window.orderBy("id")
    both = frame.withColumns({"a": F.row_number().over(by_id), "b": F.rank().over(by_value)})
    return both.drop("u", "b")


def _in_a_query(frame: Any) -> Any:
    return frame.drop("u").where(F.col("id").isin(1, 2) | frame.drop("u").limit(1).exists())


LEFT_OUT: dict[str, Callable[[Any], Any]] = {
    "dropped": lambda frame: frame.drop("u"),
    "used by what is dropped": lambda frame: frame.withColumn("v", F.col("u") + 1).select("id"),
    "given another value": lambda frame: frame.withColumn("u", F.lit(1)),
    "in place of a column": lambda frame: frame.withColumn("id", _twice("id")).select("e"),
    "without a name": lambda frame: frame.select("id", _twice("e")).drop("<lambda>(e)"),
    "of another": lambda frame: frame.withColumn("v", _twice("u")).drop("u", "v"),
    "grouped": lambda frame: frame.groupBy("id").count(),
    "pivoted": lambda frame: frame.groupBy("id").pivot("e", [0, 1]).agg(F.count("id")),
    "filtered": lambda frame: frame.where("id > 0").orderBy("id").alias("a").select("a.id"),
    "joined": lambda frame: frame.join(frame.sparkSession.range(2), "id").select("id"),
    "joined on a condition": lambda frame: (
        frame.alias("a").join(frame.alias("b"), F.expr("a.id = b.id + 1")).select("a.id", "b.e")
    ),
    "joined on the right": lambda frame: (
        frame.sparkSession.range(2).join(frame, "id", "full").select("id", "e")
    ),
    "exploded beside it": lambda frame: frame.select(
        "*", F.explode(F.array("id", "e")).alias("x")
    ).drop("u"),
    "in a union": lambda frame: frame.union(frame).drop("u"),
    "in a union with what is read elsewhere": lambda frame: (
        frame.union(frame.selectExpr("e", "id AS u", "id")).drop("u").join(frame.drop("u"), "id")
    ),
    "in a union by names": lambda frame: (
        frame.select("id")
        .unionByName(frame, allowMissingColumns=True)
        .unionByName(frame.select("e", "id"), allowMissingColumns=True)
        .drop("u")
    ),
    "in a union of unions": lambda frame: (
        frame.union(frame.selectExpr("e", "e", "e").union(frame)).select("e").distinct()
    ),
    "in rows that others compare": lambda frame: (
        frame.union(frame).drop("u").distinct().exceptAll(frame.select("id", "e").limit(1))
    ),
    "where others are compared": lambda frame: frame.dropDuplicates(["id", "e"]).drop("u"),
    "in an aggregate": lambda frame: (
        frame.groupBy("id").agg(F.max("u").alias("m"), F.count("*").alias("c")).drop("m")
    ),
    "in the only aggregate": lambda frame: frame.groupBy("e").agg(F.max("u").alias("m")).drop("m"),
    "numbered": _numbered,
    "joined with itself": _joined_with_itself,
    "in a query": _in_a_query,
}
READ: dict[str, Callable[[Any], Any]] = {
    "shown": lambda frame: frame.select((F.col("u") + 1).alias("v")),
    "a condition": lambda frame: frame.where("u > 0").drop("u"),
    "a condition of what depends on it": lambda frame: (
        frame.withColumn("v", F.col("u") + 1).where("v > 0").select("id")
    ),
    "a condition of what it replaced": lambda frame: (
        frame.withColumn("id", _twice("id")).where("id > 0").select("e")
    ),
    "a condition of a join": lambda frame: (
        frame.alias("a").join(frame.alias("b"), F.expr("a.u = b.id")).select("a.id")
    ),
    "a key of a join": lambda frame: frame.join(frame.select("u"), "u").select("id"),
    "a key of a sort": lambda frame: frame.orderBy("u").drop("u"),
    "a key of groups": lambda frame: frame.groupBy("u").count().drop("u"),
    "an aggregate": lambda frame: frame.groupBy("id").agg(F.max("u")),
    "rows compared": lambda frame: frame.distinct().drop("u"),
    "rows compared by another": lambda frame: frame.dropDuplicates(["id"]),
    "rows compared by it": lambda frame: frame.dropDuplicates(["u"]).drop("u"),
    "an intersection": lambda frame: frame.intersect(frame).drop("u"),
    "a difference": lambda frame: frame.exceptAll(frame).drop("u"),
    "a union whose rows are compared": lambda frame: frame.union(frame).distinct().drop("u"),
    "a union": lambda frame: frame.union(frame.selectExpr("id", "id AS u", "e")),
    "all columns of a union": lambda frame: (
        frame.select("u").union(frame.select("u")).groupBy().count()
    ),
    "the only aggregate of all rows": lambda frame: (
        frame.agg(F.max("u").alias("m")).groupBy().count()
    ),
    "an aggregate that is a condition": lambda frame: (
        frame.groupBy("id").agg(F.max("u").alias("m")).where("m > 0").drop("m")
    ),
    "rows compared by it and another": lambda frame: frame.dropDuplicates(["u", "id"]).drop("u"),
    "rows made of it": lambda frame: frame.select("id", F.explode(F.array("u")).alias("x")).drop(
        "x"
    ),
    "partitions": lambda frame: frame.repartition(2, "u").drop("u"),
    "not deterministic": lambda frame: (
        frame.withColumn("v", F.udf(lambda: 1, "int").asNondeterministic()())
        .where("v = 1")
        .drop("v", "u")
    ),
}


@pytest.fixture(scope="module")
def ways(spark: SparkSession, planner: Planner, offline: OfflineSession) -> Ways:
    return Ways(spark, planner, offline)


def _tree(ways: Ways, way: str, pipeline: Pipeline) -> QueryOperation:
    if way == "classic":
        return ways.analyzed(pipeline(ways.spark))
    if way == "record":
        return ways.recorded(pipeline)
    return ways.over_connect(ways.connect(pipeline))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_nothing_reads_is_left_out(name: str, way: str, ways: Ways):
    def pipeline(spark: Any) -> Any:
        return LEFT_OUT[name](_counted(spark))

    assert_same(pipeline(ways.spark), _tree(ways, way, pipeline))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_refused(name: str, way: str, ways: Ways):
    def pipeline(spark: Any) -> Any:
        return READ[name](_counted(spark))

    with pytest.raises(CaptureError, match="Python function of this session"):
        _tree(ways, way, pipeline)
