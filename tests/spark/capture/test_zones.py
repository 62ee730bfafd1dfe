"""What is made under one time zone, or under names that differ in case, means so, or is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONE = "spark.sql.session.timeZone"
CASE = "spark.sql.caseSensitive"

OF_A_ZONE = [
    "date_format(at, 'HH')",
    "hour(at)",
    "date_part('hour', at)",
    "CAST(at AS STRING)",
    "CAST(at AS DATE)",
    "to_date(at)",
    "to_date(coalesce(at, at))",
    "try_to_timestamp(dept, 'yyyy')",
    "to_timestamp(dept, 'yyyy')",
    "from_unixtime(quarter)",
    "date_trunc('day', at)",
    "CAST(array(at) AS ARRAY<STRING>)",
]

OF_NO_ZONE = [
    "quarter + 1",
    "CAST(quarter AS STRING)",
    "CAST(dept AS DATE)",
    "at",
    "year(DATE '2024-01-01')",
]


@pytest.mark.parametrize("call", OF_A_ZONE)
def test_the_zone_has_changed_since(
    call: str, spark: SparkSession, world: vs.TableEnvironment
) -> None:
    frame = spark.table("world.sales").selectExpr(f"{call} AS x")
    vs.capture(frame)
    with settings(spark, {ZONE: "+00:00"}):
        vs.capture(frame)  # the same by another name
    with settings(spark, {ZONE: "Asia/Tokyo"}), pytest.raises(CaptureError) as refused:
        vs.capture(frame)
    assert f"{ZONE} = UTC, and now the session has Asia/Tokyo" in str(refused.value)
    assert f'spark.conf.set("{ZONE}", "UTC")' in str(refused.value)


@pytest.mark.parametrize("call", OF_NO_ZONE)
def test_what_needs_no_zone(call: str, spark: SparkSession, world: vs.TableEnvironment) -> None:
    frame = spark.table("world.sales").selectExpr(f"{call} AS x")
    text = vs.capture(frame).to_sql()
    with settings(spark, {ZONE: "Asia/Tokyo"}):
        assert vs.capture(frame).to_sql() == text


def test_names_that_differ_in_case_alone(spark: SparkSession, world: vs.TableEnvironment) -> None:
    with settings(spark, {CASE: "true"}):
        frame = spark.table("world.people").selectExpr("name", "dept AS NAME")
        with pytest.raises(CaptureError, match=f"{CASE} = true"):
            vs.capture(frame)
        with pytest.raises(CaptureError, match=f"{CASE} = true"):
            vs.record(lambda session: session.table("world.people"), spark)
