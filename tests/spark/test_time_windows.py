"""Windows of time wherever a function can stand: each row once for every window it lies in."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from viewscribe import TableEnvironment, capture, col, over, record
from viewscribe import functions as F
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from viewscribe import Table

SCHEMA = "id INT, at TIMESTAMP, xs ARRAY<INT>"
ROWS = """(1, TIMESTAMP'2024-03-31 01:30:15', array(1, 2)), (2, NULL, array(3)),
    (3, TIMESTAMP'2024-03-31 02:31:15', NULL), (3, TIMESTAMP'2024-03-31 02:33:15', array())"""
HOP, TUMBLE = "window(at, '1 hour', '20 minutes')", "window(at, '1 hour')"
INNER = f"(SELECT id, at, xs, {HOP} AS w FROM events)"

OF_ALL = "window(TIMESTAMP '2020-01-01 00:00:00', '1 hour')"
"""Spark takes it in GROUP BY, and nowhere beside a column."""

QUERIES = [
    f"SELECT id FROM {INNER}",
    f"SELECT id FROM (SELECT id, {TUMBLE} AS w FROM events)",
    f"SELECT count(*) AS n FROM {INNER}",
    f"SELECT DISTINCT id FROM {INNER}",
    f"SELECT 1 AS one FROM {INNER} WHERE id > 1",
    f"SELECT id FROM {INNER} UNION ALL SELECT 9",
    f"SELECT id, x FROM {INNER} LATERAL VIEW explode(xs) t AS x",
    f"SELECT id, x FROM events LATERAL VIEW explode(array({HOP}.start, {HOP}.end)) t AS x",
    f"SELECT id FROM events WHERE {HOP}.start IS NOT NULL",
    f"SELECT id, {HOP}.start AS s FROM events WHERE {HOP}.end > TIMESTAMP'2024-03-31 02:00:00'",
    f"SELECT id FROM events ORDER BY {HOP}.start, id",
    f"SELECT id FROM (SELECT id, {HOP} AS w FROM events ORDER BY at) ORDER BY id DESC LIMIT 2",
    f"SELECT id, count(*) OVER (PARTITION BY {TUMBLE}) AS n FROM events",
    f"SELECT id, CASE WHEN id > 1 THEN {TUMBLE}.start END AS s FROM events",
    f"SELECT (SELECT count(*) FROM {INNER}) AS n",
    f"SELECT id FROM events WHERE id IN (SELECT id FROM {INNER})",
    f"SELECT id, w, window(at, '1 day') AS v FROM (SELECT *, {TUMBLE} AS w FROM events)",
    f"SELECT w, count(*) AS n FROM {INNER} GROUP BY w",
    f"SELECT count({HOP}.start) AS n, sum(id) AS s FROM events",
    f"FROM events |> EXTEND {HOP} AS w |> EXTEND window(at, '1 day') AS v |> SELECT id, v.start",
    "SELECT w, count(*) AS n FROM (SELECT session_window(at, '5 minutes') AS w FROM events) "
    "GROUP BY w",
    "SELECT id FROM (SELECT id, session_window(at, '5 minutes') AS w FROM events)",
    f"SELECT {OF_ALL} AS w, count(*) AS n FROM events GROUP BY {OF_ALL}",
    f"SELECT count(*) AS n FROM events GROUP BY {OF_ALL}",
]

BY_TUMBLE = f"FROM events GROUP BY {TUMBLE}"
BY_SESSION = "FROM events GROUP BY session_window(at, '5 minutes')"
NAMESAKE = "(SELECT id, at, id AS window FROM events)"
QUERIES += [
    f"SELECT window.start, count(*) AS n {BY_TUMBLE}",
    f"SELECT session_window.start, session_window.end, count(*) AS n {BY_SESSION}",
    f"SELECT window.start AS s, max(id) AS m {BY_TUMBLE} HAVING window.start IS NOT NULL "
    "ORDER BY window.end",
    f"SELECT max(id) AS m {BY_TUMBLE} HAVING window.start IS NOT NULL",
    f"SELECT max(id) AS m {BY_TUMBLE} ORDER BY window",
    f"SELECT max(id) AS m {BY_SESSION} ORDER BY session_window.start",
    f"SELECT count(window) AS n, window AS w {BY_TUMBLE}",
    f"SELECT id AS window, window AS w, count(*) AS n {BY_TUMBLE}, id",
    f"SELECT window.start, count(*) AS n FROM events GROUP BY ROLLUP({TUMBLE})",
    f"SELECT window.start AS s, {TUMBLE}.end AS e FROM events",
    f"SELECT window_time(w) AS t FROM (SELECT {TUMBLE} AS w, count(*) AS n {BY_TUMBLE})",
    f"SELECT n FROM (SELECT {TUMBLE} AS w, count(*) AS n {BY_TUMBLE}) ORDER BY window_time(w)",
    f"SELECT n FROM (SELECT {TUMBLE} AS w, count(*) AS n {BY_TUMBLE}) "
    "WHERE window_time(w) IS NOT NULL",
    f"FROM events |> AGGREGATE count(*) AS n GROUP BY {TUMBLE} AS w |> EXTEND window_time(w) AS t",
    f"SELECT window, {TUMBLE} AS w FROM {NAMESAKE}",
    f"SELECT max(window) AS m FROM {NAMESAKE} GROUP BY {TUMBLE}",
    f"SELECT n FROM (SELECT count(*) AS n, max(window) AS m FROM {NAMESAKE} GROUP BY {TUMBLE}) "
    "WHERE m > 0",
    f"SELECT n FROM (SELECT count(*) AS n, max(window) AS m FROM {NAMESAKE} GROUP BY {TUMBLE}) "
    "ORDER BY m",
    f"SELECT n FROM (SELECT count(*) AS n, window AS k FROM {NAMESAKE} GROUP BY {TUMBLE}, window) "
    "WHERE k > 0 ORDER BY k",
    f"SELECT id, w FROM (SELECT id, window, {TUMBLE} AS w FROM {NAMESAKE}) "
    "QUALIFY rank() OVER (ORDER BY window) = 1",
]

REFUSED = [
    f"SELECT window.*, count(*) AS n {BY_TUMBLE}",
    f"SELECT events.window.start {BY_TUMBLE}",
    f"SELECT window, count(*) AS n FROM {NAMESAKE} GROUP BY {TUMBLE}",
    f"SELECT {TUMBLE} AS a, window(at, '1 day') AS b FROM events",
    f"SELECT count(*) FROM events GROUP BY {TUMBLE}, window(at, '1 day')",
    f"SELECT id FROM events WHERE {TUMBLE}.start > window(at, '1 day').start",
    "SELECT a.id FROM events a JOIN events b ON window(a.at, '1 hour') = window(b.at, '1 hour')",
]

HOPPING = F.window(col("at"), "1 hour", "20 minutes")
PIPELINES: dict[str, Callable[[Table], Table]] = {
    "select": lambda t: t.select("id", HOPPING.alias("w")).select("id"),
    "columns": lambda t: t.add_columns(HOPPING.alias("w")).select("id"),
    "several columns": lambda t: t.add_columns(
        HOPPING["start"].alias("window"), (col("id") + 1).alias("w")
    ).select("id", "window", "w"),
    "replaced": lambda t: t.add_or_replace_columns(HOPPING["start"].alias("id")).select("id"),
    "text": lambda t: t.select_expr("id", f"{HOP} AS w").select("id"),
    "filter": lambda t: t.filter(HOPPING["start"].is_not_null()).select("id"),
    "order": lambda t: t.order_by(HOPPING["start"], "id").select("id"),
    "rows": lambda t: t.generate(F.explode(F.array(HOPPING["start"])), ["x"]).select("id", "x"),
    "over": lambda t: t.select("id", F.count().over(over(partition_by=HOPPING)).alias("n")),
    "two": lambda t: t.tumble("at", "1 hour").tumble("at", "1 day", name="day").select("id", "day"),
    "a namesake": lambda t: (
        t.tumble("at", "1 hour").tumble("at", "1 day", name="day").select("window", "day")
    ),
    "over sorted rows": lambda t: t.order_by("at").hop("at", "1 hour", "20 minutes").select("id"),
    "sorted twice": lambda t: (
        t.order_by("at").hop("at", "1 hour", "20 minutes").select("id").order_by("id").limit(2)
    ),
    "growing": lambda t: (
        t.cumulate("at", step="6 hours", size="1 day").group_by("window").agg(F.count().alias("n"))
    ),
}


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql("CREATE DATABASE IF NOT EXISTS windows")
    spark.catalog.setCurrentDatabase("windows")
    spark.sql(f"CREATE TABLE events ({SCHEMA}) USING parquet")
    spark.sql(f"INSERT INTO events VALUES {ROWS}")
    yield spark
    spark.catalog.setCurrentDatabase("default")
    spark.sql("DROP DATABASE windows CASCADE")


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    env = TableEnvironment()
    env.create_database("windows")
    env.use_database("windows")
    env.create_table("events", SCHEMA)
    return env


def rows(frame: DataFrame) -> Counter[str]:
    return Counter(map(repr, frame.collect()))


def hold(spark: SparkSession, env: TableEnvironment, table: Table, expected: DataFrame) -> None:
    """Every way out gives the expected rows, and so does the text when it is read again."""
    wanted = rows(expected)
    assert rows(table.to_dataframe(spark)) == wanted
    texts = {table.to_sql(style) for style in ("readable", "pipe", "nested")}
    for text in sorted(texts | {env.sql_query(table.to_sql()).to_sql()}):
        assert rows(spark.sql(text)) == wanted, text


@pytest.mark.parametrize("query", QUERIES)
def test_in_text(events: SparkSession, env: TableEnvironment, query: str) -> None:
    hold(events, env, env.sql_query(query), events.sql(query))


@pytest.mark.parametrize("query", QUERIES)
def test_in_the_analyzed_plan(events: SparkSession, query: str) -> None:
    frame = events.sql(query)
    assert rows(events.sql(capture(frame).to_sql())) == rows(frame)


@pytest.mark.parametrize("query", REFUSED)
def test_where_spark_computes_none(events: SparkSession, env: TableEnvironment, query: str) -> None:
    with pytest.raises(PySparkException):
        events.sql(query).collect()
    with pytest.raises(ViewscribeError):
        env.sql_query(query)


@pytest.mark.parametrize("name", PIPELINES)
def test_in_pipelines(events: SparkSession, env: TableEnvironment, name: str) -> None:
    table = PIPELINES[name](env.from_path("events"))
    hold(events, env, table, events.sql(table.to_sql("nested")))


def _recorded(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as S

    hopping = S.window("at", "1 hour", "20 minutes")
    made = spark.table("events").select("id", "at", hopping.alias("w"))
    return made.withColumn("day", S.window("at", "1 day")).select("id").orderBy("id")


def test_in_recordings(events: SparkSession, env: TableEnvironment) -> None:
    hold(events, env, record(_recorded, env=env), _recorded(events))


def test_how_often_a_row_is_there(events: SparkSession, env: TableEnvironment) -> None:
    table = env.from_path("events").select("id", HOPPING.alias("w")).select("id")
    assert Counter(row.id for row in table.to_dataframe(events).collect()) == {1: 3, 3: 6}
