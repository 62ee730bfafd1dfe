"""``q.q``: the column of a table ``q``, or the field of a column, after each step as in Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from tests.spark.capture.ways import columns
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import SessionSources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

Step = Callable[[Any], Any]


STEPS: dict[str, Step] = {
    "none": lambda df: df,
    "filter": lambda df: df.filter("id > 0"),
    "sort": lambda df: df.orderBy("id").limit(2).offset(1),
    "distinct": lambda df: df.distinct(),
    "dropDuplicates": lambda df: df.dropDuplicates(["id"]),
    "dropDuplicates of itself": lambda df: df.dropDuplicates(["q"]),
    "select": lambda df: df.select("q", "id"),
    "select as it is called": lambda df: df.select(F.col("q").alias("q")),
    "withColumn": lambda df: df.withColumn("id", F.lit(1)),
    "withColumn of itself": lambda df: df.withColumn("q", F.col("q")),
    "rename": lambda df: df.withColumnRenamed("id", "z"),
    "toDF": lambda df: df.toDF("q", "id"),
    "to": lambda df: df.to(df.schema),
    "drop": lambda df: df.drop("id"),
    "union": lambda df: df.union(df.select(F.col("q").alias("z"), "id")),
    "union of others": lambda df: df.select(F.col("q").alias("q"), "id").union(df),
    "union by name": lambda df: df.unionByName(df.select("q"), allowMissingColumns=True),
    "intersect": lambda df: df.intersect(df.filter("id > 0")),
    "except": lambda df: df.exceptAll(df.filter("id > 0")),
    "distinct union": lambda df: df.union(df).distinct(),
    "group": lambda df: df.groupBy("q").count(),
    "group as it is called": lambda df: df.groupBy(F.col("q").alias("q")).count(),
    "rollup": lambda df: df.rollup("q").count(),
    "pivot": lambda df: df.groupBy("q").pivot("id", [1]).count(),
    "unpivot": lambda df: df.unpivot(["q"], ["id"], "name", "value"),
    "join": lambda df: df.join(
        df.select(F.col("id").alias("z")), F.col("id") == F.col("z"), "left"
    ),
    "join by name": lambda df: df.join(df.select("id"), "id", "full"),
    "join by itself": lambda df: df.join(df.select("q"), "q", "right"),
    "join by itself, full": lambda df: df.join(df.select("q"), "q", "full"),
    "fillna": lambda df: df.fillna(0),
    "window": lambda df: df.withColumn("w", F.count("id").over(Window.partitionBy("id"))),
    "explode": lambda df: df.select("q", F.explode(F.array("id", "id"))),
}


def _base(session: Any) -> Any:
    rows = session.range(3).select(F.struct(F.col("id").alias("q")).alias("q"), "id")
    return rows.alias("q")


@pytest.mark.parametrize("name", STEPS)
def test_a_dotted_name_means_what_it_does_to_spark(
    name: str,
    spark: SparkSession,
    planner: Planner,
    offline: OfflineSession,
    recorded: Callable[[Callable[[Any], Any]], Any],
) -> None:
    def program(session: Any) -> Any:
        return STEPS[name](_base(session)).select(F.col("q.q").alias("found"))

    df = recorded(program)
    ((_, expected),) = columns(planner.frame(df._plan.plan(df._session.client)))
    (field,) = capture(df, sources=SessionSources(spark)).schema.fields
    assert field.type.same_type(expected)
