"""A view over a process table function: stored, opened in another session, verified."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import viewscribe as vs
from tests import process_functions
from tests.process_functions import CountWithTimeout, MatchOnce
from viewscribe import col, descriptor
from viewscribe.expressions.functions.python_modules import ForbiddenModuleError

MODULE = process_functions.__name__


@pytest.fixture(scope="module")
def url(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A catalog of files with tables, functions, and views that call them."""
    tmp_path = tmp_path_factory.mktemp("stored")
    events = tmp_path / "events"
    spark.sql(
        "SELECT id % 3 AS k, TIMESTAMP '2024-01-01 10:00:00' + make_dt_interval(0, 0, 0, id * 15) "
        "AS ts, concat('n', id) AS name FROM range(40)"
    ).write.parquet(str(events))
    place = f"file:{tmp_path / 'catalog'}"
    env = vs.TableEnvironment.open(place)
    env.create_database("flow")
    env.create_table(
        "flow.events",
        "k BIGINT, ts TIMESTAMP, name STRING",
        format="parquet",
        location=events.as_uri(),
    )
    env.create_function("flow.count_with_timeout", CountWithTimeout)
    env.create_function("flow.match_once", MatchOnce)
    env.create_function("flow.session_count", vs.process.SessionCount)
    table = env.from_path("flow.events")
    env.create_view(
        "flow.sessions",
        table.filter(col("name") != "n7")
        .partition_by("k")
        .process("flow.count_with_timeout", on_time=descriptor("ts"))
        .filter(col("count") > 1),
    )
    env.create_view(
        "flow.built_in",
        table.partition_by("k").process(
            "flow.session_count", gap=timedelta(minutes=1), on_time=descriptor("ts")
        ),
    )
    people = table.select("k", "name", col("name").alias("address"), col("ts").alias("c"))
    bought = table.select(
        "k", col("k").alias("order_id"), col("k").cast("DOUBLE").alias("price"), col("ts")
    )
    env.create_view(
        "flow.matches",
        people.partition_by("k").process(
            "flow.match_once",
            bought.partition_by("k").copartition_with("customer"),
            on_time=descriptor("c", "ts"),
        ),
        style="nested",
    )
    env.create_view("flow.above", env.from_path("flow.sessions").select("k", "count"))
    return place


@pytest.mark.parametrize("name", ["sessions", "built_in", "matches", "above"])
def test_a_view_is_opened_and_verified_in_another_session(spark: Any, url: str, name: str) -> None:
    other = spark.newSession()
    try:
        env = vs.TableEnvironment.open(url, python_modules=[MODULE])
        opened = vs.open_view(env, f"flow.{name}", other)
        view = env.get_view(f"flow.{name}")
        report = vs.verify(view, other, python_modules=[MODULE])
        assert report.ok, report
        assert report.rows.status == "equal", report
        assert opened.columns == [column.name for column in view.columns]
        assert not report.rows.detail.startswith("0 "), report
    finally:
        other.sql("DROP DATABASE IF EXISTS flow CASCADE")


def test_a_module_that_is_not_allowed_is_not_imported(spark: Any, url: str) -> None:
    other = spark.newSession()
    try:
        with pytest.raises(ForbiddenModuleError, match=MODULE):
            vs.open_view(vs.TableEnvironment.open(url), "flow.sessions", other)
    finally:
        other.sql("DROP DATABASE IF EXISTS flow CASCADE")
