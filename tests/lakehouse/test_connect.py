"""Tables and views of lakes over Spark Connect: the client has no jar, the server no viewscribe."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as SF

import viewscribe as vs
from tests.servers.spark_servers import SPARK_HOME, connect_server
from viewscribe.catalog_store import open_catalog
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import CaptureError
from viewscribe.spark.remote import remote_session
from viewscribe.spark.session_catalog.states import is_of_session

URL = os.environ["VIEWSCRIBE_TEST_ICEBERG"]
ORDERS = "lake.shop.orders"
LAKE = {
    "spark.jars": os.environ["VIEWSCRIBE_TEST_RUNTIME"],
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "rest",
    "spark.sql.catalog.lake.uri": URL.removeprefix("iceberg:").partition("?")[0],
}
WITH_DELTA = {
    **LAKE,
    "spark.jars": f"{LAKE['spark.jars']},{os.environ['VIEWSCRIBE_TEST_DELTA']}",
    "spark.sql.extensions": (
        f"{LAKE['spark.sql.extensions']},io.delta.sql.DeltaSparkSessionExtension"
    ),
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with connect_server(WITH_DELTA) as url:
        yield url


@pytest.fixture(scope="module")
def remote(server: str) -> Iterator[SparkSession]:
    with remote_session(server) as spark:
        yield spark


@pytest.fixture(scope="module")
def lake(remote: SparkSession) -> Any:
    """The catalog without a JVM, whose table ``lake.shop.orders`` has two versions."""
    catalog: Any = open_catalog(URL)
    remote.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")
    for each in catalog.list_objects("shop", "view"):
        catalog.delete("view", "shop", each.name)
    remote.sql(f"DROP TABLE IF EXISTS {ORDERS}")
    remote.sql(f"CREATE TABLE {ORDERS} (id BIGINT, state STRING) USING iceberg")
    remote.sql(f"INSERT INTO {ORDERS} VALUES (1, 'open')")
    remote.sql(f"ALTER TABLE {ORDERS} CREATE TAG begun")
    remote.sql(f"ALTER TABLE {ORDERS} ADD COLUMN price INT")
    remote.sql(f"INSERT INTO {ORDERS} VALUES (2, 'done', 7)")
    return catalog


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def test_a_view_is_saved_opened_and_verified(lake: Any, remote: SparkSession) -> None:
    assert is_of_session(remote, lake)
    frame = remote.table(ORDERS).where("price > 1").selectExpr("id", "price * 2 AS double")
    saved = vs.save_view(frame, "lake.shop.priced")
    assert saved is not None
    assert saved.verification.ok
    assert saved.sql == f"SELECT\n  id,\n  price * 2 AS double\nFROM {ORDERS}\nWHERE price > 1"
    assert rows(remote.table("lake.shop.priced")) == [(2, 14)]
    env = vs.TableEnvironment(lake)
    vs.save_view(remote.table("lake.shop.priced").select("id"), "lake.shop.ids")
    assert rows(vs.open_view(env, "shop.ids", remote)) == [(2,)]
    report = vs.verify(env.get_view("shop.ids"), remote)
    assert (report.ok, report.rows.status) == (True, "equal")


VERSIONS = {
    "text": lambda spark, number: spark.sql(f"SELECT * FROM {ORDERS} VERSION AS OF {number}"),
    "option": lambda spark, number: spark.read.option("versionAsOf", number).table(ORDERS),
    "tag": lambda spark, number: spark.read.option("versionAsOf", "begun").table(ORDERS),
    "time": lambda spark, number: spark.read.option("timestampAsOf", _first(spark)).table(ORDERS),
}


def _first(spark: SparkSession) -> str:
    made = spark.sql(f"SELECT CAST(min(committed_at) AS STRING) FROM {ORDERS}.snapshots")
    return str(made.collect()[0][0])


@pytest.mark.parametrize("how", VERSIONS)
def test_a_table_as_it_was_has_the_columns_that_it_had(
    lake: Any, remote: SparkSession, how: str
) -> None:
    number = remote.sql(f"SELECT snapshot_id FROM {ORDERS}.snapshots ORDER BY committed_at")
    frame = VERSIONS[how](remote, number.collect()[0][0])
    saved = vs.save_view(frame, "lake.shop.then", or_replace=True)
    assert saved is not None
    clause = "VERSION AS OF" if how == "text" else "WITH ('"
    assert f"SELECT id, state FROM {ORDERS} {clause}" in " ".join(saved.sql.split())
    assert rows(remote.table("lake.shop.then")) == [(1, "open")]
    env = vs.TableEnvironment(lake)
    assert rows(vs.open_view(env, "shop.then", remote)) == [(1, "open")]
    assert vs.verify(env.get_view("shop.then"), remote).ok


def test_metadata_of_a_table(lake: Any, remote: SparkSession) -> None:
    vs.save_view(remote.table(f"{ORDERS}.snapshots").select("operation"), "lake.shop.log")
    assert rows(remote.table("lake.shop.log")) == [("append",), ("append",)]
    assert vs.verify(vs.TableEnvironment(lake).get_view("shop.log"), remote).ok


@pytest.mark.slow("loads Delta")
def test_a_table_of_delta_by_name_and_by_path(remote: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "events")
    remote.sql(f"CREATE TABLE events (id BIGINT) USING delta LOCATION '{path}'")
    for number in (1, 2):
        remote.sql(f"INSERT INTO events VALUES ({number})")
    first = {"versionAsOf": "1"}
    frames = {
        "spark_catalog.default.events WITH (": remote.read.options(**first).table("events"),
        "spark_catalog.default.events VERSION AS OF 1": remote.sql(
            "SELECT * FROM events VERSION AS OF 1"
        ),
        f"delta.`{path}` WITH (": remote.read.format("delta").options(**first).load(path),
        f"delta.`{path}` VERSION AS OF 1": remote.sql(
            f"SELECT * FROM delta.`{path}` VERSION AS OF 1"
        ),
        f"delta.`{path}` VERSION AS OF 1\n) AS query\nWHERE lake": remote.sql(
            f"SELECT id FROM delta.`{path}` VERSION AS OF 1 WHERE lake.system.bucket(4, id) >= 0"
        ),
    }
    for text, frame in frames.items():
        saved = vs.save_view(frame, "default.first", or_replace=True)
        assert saved is not None
        assert f"FROM {text}" in saved.sql
        assert rows(remote.table("default.first")) == [(1,)]


@pytest.mark.slow("starts the shell of Spark SQL, which is a Spark of its own")
def test_a_view_is_edited_in_the_shell_and_read_back(
    lake: Any, remote: SparkSession, tmp_path: Path
) -> None:
    vs.save_view(remote.table(ORDERS).select("id"), "lake.shop.shared", or_replace=True)
    told = _shell(
        "SELECT sum(id) AS found FROM lake.shop.shared; "
        "CREATE OR REPLACE VIEW lake.shop.shared AS SELECT id + 1 AS more FROM lake.shop.orders",
        tmp_path,
    )
    assert told.splitlines()[0] == "3"
    texts = [each.document.sql for each in lake.history("view", "shop", "shared")]
    assert texts == [f"SELECT\n  id\nFROM {ORDERS}", "SELECT id + 1 AS more FROM lake.shop.orders"]
    env = vs.TableEnvironment(lake)
    assert rows(vs.open_view(env, "shop.shared", remote)) == [(2,), (3,)]
    assert vs.verify(env.get_view("shop.shared"), remote).ok


def _shell(text: str, place: Path) -> str:
    settings = {**LAKE, "spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(place)}
    pairs = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    home = {**os.environ, "SPARK_HOME": str(SPARK_HOME)}
    command = [str(SPARK_HOME / "bin" / "spark-sql"), "--master", "local[1]", *pairs, "-e", text]
    done = subprocess.run(
        command, cwd=place, env=home, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def test_functions_of_the_catalog_are_captured_stored_and_opened(
    lake: Any, remote: SparkSession
) -> None:
    orders = remote.table(ORDERS)
    named = SF.call_function("lake.system.bucket", SF.lit(4), SF.col("id")).alias("b")
    frames = {
        "by name": orders.select("id", named),
        "in an expression": orders.select(
            "id", (1 + SF.expr("lake.system.truncate(2, id)")).alias("t"), named
        ),
        "in a text": remote.sql(
            f"SELECT lake.bucket(2, state) AS b, lake.system.iceberg_version() AS v FROM {ORDERS}"
        ),
        "of a group": orders.groupBy(SF.expr("lake.system.truncate(2, id)").alias("t")).count(),
    }
    env = vs.TableEnvironment(lake)
    allowed = [f"lake.system.{each}" for each in ("bucket", "truncate", "iceberg_version")]
    for what, frame in frames.items():
        saved = vs.save_view(frame, "lake.shop.hidden", or_replace=True)
        assert saved is not None, what
        assert saved.verification.ok, what
        assert rows(remote.table("lake.shop.hidden")) == rows(frame), what
        assert "lake.system." in saved.sql
        with pytest.raises(ForbiddenSourceError):
            vs.open_view(env, "shop.hidden", remote)
        opened = vs.open_view(env, "shop.hidden", remote, functions=allowed)
        assert rows(opened) == rows(frame), what
    for unnamed in (SF.call_function("lake.system.bucket", SF.lit(4), SF.col("id")),
                    SF.expr("lake.system.bucket(4, id)")):  # fmt: skip
        with pytest.raises(CaptureError, match="after the class"):
            vs.capture(orders.select(unnamed))
