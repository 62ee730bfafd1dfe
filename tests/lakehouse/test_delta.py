"""Tables of Delta in a session whose own catalog is Delta's: names, versions, paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.sql import DataFrame, SparkSession

import viewscribe as vs
from viewscribe.catalog_store import FileCatalog
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import CaptureError, SqlSyntaxError

Pipeline = Callable[[SparkSession, str, str], DataFrame]
"""From a session, the path of the table and a moment after its second version to a DataFrame."""

TABLE = "spark_catalog.shop.orders"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="module")
def session(warehouse: Path) -> Iterator[SparkSession]:
    settings = {
        "spark.jars": os.environ["VIEWSCRIBE_TEST_DELTA"],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(warehouse),
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.sql("CREATE DATABASE shop")
    spark.sql(
        "CREATE TABLE shop.orders (id BIGINT, state STRING) USING delta PARTITIONED BY (state) "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    spark.sql("INSERT INTO shop.orders VALUES (1, 'a'), (2, 'b')")
    spark.sql("DELETE FROM shop.orders WHERE id = 1")
    more = spark.sql("SELECT 3L AS id, 'c' AS state, 7 AS price").write.format("delta")
    more.mode("append").option("mergeSchema", "true").saveAsTable("shop.orders")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def orders(session: SparkSession, warehouse: Path) -> tuple[str, str]:
    """The path of the table, and a moment at which its first rows were there and no others."""
    history = session.sql("DESCRIBE HISTORY shop.orders").orderBy("version").collect()
    at = history[1]["timestamp"].astimezone(UTC).isoformat(sep=" ")
    return str(warehouse / "shop.db" / "orders"), at


FIRST = [(1, "a"), (2, "b")]
LAST = [(2, "b", None), (3, "c", 7)]
THEN = "SELECT\n  id,\n  state\nFROM {table} VERSION AS OF 1"
NAMED: dict[str, tuple[Pipeline, list[tuple[Any, ...]], str]] = {
    "name": (lambda s, path, at: s.table("shop.orders"), LAST, "FROM {table}"),
    "version in text": (
        lambda s, path, at: s.sql("SELECT * FROM shop.orders VERSION AS OF 1"),
        FIRST,
        THEN,
    ),
    "time in text": (
        lambda s, path, at: s.sql(f"SELECT * FROM shop.orders TIMESTAMP AS OF '{at}'"),
        FIRST,
        THEN,
    ),
    "version option": (
        lambda s, path, at: s.read.option("versionAsOf", 1).table("shop.orders"),
        FIRST,
        THEN,
    ),
    "time option": (
        lambda s, path, at: s.read.option("timestampAsOf", at).table("shop.orders"),
        FIRST,
        THEN,
    ),
    "two versions": (
        lambda s, path, at: s.sql(
            f"SELECT a.id, b.state FROM {TABLE} VERSION AS OF 2 a JOIN {TABLE} b USING (id)"
        ),
        [(2, "b")],
        "FROM {table} VERSION AS OF 2 AS a\n",
    ),
}
PATHS: dict[str, tuple[Pipeline, list[tuple[Any, ...]], str]] = {
    "path": (lambda s, path, at: s.read.format("delta").load(path), LAST, "delta.`file:{path}`"),
    "path in text": (
        lambda s, path, at: s.sql(f"SELECT * FROM delta.`{path}`"),
        LAST,
        "delta.`file:{path}`",
    ),
    "version": (
        lambda s, path, at: s.read.format("delta").option("versionAsOf", "1").load(path),
        FIRST,
        "delta.`file:{path}` VERSION AS OF 1",
    ),
    "version in text": (
        lambda s, path, at: s.sql(f"SELECT * FROM delta.`{path}` VERSION AS OF 1"),
        FIRST,
        "delta.`file:{path}` VERSION AS OF 1",
    ),
    "version in the path": (
        lambda s, path, at: s.read.format("delta").load(f"{path}@v1"),
        FIRST,
        "delta.`file:{path}` VERSION AS OF 1",
    ),
    "time": (
        lambda s, path, at: s.read.format("delta").option("timestampAsOf", at).load(path),
        FIRST,
        "delta.`file:{path}` VERSION AS OF 1",
    ),
    "partition": (
        lambda s, path, at: s.read.format("delta").load(f"{path}/state=c"),
        [(3, "c", 7)],
        "WHERE state = 'c'",
    ),
}


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.mark.parametrize("name", NAMED)
def test_a_table_is_read_by_name_now_or_as_it_was(
    session: SparkSession, orders: tuple[str, str], name: str
) -> None:
    pipeline, expected, text = NAMED[name]
    saved = vs.save_view(pipeline(session, *orders), "shop.v", or_replace=True)
    assert saved is not None
    assert saved.verification.ok
    assert text.format(table=TABLE) in saved.sql
    assert rows(session.sql("SELECT * FROM shop.v")) == expected
    later = session.newSession()
    env = vs.TableEnvironment("spark:")
    assert rows(vs.open_view(env, "shop.v", later)) == expected
    report = vs.verify(env.get_view("shop.v"), later)
    assert (report.ok, report.rows.status) == (True, "equal")


def test_another_version_is_not_taken_for_the_same(
    session: SparkSession, orders: tuple[str, str]
) -> None:
    vs.save_view(session.sql("SELECT id FROM shop.orders VERSION AS OF 1"), "shop.w")
    env = vs.TableEnvironment("spark:")
    view = env.get_view("shop.w")
    assert vs.verify(view, session).ok
    text = view.sql.replace("VERSION AS OF 1", "VERSION AS OF 2")
    session.sql(f"CREATE OR REPLACE VIEW shop.w AS {text}")
    assert rows(session.sql("SELECT * FROM shop.w")) == [(2,)]
    assert vs.verify(env.get_view("shop.w"), session).ok
    edited = msgspec.structs.replace(view, sql=text)
    assert vs.verify(edited, session).rows.status == "different"


@pytest.mark.parametrize("name", PATHS)
def test_a_table_is_read_by_path_where_its_place_is_allowed(
    session: SparkSession, orders: tuple[str, str], name: str
) -> None:
    pipeline, expected, text = PATHS[name]
    saved = vs.save_view(pipeline(session, *orders), "shop.p", or_replace=True)
    assert saved is not None
    assert text.format(path=orders[0]) in saved.sql
    assert rows(session.sql("SELECT * FROM shop.p")) == expected
    env = vs.TableEnvironment("spark:")
    with pytest.raises(ForbiddenSourceError, match="the format `delta`"):
        vs.open_view(env, "shop.p", session)
    with pytest.raises(ForbiddenSourceError, match="a place that nobody allowed"):
        vs.open_view(env, "shop.p", session, formats=["delta"])
    allowed: dict[str, Any] = {"formats": ["delta"], "locations": [orders[0]]}
    assert rows(vs.open_view(env, "shop.p", session.newSession(), **allowed)) == expected
    assert vs.verify(env.get_view("shop.p"), session, **allowed).ok


def test_a_view_of_spark_over_a_path_is_verified(
    session: SparkSession, orders: tuple[str, str]
) -> None:
    place = f"delta.`{orders[0]}`"
    session.sql(f"CREATE VIEW shop.own AS SELECT id FROM {place} VERSION AS OF 1")
    env = vs.TableEnvironment("spark:")
    allowed: dict[str, Any] = {"formats": ["delta"], "locations": [orders[0]]}
    report = vs.verify(env.get_view("shop.own"), session, **allowed)
    assert (report.ok, report.rows.detail) == (True, "2 rows"), str(report)
    with pytest.raises(ForbiddenSourceError):
        vs.verify(env.get_view("shop.own"), session)
    with pytest.raises(SqlSyntaxError, match="what columns are at a path, only Spark knows"):
        env.sql_query(f"SELECT id FROM {place}")


def test_a_catalog_of_files_keeps_the_version(session: SparkSession, tmp_path: Path) -> None:
    files = FileCatalog(tmp_path)
    env = vs.TableEnvironment(files)
    env.create_database("shop")
    vs.save_view(session.sql("SELECT * FROM shop.orders VERSION AS OF 1"), "shop.v", catalog=files)
    document = files.get("view", "shop", "v").document
    assert isinstance(document, ViewDocument)
    assert document.sql.endswith(f"FROM {TABLE} VERSION AS OF 1")
    assert rows(vs.open_view(env, "shop.v", session.newSession())) == FIRST
    assert vs.verify(env.get_view("shop.v"), session).ok


@pytest.mark.parametrize("by_path", [False, True])
def test_the_changes_of_a_table_are_refused(
    session: SparkSession, orders: tuple[str, str], by_path: bool
) -> None:
    reading = session.read.format("delta").options(readChangeFeed="true", startingVersion="0")
    frame = reading.load(orders[0]) if by_path else reading.table("shop.orders")
    assert "_change_type" in frame.columns
    for each in (frame, session.sql("SELECT id FROM table_changes('shop.orders', 0)")):
        with pytest.raises(CaptureError, match="reads the changes of a table"):
            vs.save_view(each, "shop.x")
    assert not session.catalog.tableExists("shop.x")
