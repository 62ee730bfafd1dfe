"""Process table functions that take no table, in Spark: the same rows by every way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests import process_functions
from tests.process_functions import Numbers, Once
from tests.spark.capture.conftest import connect_mode
from viewscribe import call, col, lit

pytestmark = pytest.mark.spark

AT = datetime(2024, 7, 1, 10, 0, 0, 123456, tzinfo=UTC)
MODULE = process_functions.__name__


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("numbers", Numbers)
    env.create_temporary_system_function("once", Once)
    return env


def _beside(env: vs.TableEnvironment) -> vs.Table:
    other = env.from_call(call("numbers", 2)).select(col("n").alias("m"))
    return env.from_call(call("numbers", 3)).filter(col("n") > 0).cross_join(other)


def _above_rows(env: vs.TableEnvironment) -> vs.Table:
    rows = env.from_values([(1, "k"), (7, "l")], "m INT, k STRING")
    return rows.join(env.from_call(call("numbers", 3)), col("n") == col("m"))


LATERAL = "SELECT a.n, b.label FROM numbers(2) AS a LEFT JOIN LATERAL numbers(upto => 1) AS b"

UNCORRELATED = (
    "SELECT a.n, b.label FROM numbers(2) AS a LEFT JOIN LATERAL (SELECT * FROM numbers(1)) AS b"
)
ON = f"{UNCORRELATED} ON a.n = b.n"
SUB_QUERY = (
    "SELECT n, (SELECT count(*) FROM numbers(3) AS b WHERE b.n < a.n) AS m FROM numbers(2) a"
)
COMPUTED = "SELECT * FROM numbers(upto => 7 div 2, label => 'it' || 's', at => NULL)"

CALLS: dict[str, tuple[Callable[[Any], vs.Table], int]] = {
    "some": (lambda env: env.from_call(call("numbers", 3, label="it's", at=AT)), 3),
    "none": (lambda env: env.from_call(call("numbers", 0)), 0),
    "no argument": (lambda env: env.from_call(call("once")), 1),
    "an array": (lambda env: env.from_call(call("numbers", 2, tags=vs.array("a", "b"))), 2),
    "more than a batch": (lambda env: env.from_call(call("numbers", 25_000)), 25_000),
    "several": (_beside, 4),
    "above rows": (_above_rows, 1),
    "lateral": (lambda env: env.sql_query(LATERAL), 2),
    "lateral query": (lambda env: env.sql_query(UNCORRELATED), 2),
    "lateral query with a condition": (lambda env: env.sql_query(ON), 2),
    "sub-query of the row around": (lambda env: env.sql_query(SUB_QUERY), 2),
    "computed arguments": (lambda env: env.sql_query(COMPUTED), 3),
    "a computed argument": (lambda env: env.from_call(call("numbers", lit(2) * 2 - 1)), 3),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_the_tree_and_its_texts_give_the_same_rows(
    spark: Any, env: vs.TableEnvironment, name: str
) -> None:
    make, count = CALLS[name]
    table = make(env)
    frame = table.to_dataframe(spark)
    rows = sorted(map(repr, frame.collect()))
    assert len(rows) == count
    for style in ("readable", "pipe", "nested"):
        found = spark.sql(table.to_sql(style=style))
        assert found.schema == frame.schema
        assert sorted(map(repr, found.collect())) == rows


def test_rows_in_spark_are_those_without_it(spark: Any) -> None:
    env = vs.TableEnvironment()
    table = env.from_call(call(Numbers, 2, at=AT))
    assert table.schema.names == ("n", "label", "at")
    kept = table.select("n", "label", col("at").cast("STRING").alias("at")).to_dataframe(spark)
    spark_zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        made = [(row.n, row.label, row.at) for row in kept.collect()]
    finally:
        spark.conf.set("spark.sql.session.timeZone", spark_zone)
    expected = vs.process.run(Numbers, upto=2, at=AT)
    assert made == [(row.n, row.label, f"{row.at:%Y-%m-%d %H:%M:%S.%f}") for row in expected]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("numbers()", "called without the argument `upto`"),
        ("numbers(1, on_time => 'ts')", "takes no table that has a time"),
        ("numbers(1, keys => array('k'))", "takes no table"),
        ("numbers('x')", "takes INT"),
        ("numbers(1, nothing => 2)", "no argument `nothing`"),
        ("numbers(CAST(rand() AS INT))", "no constant"),
        ("numbers(1, 'a', tags => TABLE(SELECT 1))", "(?i)table"),
    ],
)
def test_text_by_hand_is_checked(
    spark: Any, env: vs.TableEnvironment, written: str, message: str
) -> None:
    env.from_call(call("numbers", 1)).to_dataframe(spark)  # which makes the name known
    with pytest.raises(Exception, match=message):
        spark.sql(f"SELECT * FROM {written}").collect()


def test_over_connect(connected: Any, env: vs.TableEnvironment) -> None:
    with connect_mode(connected):
        table = env.from_call(call("numbers", 3))
        made = sorted(map(tuple, table.to_dataframe(connected).collect()))
        assert made == [(n, "x", None) for n in range(3)]
        assert sorted(map(tuple, connected.sql(table.to_sql()).collect())) == made


def test_beside_a_stream(spark: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    """A call without a table is no stream; one that is joined with it meets the rows of a call."""
    spark.range(4).selectExpr("CAST(id AS INT) AS m").write.parquet(str(tmp_path / "rows"))
    env.create_table("rows", "m INT")
    table = env.from_path("rows").join(env.from_call(call("numbers", 3)), col("n") == col("m"))
    rows = spark.readStream.schema("m INT").parquet(str(tmp_path / "rows"))
    made = table.to_dataframe(spark, sources={"rows": rows})
    assert made.isStreaming
    query = made.writeStream.format("memory").queryName("beside").trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert sorted(row.m for row in spark.table("beside").collect()) == [0, 1, 2]
    spark.catalog.dropTempView("beside")


def test_a_stored_view(spark: Any, tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'catalog'}"
    env = vs.TableEnvironment.open(url)
    env.create_database("flow")
    env.create_function("flow.numbers", Numbers)
    env.create_view("flow.few", env.from_call(call("flow.numbers", 3, label="v")))
    other = spark.newSession()
    try:
        again = vs.TableEnvironment.open(url, python_modules=[MODULE])
        opened = vs.open_view(again, "flow.few", other)
        assert sorted(row.n for row in opened.collect()) == [0, 1, 2]
        report = vs.verify(again.get_view("flow.few"), other, python_modules=[MODULE])
        assert report.ok, report
        assert report.rows.status == "equal", report
    finally:
        other.sql("DROP DATABASE IF EXISTS flow CASCADE")
