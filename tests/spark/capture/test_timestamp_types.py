"""What TIMESTAMP stands for is a setting: types, texts and frames follow it, in every way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.spark.capture.ways import columns
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import Planner

SETTING = "spark.sql.timestampType"
TYPES = ("TIMESTAMP_LTZ", "TIMESTAMP_NTZ")

FOLLOWING = """
to_timestamp(name) | to_timestamp(name, 'yyyy') | to_timestamp(born) | to_timestamp(l)
to_timestamp(n) | to_timestamp(NULL) | try_to_timestamp(name) | try_to_timestamp(name, 'yyyy')
make_timestamp(salary, 1, 1, 1, 1, 1) | make_timestamp(salary, 1, 1, 1, 1, 1, 'UTC')
try_make_timestamp(2024, 1, 1, 1, 1, 1)
"""
"""Calls that give what the setting says."""

WRITTEN = """
TIMESTAMP '2024-01-01 10:00:00' | array(TIMESTAMP '2024-01-01') | typeof(TIMESTAMP '2024-01-01')
CAST(name AS TIMESTAMP) | CAST(born AS TIMESTAMP) | TRY_CAST(name AS TIMESTAMP) | name::timestamp
CAST(l AS TIMESTAMP) | CAST(n AS TIMESTAMP) | CAST(NULL AS TIMESTAMP)
CAST(array(name) AS ARRAY<TIMESTAMP>)
CAST(named_struct('a', name) AS STRUCT<`timestamp`: TIMESTAMP>)
CAST(map(name, name) AS MAP<STRING, TIMESTAMP>)
from_json(name, 'a TIMESTAMP, b STRUCT<c: TIMESTAMP>') | from_csv(name, 'a TIMESTAMP')
from_xml(name, 'a TIMESTAMP') | variant_get(parse_json('1'), '$.a', 'timestamp')
window(CAST(name AS TIMESTAMP), '1 day')
"""
"""Texts in which the word TIMESTAMP stands."""

FIXED = """
timestampadd(DAY, 1, born) | timestampadd(HOUR, salary, born) | timestampadd(DAY, 1, name)
timestampadd(DAY, 1, l) | timestampadd(DAY, 1, n) | timestampadd(DAY, 1, NULL) | timestamp(born)
timestamp(name) | date_trunc('DAY', born) | date_trunc('DAY', name) | date_trunc('DAY', n)
date_trunc('DAY', NULL) | make_timestamp(born) | make_timestamp_ltz(2024, 1, 1, 1, 1, 1)
make_timestamp_ntz(2024, 1, 1, 1, 1, 1) | to_timestamp_ltz(name) | to_timestamp_ntz(name)
TIMESTAMP '2024-01-01 10:00:00Z' | TIMESTAMP_LTZ '2024-01-01' | TIMESTAMP_NTZ '2024-01-01'
CAST(salary AS TIMESTAMP_LTZ) | CAST(array(name) AS ARRAY<TIMESTAMP_LTZ>) | name::timestamp_ntz
from_json(name, 'a TIMESTAMP_LTZ') | from_csv(name, 'a TIMESTAMP_NTZ')
variant_get(parse_json('1'), '$.a', 'timestamp_ltz') | born + INTERVAL '1' HOUR
name + INTERVAL '1' HOUR | born - l | born - n | coalesce(born, l) | coalesce(born, n)
coalesce(l, n) | array(born, n) | sequence(born, born, INTERVAL '1' DAY) | window(l, '1 day')
window(n, '1 day') | hour(name) | extract(HOUR FROM born) | from_utc_timestamp(born, 'UTC')
to_utc_timestamp(n, 'UTC') | convert_timezone('UTC', 'UTC', born) | timestamp_seconds(salary)
localtimestamp() | current_timestamp() | unix_timestamp(n) | months_between(born, n) | born = n
"""
"""What says its type, or has one of its own, under every setting."""


LATER = ("make_timestamp(born)", "try_make_timestamp(born)") if before("4.1") else ()
"""Calls that the running Spark is too old for."""


def calls(*texts: str, windows: bool = False) -> list[str]:
    """The calls of the texts: time windows, of which a query has one, or all others."""
    found = [each.strip() for text in texts for each in text.replace("\n", " | ").split(" | ")]
    found = [each for each in found if each not in LATER]
    return [each for each in found if each and each.startswith("window(") is windows]


def made(spark: Any, *calls: str) -> Any:
    """One query for all of them."""
    people = spark.table("world.people").selectExpr(
        "*", "timestamp_micros(1) AS l", "to_timestamp_ntz('2024-01-31 10:11:12') AS n"
    )
    return people.selectExpr(*[f"{each} AS x{place}" for place, each in enumerate(calls)])


def several(spark: Any) -> Any:
    return made(spark, *calls(FOLLOWING, WRITTEN, FIXED))


def through_pyspark(spark: Any) -> Any:
    from pyspark.sql import functions as F
    from pyspark.sql.types import TimestampType

    people = spark.table("world.people")
    return people.select(
        F.to_timestamp("name").alias("a"),
        F.col("name").cast("timestamp").alias("b"),
        F.col("name").cast(TimestampType()).alias("c"),
        F.timestamp_add("DAY", F.lit(1), "born").alias("d"),
        F.from_json("name", "a timestamp, b timestamp_ltz").alias("e"),
        F.col("tags").cast("array<timestamp>").alias("f"),
        F.date_trunc("day", "born").alias("g"),
        F.make_timestamp(F.lit(1), F.lit(1), F.lit(1), F.lit(1), F.lit(1), F.lit(1)).alias("h"),
    )


def of_rows(spark: Any) -> Any:
    return spark.createDataFrame([(None, None)], "a timestamp, b struct<c: timestamp_ltz>")


def _calling(call: str) -> Callable[[Any], Any]:
    return lambda spark: made(spark, call)


PIPELINES: dict[str, Callable[[Any], Any]] = {
    "all": several,
    "pyspark": through_pyspark,
    "rows": of_rows,
    **{each: _calling(each) for each in calls(WRITTEN, FIXED, windows=True)},
}


@pytest.mark.parametrize("value", TYPES)
@pytest.mark.parametrize("name", PIPELINES)
def test_the_same_types_in_every_way(
    name: str, value: str, spark: SparkSession, world: Any, recorded: Any, planner: Planner
):
    pipeline = PIPELINES[name]
    with settings(spark, {SETTING: value}, whole=False):
        frame = pipeline(spark)
        wanted = columns(frame)
        connected = recorded(pipeline)
        tables = {"record": vs.record(pipeline, spark), "connect": vs.capture(connected)}
        if name != "rows":  # of rows of Python a classic DataFrame keeps nothing
            tables["classic"] = vs.capture(frame)
        assert columns(planner.frame(connected._plan.plan(connected._session.client))) == wanted
        for way, table in tables.items():
            assert [(each.name, each.type) for each in table.schema.fields] == wanted, way
            assert columns(spark.sql(table.to_sql())) == wanted, way
            assert columns(table.to_dataframe(spark)) == wanted, way


@pytest.mark.parametrize("value", TYPES)
def test_the_setting_has_changed_since(value: str, spark: SparkSession, world: Any):
    other = TYPES[value == TYPES[0]]
    for call in calls(FOLLOWING):
        with settings(spark, {SETTING: value}, whole=False):
            frame = made(spark, call)
        with settings(spark, {SETTING: other}, whole=False), pytest.raises(CaptureError) as caught:
            vs.capture(frame)
        assert f'spark.conf.set("{SETTING}", "{value}")' in (caught.value.hint or ""), call


@pytest.mark.parametrize("value", TYPES)
def test_types_that_are_written_out_stay_whatever_the_setting_is(
    value: str, spark: SparkSession, world: Any
):
    other = TYPES[value == TYPES[0]]
    with settings(spark, {SETTING: value}, whole=False):
        frame = made(spark, *calls(WRITTEN, FIXED))
        wanted = columns(frame)
    with settings(spark, {SETTING: other}, whole=False):
        assert columns(spark.sql(vs.to_sql(frame))) == wanted


def test_a_view_keeps_what_timestamp_meant(spark: SparkSession, world: Any, tmp_path: Any):
    place = f"file:{tmp_path / 'views'}"
    with settings(spark, {SETTING: "TIMESTAMP_NTZ"}, whole=False):
        frame = through_pyspark(spark).drop("h")
        wanted = columns(frame)
        assert vs.save_view(frame, "moments", catalog=place) is not None
    env = vs.TableEnvironment.open(place)
    assert columns(vs.open_view(env, "moments", spark)) == wanted
    table = env.view_table("moments")
    assert [(each.name, each.type) for each in table.schema.fields] == wanted
