"""GROUPING SETS (()): groups to some versions and settings of Spark, a total to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from tests.spark.capture.ways import bytes_of, columns
from viewscribe.errors import CaptureError
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOWERED = "spark.sql.analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled"

TOTALS = " UNION ALL ".join(
    f"(SELECT {items} FROM VALUES (1L), (2L) AS v(id) WHERE id > {least} "
    f"GROUP BY GROUPING SETS (()){having})"
    for items in ("count(*) AS rows, sum(id) AS s", "grouping_id(), max(id) + 1", "1L, 2L")
    for least in (0, 100)
    for having in ("", " HAVING grouping_id() = 0")
)


@pytest.mark.parametrize("lowered", ["true", "false"])
def test_a_total_has_a_row_where_spark_gives_one(spark: SparkSession, lowered: str) -> None:
    """With the setting off, and before there was one, it has none where there are no rows."""
    with settings(spark, {}, own={LOWERED: lowered}):
        frame = spark.sql(TOTALS)
        given = spark.sql(vs.to_sql(frame))
        assert columns(given) == columns(frame)
        assert bytes_of(given) == bytes_of(frame)


@pytest.mark.parametrize("way", ["rollup", "cube"])
def test_a_recording_does_not_know_which(way: str) -> None:
    """Only a session's analyzer says whether the total of no rows is a row."""
    from pyspark.sql import functions as F

    def pipeline(spark: SparkSession) -> DataFrame:
        groups = getattr(spark.range(3), way)()
        found: DataFrame = groups.agg(F.count("*").alias("rows"))
        return found

    with pytest.raises(CaptureError, match=f"{way} without a key"):
        vs.record(pipeline, env=vs.TableEnvironment())
