"""Python's zones against Java's: what a local time means where texts are read with it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

import pytest

import viewscribe as vs
from viewscribe.errors import SqlSyntaxError
from viewscribe.types.identifiers import knows_local_time

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

YEARS = (1500, 1860, 1893, 1913, 1931, 1943, 1957, 1968)
ZONE = "spark.sql.session.timeZone"


def test_zones_that_are_read_are_those_of_java(spark: SparkSession) -> None:
    java: Any = spark._jvm.java.time  # type: ignore[union-attr]
    theirs = set(java.ZoneId.getAvailableZoneIds())
    wrong = []
    for name in sorted(available_timezones() & theirs):
        rules = java.ZoneId.of(name).getRules()
        for year in YEARS:
            if knows_local_time(ZoneInfo(name), year):
                moment = dt.datetime(year, 6, 1, tzinfo=ZoneInfo(name))
                offset = moment.utcoffset()
                known = rules.getOffset(java.LocalDateTime.of(year, 6, 1, 0, 0)).getTotalSeconds()
                if offset is None or offset.total_seconds() != known:
                    wrong.append((name, year))
    assert wrong == []


def test_a_moment_of_two_pasts_is_refused() -> None:
    env = vs.TableEnvironment(settings={ZONE: "Europe/Oslo"})
    with pytest.raises(SqlSyntaxError, match="depends on how the zone database was built"):
        env.sql_query("SELECT TIMESTAMP '1500-06-01 00:00:00' AS at")
    for text in ("2020-06-01 00:00:00", "1500-06-01 00:00:00+01:00"):
        env.sql_query(f"SELECT TIMESTAMP '{text}' AS at")
    elsewhere = vs.TableEnvironment(settings={ZONE: "America/New_York"})
    elsewhere.sql_query("SELECT TIMESTAMP '1950-06-01 00:00:00' AS at")
