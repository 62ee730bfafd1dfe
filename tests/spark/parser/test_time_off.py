"""Where TIME is off, what is computed of it is refused here as Spark refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import viewscribe as vs
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = "TIME '10:00:00'"
EXPRESSIONS = [
    T,
    "current_time()",
    "current_time(3)",
    "current_time",
    "localtime",
    f"{T} = {T}",
    f"{T} IN ({T})",
    f"'10:00:00' = {T}",
    f"{T} < NULL",
    f"{T} IS NULL",
    f"coalesce({T}, {T})",
    f"coalesce({T}, NULL)",
    f"greatest({T}, {T})",
    f"if(true, {T}, {T})",
    f"if(true, {T}, NULL)",
    f"CASE WHEN true THEN {T} END",
    f"array({T})[0]",
    f"array({T}, NULL)",
    f"named_struct('a', {T}).a",
    f"typeof({T})",
    f"concat({T}, 'x')",
    f"date_format({T}, 'HH')",
    f"CAST({T} AS STRING)",
    f"to_char({T}, 'HH')",
    f"CAST({T} AS TIME(3))",
    "CAST(NULL AS TIME)",
    "CAST('10:00:00' AS TIME)",
    f"hour({T})",
    f"second({T})",
    f"extract(MINUTE FROM {T})",
    f"date_part('hour', {T})",
    f"{T} - {T}",
    f"{T} + INTERVAL '1' HOUR",
    f"time_trunc('HOUR', {T})",
    f"time_diff('HOUR', {T}, {T})",
    f"time_to_micros({T})",
    "time_to_micros(NULL)",
    "time_from_seconds(1)",
    "make_time(1, 2, 3)",
    "to_time('10:00:00')",
    "try_to_time('10')",
    f"make_timestamp(DATE '2020-01-01', {T})",
    f"make_timestamp_ntz(DATE '2020-01-01', {T})",
    "make_timestamp_ntz(DATE '2020-01-01', NULL)",
    f"make_timestamp(NULL, {T}, 'UTC')",
    f"try_make_timestamp_ltz(NULL, {T})",
    f"try_subtract({T}, {T})",
    f"array({T}, '10:00')",
    f"map('a', {T}, 'b', NULL)",
    f"named_struct('a', {T}, 'b', NULL)",
    f"nullif('a', {T})",
    f"array_contains(array({T}), {T})",
    f"time({T})",
    f"hash({T})",
    f"length({T})",
    f"{T} LIKE '1%'",
    "CAST(array('10:00') AS ARRAY<TIME>)",
    f"CAST(struct({T}) AS STRUCT<a: TIME>)",
    "variant_get(parse_json('1'), '$', 'time')",
    "from_json('{}', 'a TIME')",
]
QUERIES = [
    *(f"SELECT {each}" for each in EXPRESSIONS),
    f"SELECT max(t), count(t) FROM VALUES ({T}) AS v(t)",
    f"SELECT {T} AS t UNION ALL SELECT {T}",
    f"SELECT {T} AS t UNION ALL SELECT NULL",
    f"SELECT t FROM VALUES ({T}), (NULL) AS v(t) ORDER BY t",
    "SELECT 1 AS a WHERE EXISTS (SELECT CAST('1' AS TIME))",
]


@pytest.fixture(params=["true", "false"])
def session(spark: SparkSession, request: pytest.FixtureRequest) -> SparkSession:
    session = spark.newSession()
    session.conf.set("spark.sql.timeType.enabled", request.param)
    return session


def test_what_is_computed_of_time_is_refused_as_by_spark(session: SparkSession) -> None:
    value = str(session.conf.get("spark.sql.timeType.enabled"))
    env = TableEnvironment(settings={"spark.sql.timeType.enabled": value})
    wrong = []
    for query in QUERIES:
        try:
            theirs = schema_from_spark(session.sql(query).schema)
        except PySparkException:
            theirs = None
        try:
            ours = tuple(env.sql_query(query).schema)
        except ViewscribeError:
            ours = None
        if ours != theirs:
            wrong.append((query, ours, theirs))
    assert wrong == []


PIPELINES: list[Callable[[SparkSession], DataFrame]] = [
    lambda spark: spark.range(1).select(F.lit("10:00").cast("time").alias("t")),
    lambda spark: spark.range(1).select(F.make_time(F.lit(1), F.lit(2), F.lit(3)).alias("t")),
    lambda spark: spark.range(1).select(F.expr("'10:00'::TIME AS t")),
    lambda spark: spark.range(1).selectExpr("to_time('10:00') AS t"),
    lambda spark: spark.range(1).where("to_time('10:00') > TIME '10:00'"),
    lambda spark: spark.sql("SELECT '10:00'::TIME AS t"),
    lambda spark: spark.range(1).select(F.current_time().alias("t")),
]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_recording_is_refused_as_by_its_session(
    session: SparkSession, pipeline: Callable[[SparkSession], DataFrame]
) -> None:
    try:
        theirs = schema_from_spark(pipeline(session).schema)
    except PySparkException:
        theirs = None
    try:
        ours = tuple(vs.record(pipeline, session).schema)
    except ViewscribeError:
        ours = None
    assert ours == theirs
