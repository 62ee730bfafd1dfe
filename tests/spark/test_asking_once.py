"""What a session says of itself is asked once for a view, and never believed for too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import viewscribe as vs
from benchmarks.processes import CountedCalls
from viewscribe.spark.session import (
    analyze_query,
    columns_json,
    current_namespace,
    inside,
    session_settings,
    settings,
)
from viewscribe.spark.session_state import ask_once, state_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

MOMENT = "SELECT TIMESTAMP '2026-01-01 00:00:00' AS moment"
TYPE = "spark.sql.timestampType"
ZONE = "spark.sql.session.timeZone"


def _frame(spark: SparkSession) -> DataFrame:
    people = spark.table("world.people").filter(F.col("salary") > 3)
    joined = people.join(spark.table("world.depts"), "dept")
    return joined.groupBy("city").agg(F.sum("salary").alias("total")).orderBy("city")


@pytest.mark.parametrize(("place", "most"), [("session", 29), ("files", 14)])
def test_calls_for_a_view(
    spark: SparkSession, env: vs.TableEnvironment, tmp_path: Path, place: str, most: int
) -> None:
    """``CREATE VIEW`` by ``spark.sql`` takes five."""
    catalog = None if place == "session" else f"file:{tmp_path}"
    spark.sql("CREATE DATABASE counted")
    try:
        counts = []
        with inside(spark, ("spark_catalog", "counted")):
            for number in range(12):
                frame = _frame(spark)
                with CountedCalls(spark) as calls:
                    vs.save_view(frame, f"v{number}", catalog=catalog)
                counts.append(len(calls))
        # The first one compiles what reads plans, and stores tables; how many there are already
        # makes no difference.
        assert max(counts[1:]) <= most, calls
        assert len(set(counts[1:])) == 1
    finally:
        spark.sql("DROP DATABASE counted CASCADE")


def test_a_query_is_analyzed_again_once_its_meaning_may_have_changed(spark: SparkSession) -> None:
    def told() -> str:
        return columns_json(spark, MOMENT)

    with ask_once(spark), settings(spark, {}):
        current_namespace(spark)
        analyze_query(spark, MOMENT)
        with CountedCalls(spark) as calls:
            plain = told()
            told()
        assert sum(MOMENT in call for call in calls) == 0
        with settings(spark, {TYPE: "TIMESTAMP_NTZ"}):
            assert "timestamp_ntz" in told()
        assert told() == plain
        assert "timestamp_ntz" not in plain


def test_a_query_is_analyzed_again_in_another_database(
    spark: SparkSession, env: vs.TableEnvironment
) -> None:
    spark.sql("CREATE DATABASE other")
    try:
        spark.sql("CREATE TABLE other.depts (only BIGINT) USING parquet")
        with ask_once(spark), settings(spark, {}), inside(spark, ("spark_catalog", "world")):
            current_namespace(spark)
            analyze_query(spark, "SELECT * FROM depts")
            with inside(spark, ("spark_catalog", "other")):
                assert "only" in columns_json(spark, "SELECT * FROM depts")
            assert "city" in columns_json(spark, "SELECT * FROM depts")
    finally:
        spark.sql("DROP DATABASE other CASCADE")


def test_settings_are_known_as_they_are_inside_and_after(spark: SparkSession) -> None:
    before = spark.conf.getAll
    with ask_once(spark):
        with settings(spark, {ZONE: "Asia/Tokyo", TYPE: "TIMESTAMP_NTZ"}):
            assert dict(session_settings(spark)) == spark.conf.getAll
            with settings(spark, {ZONE: "Europe/Oslo"}):
                assert dict(session_settings(spark)) == spark.conf.getAll
        assert dict(session_settings(spark)) == spark.conf.getAll == before
        with pytest.raises(ValueError, match="stop"), settings(spark, {ZONE: "Asia/Tokyo"}):
            raise ValueError("stop")
        assert dict(session_settings(spark)) == spark.conf.getAll == before


def test_nothing_is_kept_outside_and_nothing_of_another_session(spark: SparkSession) -> None:
    other = spark.newSession()
    with ask_once(spark):
        session_settings(spark)
        assert state_of(spark).settings is not None
        assert state_of(other).settings is None
        with settings(other, {ZONE: "Asia/Tokyo"}):
            assert session_settings(spark)[ZONE] == "UTC"
    assert state_of(spark).settings is None
