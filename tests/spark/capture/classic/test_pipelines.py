"""Classic DataFrames: what the analyzer adds to a plan does not show in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.pipelines.listing import pipelines
from tests.spark.capture.ways import columns
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs

PIPELINES = pipelines()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "frames.two_windows",
            "SELECT\n"
            "  max(salary) OVER (PARTITION BY dept) - min(salary) OVER (PARTITION BY name) "
            "AS spread,\n"
            "  count(*) OVER (\n"
            "    PARTITION BY dept ORDER BY salary\n"
            "    RANGE BETWEEN 5L PRECEDING AND 5L FOLLOWING\n"
            "  ) AS near\n"
            "FROM spark_catalog.world.people\n",
        ),
        (
            "queries.order_on_what_is_not_selected",
            "SELECT\n  dept\nFROM spark_catalog.world.people\nGROUP BY dept\n"
            "ORDER BY max(salary)\n",
        ),
        (
            "queries.having_what_is_not_selected",
            "SELECT\n  dept\nFROM spark_catalog.world.people\nGROUP BY dept\n"
            "HAVING sum(salary) > 10\n",
        ),
        (
            "frames.hopping_windows",
            "SELECT\n"
            "  window(at, '10 minutes', '5 minutes', '1 minute') AS window,\n"
            "  count(*) AS count\n"
            "FROM spark_catalog.world.sales\n"
            "GROUP BY window(at, '10 minutes', '5 minutes', '1 minute')\n",
        ),
        (
            "queries.padded_texts",
            "SELECT\n  c,\n  v,\n  n\nFROM spark_catalog.world.padded\nWHERE c = rpad('a', 5)\n",
        ),
    ],
)
def test_what_the_analyzer_adds_does_not_show(
    name: str, text: str, spark: SparkSession, world: vs.TableEnvironment
):
    assert _words(to_sql(capture_classic(PIPELINES[name](spark)))) == _words(text)


def test_filled_values_are_cast_where_that_says_something(
    spark: SparkSession, world: vs.TableEnvironment
):
    people = spark.table("world.people").select("name", "salary", "score")
    texts: dict[Any, str] = {
        "?": "coalesce(name, '?') AS name",
        7: "coalesce(salary, CAST(7.0D AS INT)) AS salary",
        1.5: "coalesce(nanvl(score, NULL), 1.5D) AS score",
    }
    for value, written in texts.items():
        frame = people.na.fill(value)
        text = to_sql(capture_classic(frame))
        assert written in text
        assert columns(spark.sql(text)) == columns(frame)
        plans = [_optimized(each) for each in (frame, spark.sql(text))]
        assert plans[0].sameResult(plans[1])


def _optimized(frame: Any) -> Any:
    return frame._jdf.queryExecution().optimizedPlan()


def test_casts_of_other_values_stay(spark: SparkSession, world: vs.TableEnvironment):
    people = spark.table("world.people")
    frame = people.selectExpr("CAST('?' AS STRING) AS a", "coalesce(name, dept) AS b")
    assert "CAST('?' AS STRING) AS a" in to_sql(capture_classic(frame))


def _words(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split()
