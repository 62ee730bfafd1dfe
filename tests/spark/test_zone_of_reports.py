"""What a report says of the time zone, and views of one zone in a session of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from viewscribe.serializer.targets import SettingsWarning
from viewscribe.spark.report import VerificationReport

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ZONE = "spark.sql.session.timeZone"
BERLIN = "Europe/Berlin"
T = "TIMESTAMP '2020-06-01 00:30:00'"
MOMENTS = f"SELECT * FROM VALUES ({T}, '2020-06-01 01:00:00', DATE '2020-06-01') AS m(t, s, d)"

DEPENDING = {
    f"t > {T}": "TIMESTAMP",
    "CAST(s AS TIMESTAMP)": "a cast from STRING to TIMESTAMP",
    "CAST(t AS DATE)": "a cast from TIMESTAMP to DATE",
    "t::TIMESTAMP_NTZ": "a cast from TIMESTAMP to TIMESTAMP_NTZ",
    "hour(t)": "hour",
    "to_timestamp(s)": "to_timestamp",
    "t < s": "<",
    "coalesce(t, d)": "coalesce",
    "from_unixtime(0)": "from_unixtime",
    "date_format(t, 'HH')": "date_format",
    "current_timezone()": "current_timezone",
}
PLAIN = ("t", "s", "year(d)", "t <=> t", "d + 1", "upper(s)", "coalesce(t, NULL)")


@pytest.fixture
def env(spark: SparkSession, tmp_path: Path) -> Iterator[vs.TableEnvironment]:
    before = spark.conf.get(ZONE) or "UTC"
    spark.conf.set(ZONE, BERLIN)
    spark.sql(f"CREATE TABLE moments USING parquet AS {MOMENTS}")
    env = vs.TableEnvironment.open(f"file:{tmp_path}/views", settings={ZONE: BERLIN})
    env.create_database("demo")
    env.create_table("moments", "t TIMESTAMP, s STRING, d DATE")
    yield env
    spark.conf.set(ZONE, before)
    spark.sql("DROP TABLE moments")


def _report(env: vs.TableEnvironment, spark: SparkSession, item: str) -> VerificationReport:
    made: VerificationReport = vs.verify(env.sql_query(f"SELECT {item} AS c FROM moments"), spark)
    return made


@pytest.mark.slow("a verification for each item")
def test_a_report_says_the_zone_that_a_pipeline_depends_on(
    env: vs.TableEnvironment, spark: SparkSession
) -> None:
    for item, part in DEPENDING.items():
        report = _report(env, spark, item)
        assert report.ok, item
        assert report.zone == report.to_json()["zone"] == BERLIN, item
        assert part in str(report.zoned), item
        assert f"in the time zone {BERLIN}" in str(report)
        assert VerificationReport.from_json(report.to_json()) == report
    for item in PLAIN:
        report = _report(env, spark, item)
        assert report.ok, item
        assert report.zone is None, item
        assert "zone" not in report.to_json()


def test_a_view_keeps_its_zone_in_a_session_of_another(
    env: vs.TableEnvironment, spark: SparkSession
) -> None:
    items = [item for item in DEPENDING if item != "current_timezone()"]
    text = f"SELECT {', '.join(f'{item} AS c{at}' for at, item in enumerate(items))} FROM moments"
    wanted = spark.sql(text).collect()
    env.create_view("demo.v", env.sql_query(text))
    vs.save_view(vs.record(lambda session: session.sql(text), spark), "kept")
    for zone in ("America/New_York", "UTC"):
        spark.conf.set(ZONE, zone)
        assert vs.open_view(env, "demo.v", spark).collect() == wanted
        assert env.view_table("demo.v").to_dataframe(spark).collect() == wanted
        assert spark.table("kept").collect() == wanted
        report = vs.verify(env.get_view("demo.v"), spark)
        assert report.ok
        assert report.zone == BERLIN
    spark.sql("DROP VIEW kept")


@pytest.mark.parametrize(
    "item", ["current_timezone()", "convert_timezone('UTC', t::TIMESTAMP_NTZ)"]
)
def test_a_report_says_what_opening_the_view_warns_of(
    env: vs.TableEnvironment, spark: SparkSession, item: str
) -> None:
    env.create_view("demo.late", env.sql_query(f"SELECT {item} AS c FROM moments"))
    assert vs.verify(env.get_view("demo.late"), spark).late == ()
    spark.conf.set(ZONE, "UTC")
    with pytest.warns(SettingsWarning) as warned:
        vs.open_view(env, "demo.late", spark)
    report = vs.verify(env.get_view("demo.late"), spark)
    (told,), (warning,) = report.late, warned
    assert (
        told.partition(" is meant for ")[2] == str(warning.message).partition(" is meant for ")[2]
    )
    assert told in str(report)
    assert VerificationReport.from_json(report.to_json()) == report
