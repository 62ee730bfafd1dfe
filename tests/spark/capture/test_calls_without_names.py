"""``F.product``, ``F.call_udf`` and ``F.expr`` in every door, as aggregates and over windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from tests.spark.capture.ways import Pipeline, Ways, assert_same

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs
    from tests.spark.capture.planner import OfflineSession, Planner


def products(spark: Any) -> Any:
    """Of no value at all a product is NULL."""
    sales = spark.table("world.sales").groupBy("dept")
    return sales.agg(F.product("amount"), (F.product("quarter") + 1).alias("q"), F.count("dept"))


def product_of_all(spark: Any) -> Any:
    people = spark.table("world.people")
    rich = F.when(F.col("salary") > 10, F.col("salary"))
    return people.select(F.product(rich).alias("p"), F.product("score").isNull().alias("n"))


def running_products(spark: Any) -> Any:
    by_quarter = Window.partitionBy("dept").orderBy("quarter")
    near = by_quarter.rowsBetween(-1, 0)
    return spark.table("world.sales").select(
        "dept",
        F.product("quarter").over(by_quarter),
        F.round(F.product("quarter").over(near) * 2, 1).alias("near"),
        (F.product("quarter").over(Window.partitionBy("dept")) + 1),
    )


def called_by_name(spark: Any) -> Any:
    people = spark.table("world.people").groupBy(F.call_udf("upper", F.col("dept")).alias("d"))
    return people.agg(
        F.call_udf("max", F.col("salary")),
        F.call_udf("nvl", F.sum("salary"), F.lit(0)).alias("more"),
        F.call_function("concat", F.max("name"), F.lit("!")).alias("loud"),
    )


def written_as_text(spark: Any) -> Any:
    people = spark.table("world.people").groupBy(F.expr("upper(dept)").alias("d"))
    found = people.agg(
        F.expr("max(salary) FILTER (WHERE name LIKE 'b%') AS m"),
        F.expr("count(*) + 2"),
        F.expr("CASE WHEN sum(salary) > 20 THEN 'rich' END AS c"),
    )
    return found.withColumn("r", F.expr("rank() OVER (ORDER BY d DESC NULLS LAST)"))


@pytest.mark.parametrize(
    "pipeline", [products, product_of_all, running_products, called_by_name, written_as_text]
)
def test_every_door_gives_the_rows(
    pipeline: Pipeline,
    spark: SparkSession,
    world: vs.TableEnvironment,
    planner: Planner,
    offline: OfflineSession,
):
    ways = Ways(spark, planner, offline)
    frame = pipeline(spark)
    assert_same(frame, ways.analyzed(frame))
    assert_same(frame, ways.over_connect(ways.connect(pipeline)))
    assert_same(frame, ways.recorded(pipeline))
