"""window_time() is of a column that a window of time makes, whatever else has its type."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from tests.parser.tables import TABLES, read
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WINDOW = "window(at, '5 minutes')"
COLUMNS = [
    "named_struct('start', at, 'end', at)",
    "struct(at AS start, at AS end)",
    WINDOW,
    f"coalesce({WINDOW}, {WINDOW})",
    f"CAST({WINDOW} AS STRUCT<start: TIMESTAMP, end: TIMESTAMP>)",
    f"CASE WHEN a > 1 THEN {WINDOW} END",
]
TEXTS = [
    "SELECT window_time({}) AS x FROM t",
    "SELECT window_time(w) AS x FROM (SELECT {} AS w FROM t)",
    "SELECT window_time(v) AS x FROM (SELECT w AS v FROM (SELECT s, {} AS w FROM t) WHERE a > 1)",
    "SELECT window_time(w) AS x FROM (SELECT max({}) AS w FROM t)",
    "SELECT window_time(w) AS x FROM (SELECT w FROM (SELECT {} AS w FROM t) GROUP BY w)",
    "WITH q AS (SELECT {} AS w FROM t) SELECT window_time(q.w) AS x FROM q JOIN u ON u.a = 1",
    "SELECT window_time(struct(w).w) AS x FROM (SELECT {} AS w FROM t)",
    "SELECT s FROM (SELECT {} AS w, s FROM t) WHERE window_time(w) IS NOT NULL",
    "FROM t |> EXTEND {} AS w |> EXTEND window_time(w) AS x",
]


def test_spark_takes_the_same(spark: SparkSession) -> None:
    session, different, taken = spark.newSession(), [], 0
    for name, ddl in TABLES.items():
        session.createDataFrame([], ddl).createOrReplaceTempView(name)
    for text in (each.format(column) for each, column in product(TEXTS, COLUMNS)):
        try:
            session.sql(text)._jdf.queryExecution().executedPlan()
            theirs = True
        except Exception:
            theirs = False
        try:
            read(text)
            ours = True
        except ViewscribeError:
            ours = False
        taken += theirs
        if ours is not theirs:
            different.append((text, theirs))
    for name in TABLES:
        session.catalog.dropTempView(name)
    assert taken > 5
    assert not different, "\n".join(map(str, different))
