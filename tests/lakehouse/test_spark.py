"""Spark with Iceberg's runtime, and viewscribe without a JVM, on one REST catalog."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as SF

import viewscribe as vs
from examples.tpch import data
from examples.tpch.queries import QUERIES
from examples.tpch.queries import tables as parquet_tables
from examples.tpch.reopen import multiset
from viewscribe import call, col
from viewscribe.catalog_store import FileCatalog, open_catalog
from viewscribe.catalog_store.checks import check
from viewscribe.environments import environment_of
from viewscribe.environments.migration import apply_plan, make_plan
from viewscribe.errors import ViewscribeError
from viewscribe.spark.session_catalog.states import is_of_session
from viewscribe.spark.types import schema_from_spark

URL = os.environ["VIEWSCRIBE_TEST_ICEBERG"]
PARQUET = Path(os.environ["VIEWSCRIBE_TEST_TPCH"])


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session that calls the server's catalog ``lake``."""
    place = "spark.sql.catalog.lake"
    settings = {
        "spark.jars": os.environ["VIEWSCRIBE_TEST_RUNTIME"],
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        place: "org.apache.iceberg.spark.SparkCatalog",
        f"{place}.type": "rest",
        f"{place}.uri": URL.removeprefix("iceberg:").partition("?")[0],
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def lake(session: SparkSession) -> Any:
    """The catalog without a JVM, with the table ``lake.shop.orders`` that Spark made."""
    catalog = open_catalog(URL)
    session.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")
    for each in catalog.list_objects("shop", "view"):
        session.sql(f"DROP VIEW lake.shop.{each.name}")
    session.sql("DROP TABLE IF EXISTS lake.shop.orders")
    session.sql(
        "CREATE TABLE lake.shop.orders (id BIGINT NOT NULL, state STRING, price DECIMAL(10, 2), "
        "at TIMESTAMP) USING iceberg PARTITIONED BY (days(at), bucket(4, id))"
    )
    session.sql(
        "INSERT INTO lake.shop.orders VALUES "
        "(1, 'open', 3.50, TIMESTAMP '2026-01-01 00:00:00'), (2, 'done', 4.25, NULL)"
    )
    session.sql("INSERT INTO lake.shop.orders VALUES (3, 'open', 1.00, NULL)")
    return catalog


def rows(session: SparkSession, text: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in session.sql(text).collect()), key=repr)


def test_spark_reads_what_was_stored_without_it(lake: Any, session: SparkSession) -> None:
    env = vs.TableEnvironment(lake)
    orders = env.from_path("shop.orders").filter(col("state") == "open").select("id", "price")
    env.create_view("shop.opened", orders, comment="what is open")
    expected = [(1, "3.50"), (3, "1.00")]
    assert rows(session, "SELECT id, CAST(price AS STRING) FROM lake.shop.opened") == expected
    assert ("shop", "opened", False) in rows(session, "SHOW VIEWS IN lake.shop")
    told = {row[0]: row[1] for row in session.sql("DESCRIBE EXTENDED lake.shop.opened").collect()}
    assert (told["id"], told["Comment"]) == ("bigint", "what is open")
    (text,) = session.sql("SHOW CREATE TABLE lake.shop.opened").collect()[0]
    assert lake.get("view", "shop", "opened").document.sql in text
    assert vs.verify(env.get_view("shop.opened"), session).ok


def test_both_change_each_others_views_and_see_the_history(
    lake: Any, session: SparkSession
) -> None:
    env = vs.TableEnvironment(lake)
    session.sql(
        "CREATE VIEW lake.shop.counts (state COMMENT 'of the order', n) COMMENT 'of Spark' "
        "AS SELECT state, count(*) FROM lake.shop.orders GROUP BY state"
    )
    stored = lake.get("view", "shop", "counts")
    assert (stored.version.number, stored.document.comment) == (1, "of Spark")
    assert [each.comment for each in stored.document.columns] == ["of the order", None]
    read = env.from_path("shop.counts")
    assert [str(each.type) for each in read.schema.fields] == ["STRING", "BIGINT NOT NULL"]
    view = vs.open_view(env, "shop.counts", session)
    assert sorted(map(tuple, view.collect())) == [("done", 1), ("open", 2)]

    more = env.from_path("shop.orders").group_by("state").select(
        "state", vs.functions.sum("price").alias("total")
    )  # fmt: skip
    env.create_view("shop.counts", more, or_replace=True)
    assert rows(session, "SELECT state, CAST(total AS STRING) FROM lake.shop.counts") == [
        ("done", "4.25"),
        ("open", "4.50"),
    ]
    session.sql("ALTER VIEW lake.shop.counts SET TBLPROPERTIES ('team' = 'sales')")
    assert lake.get("view", "shop", "counts").document.properties["team"] == "sales"
    session.sql("CREATE OR REPLACE VIEW lake.shop.counts AS SELECT 1 AS one")
    session.sql("ALTER VIEW lake.shop.counts RENAME TO lake.shop.ones")
    texts = [each.document.sql for each in lake.history("view", "shop", "ones")]
    assert len(texts) >= 3
    assert "count(*)" in texts[0]
    assert "sum(price)" in texts[1]
    assert texts[-1] == "SELECT 1 AS one"
    session.sql("DROP VIEW lake.shop.ones")
    assert [each.name for each in lake.list_objects("shop", "view")] == ["opened"]


def test_a_view_over_views_is_opened_and_verified(lake: Any, session: SparkSession) -> None:
    env = vs.TableEnvironment(lake)
    env.create_view("shop.cheap", env.from_path("shop.orders").filter(col("price") < 4))
    env.create_view("shop.cheap_ids", env.from_path("shop.cheap").select("id"))
    assert sorted(map(tuple, vs.open_view(env, "shop.cheap_ids", session).collect())) == [
        (1,),
        (3,),
    ]
    assert vs.verify(env.get_view("shop.cheap_ids"), session).ok
    elsewhere = vs.TableEnvironment("iceberg:http://127.0.0.1:9?name=lake")
    assert not is_of_session(session, elsewhere.catalogs.catalog())
    assert is_of_session(session, lake)


def test_a_dataframe_becomes_a_view_of_the_lakehouse(lake: Any, session: SparkSession) -> None:
    frame = session.table("lake.shop.orders").where("price > 2").selectExpr("id", "price * 2 AS p")
    saved = vs.save_view(frame, "lake.shop.doubled", or_replace=True)
    assert saved is not None
    assert saved.verification.ok
    assert lake.get("view", "shop", "doubled").document.sql == (
        "SELECT\n  id,\n  price * 2 AS p\nFROM lake.shop.orders\nWHERE price > 2"
    )
    assert rows(session, "SELECT id FROM lake.shop.doubled") == [(1,), (2,)]
    vs.save_view(frame.select("id"), "shop.ids", catalog=URL, or_replace=True)
    assert rows(session, "SELECT * FROM lake.shop.ids") == [(1,), (2,)]


def test_a_view_that_is_read_stands_by_its_name(lake: Any, session: SparkSession) -> None:
    """Its later changes count."""
    session.sql("CREATE OR REPLACE VIEW lake.shop.base AS SELECT id, price FROM lake.shop.orders")
    frame = session.table("lake.shop.base").alias("b").where("b.price > 2").select("b.id")
    vs.save_view(frame, "lake.shop.over_base", or_replace=True)
    sql = lake.get("view", "shop", "over_base").document.sql
    assert "FROM lake.shop.base" in sql
    assert "orders" not in sql
    session.sql("CREATE OR REPLACE VIEW lake.shop.base AS SELECT 9L AS id, 7L AS price")
    assert rows(session, "SELECT id FROM lake.shop.over_base") == [(9,)]


def test_tpch_moves_into_the_lakehouse_and_back(session: SparkSession, tmp_path: Path) -> None:
    session.sql("CREATE NAMESPACE IF NOT EXISTS lake.tpch")
    lake: Any = open_catalog(URL)
    for each in lake.list_objects("tpch", "view"):
        lake.delete("view", "tpch", each.name)
    for name in data.SCHEMAS:
        session.sql(f"DROP TABLE IF EXISTS lake.tpch.{name}")
        path = data.table_path(PARQUET, name)
        session.sql(
            f"CREATE TABLE lake.tpch.{name} USING iceberg AS SELECT * FROM parquet.`{path}`"
        )
    files: Any = FileCatalog(tmp_path / "views")
    env = vs.TableEnvironment(files)
    env.create_database("tpch")
    env.use_database("tpch")
    parquet_tables(env, PARQUET)
    for name, pipeline in QUERIES.items():
        env.create_view(name, pipeline(env))

    plan = make_plan(environment_of(files), environment_of(lake))
    assert (plan.problems, len(plan.steps)) == ((), len(QUERIES))
    apply_plan(plan, lake, journal=tmp_path / "there")
    session.sql("USE lake.tpch")
    there = vs.TableEnvironment(lake)
    for number, name in enumerate(QUERIES, 1):
        found = multiset(session.table(f"lake.tpch.{name}"))
        assert found == multiset(session.sql(data.query(number))), name
        report = vs.verify(there.get_view(f"tpch.{name}"), session)
        assert report.ok, (name, str(report))
    session.sql("USE spark_catalog.default")

    session.sql("CREATE OR REPLACE VIEW lake.tpch.q01 AS SELECT 1 AS of_spark")
    changed = there.from_path("tpch.lineitem").select(col("l_orderkey").alias("of_ours"))
    there.create_view("tpch.q02", changed, or_replace=True)
    assert rows(session, "SELECT * FROM lake.tpch.q01") == [(1,)]
    assert session.table("lake.tpch.q02").columns == ["of_ours"]
    back = make_plan(environment_of(lake), environment_of(files), select=("tpch.*",))
    assert {step.name for step in back.steps} == {"q01", "q02"}
    apply_plan(back, files, journal=tmp_path / "back", allow_breaking=True)
    assert files.get("view", "tpch", "q01").document.sql == "SELECT 1 AS of_spark"


def test_a_table_as_it_was_is_captured_with_its_version(lake: Any, session: SparkSession) -> None:
    name = "lake.shop.orders"
    snapshots = session.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at")
    number = snapshots.collect()[0][0]
    session.sql(f"ALTER TABLE {name} CREATE OR REPLACE TAG begun AS OF VERSION {number}")
    for version in (str(number), "begun"):
        frame = session.read.option("versionAsOf", version).table(name).select("id")
        vs.save_view(frame, "lake.shop.then", or_replace=True)
        shown = version if version.isdecimal() else f"'{version}'"
        text = lake.get("view", "shop", "then").document.sql
        assert text == f"SELECT\n  id\nFROM {name} VERSION AS OF {shown}"
        assert rows(session, "SELECT * FROM lake.shop.then") == [(1,), (2,)]
    now_and_then = session.sql(
        f"SELECT a.id, b.id AS before FROM {name} a LEFT JOIN {name} VERSION AS OF {number} b "
        "ON a.id = b.id"
    )
    vs.save_view(now_and_then, "lake.shop.both", or_replace=True)
    assert rows(session, "SELECT * FROM lake.shop.both") == [(1, 1), (2, 2), (3, None)]
    session.sql(f"SELECT id FROM {name} TIMESTAMP AS OF now()").createOrReplaceTempView("now")
    vs.save_view(session.table("now"), "lake.shop.stopped", or_replace=True)
    session.sql(f"INSERT INTO {name} VALUES (4, 'new', NULL, NULL)")
    assert rows(session, "SELECT * FROM lake.shop.stopped") == [(1,), (2,), (3,)]
    env = vs.TableEnvironment(lake)
    assert vs.verify(env.get_view("shop.stopped"), session).ok


METADATA = ("snapshots", "history", "files", "refs", "partitions", "entries", "position_deletes")


@pytest.mark.parametrize("name", METADATA)
def test_metadata_of_a_table_is_read_by_its_name(
    lake: Any, session: SparkSession, name: str
) -> None:
    table = f"lake.shop.orders.{name}"
    saved = vs.save_view(session.table(table), "lake.shop.meta", or_replace=True)
    assert saved is not None
    assert saved.sql.endswith(f"FROM {table}")
    assert rows(session, "SELECT * FROM lake.shop.meta") == rows(session, f"SELECT * FROM {table}")
    env = vs.TableEnvironment(lake)
    opened = vs.open_view(env, "shop.meta", session.newSession())
    assert opened.schema == session.table(table).schema
    assert vs.verify(env.get_view("shop.meta"), session).ok


def test_metadata_in_pipelines_of_all_kinds(
    lake: Any, session: SparkSession, tmp_path: Path
) -> None:
    text = (
        "SELECT h.made_current_at, s.operation FROM lake.shop.orders.history AS h "
        "JOIN lake.shop.orders.snapshots AS s ON h.snapshot_id = s.snapshot_id "
        "WHERE s.operation = 'append'"
    )
    expected = rows(session, text)
    assert len(expected) >= 2
    files = FileCatalog(tmp_path / "views")
    files_env = vs.TableEnvironment(files)
    files_env.create_database("shop")
    vs.save_view(session.sql(text), "shop.log", catalog=files)
    opened = vs.open_view(files_env, "shop.log", session)
    assert sorted((tuple(row) for row in opened.collect()), key=repr) == expected
    assert vs.verify(files_env.get_view("shop.log"), session).ok
    assert check(files) == []
    session.sql(f"CREATE OR REPLACE VIEW lake.shop.log AS {text}")
    report = vs.verify(vs.TableEnvironment(lake).get_view("shop.log"), session)
    assert (report.ok, report.rows.status) == (True, "equal")


FUNCTIONS = {
    "bucket": ["lake.system.bucket(4, id)", "lake.bucket(4, state)", "lake.System.Bucket(2, at)"],
    "truncate": ["lake.system.truncate(2, id)", "lake.system.truncate(2, price)"],
    "days": ["lake.system.days(at)", "lake.system.days(DATE'2026-01-02')"],
    "hours": ["lake.system.hours(at)"],
    "months": ["lake.system.months(at)"],
    "years": ["lake.system.years(at)"],
    "iceberg_version": ["lake.system.iceberg_version()"],
}
ALLOWED = [f"lake.system.{name}" for name in FUNCTIONS]


def test_functions_of_the_catalog_are_stored_and_read_in_another_session(
    lake: Any, session: SparkSession, tmp_path: Path
) -> None:
    calls = [each for calls in FUNCTIONS.values() for each in calls]
    text = ", ".join(f"{each} AS c{number}" for number, each in enumerate(calls))
    frame = session.sql(f"SELECT id, {text} FROM lake.shop.orders")
    expected = sorted(map(tuple, frame.collect()), key=repr)
    saved = vs.save_view(frame, "lake.shop.hidden", or_replace=True)
    assert saved is not None
    assert saved.verification.ok
    for name in FUNCTIONS:
        assert f"lake.system.{name}(" in saved.sql
    assert rows(session.newSession(), "SELECT * FROM lake.shop.hidden") == expected

    files = FileCatalog(tmp_path / "views")
    files_env = vs.TableEnvironment(files)
    files_env.create_database("shop")
    vs.save_view(frame, "shop.hidden", catalog=files)
    for env in (vs.TableEnvironment(lake), files_env):
        with pytest.raises(ViewscribeError, match=r"lake\.system\.bucket"):
            vs.open_view(env, "shop.hidden", session.newSession())
        opened = vs.open_view(env, "shop.hidden", session.newSession(), functions=ALLOWED)
        assert sorted(map(tuple, opened.collect()), key=repr) == expected
        assert vs.verify(env.get_view("shop.hidden"), session, functions=ALLOWED).ok


def test_functions_of_the_catalog_in_pipelines_of_all_kinds(
    lake: Any, session: SparkSession
) -> None:
    env = vs.TableEnvironment(lake)
    texts = env.sql_query(
        "SELECT lake.system.days(at) AS day, count(*) AS n FROM lake.shop.orders "
        "WHERE lake.system.bucket(4, id) < 4 GROUP BY lake.system.days(at)"
    )
    built = env.from_path("shop.orders").select(
        call("lake.system.bucket", 4, col("id")).alias("b"), "id"
    )
    by_name = session.table("lake.shop.orders").select(
        SF.call_function("lake.system.truncate", SF.lit(2), "id").alias("t")
    )
    for table in (texts, built, vs.capture(by_name)):
        assert vs.verify(table, session, rows=True).ok
    env.create_view("shop.days", texts, or_replace=True)
    assert rows(session, "SELECT * FROM lake.shop.days") == rows(session, texts.to_sql())
    session.sql(
        "CREATE OR REPLACE VIEW lake.shop.days AS "
        "SELECT id, lake.system.bucket(4, id) AS b FROM lake.shop.orders"
    )
    opened = vs.open_view(env, "shop.days", session.newSession(), functions=ALLOWED)
    assert rows(session, "SELECT * FROM lake.shop.days") == sorted(map(tuple, opened.collect()))


TYPES = (
    *("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(9, 2)", "DECIMAL(38, 0)", "STRING"),
    *("CHAR(3)", "VARCHAR(3)", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DOUBLE", "FLOAT"),
    *("BOOLEAN", "ARRAY<INT>", "STRUCT<a: INT>", "INTERVAL DAY TO SECOND", "VOID"),
)


@pytest.mark.parametrize("type_", TYPES)
def test_types_of_the_catalogs_functions_are_sparks(
    lake: Any, session: SparkSession, type_: str
) -> None:
    env = vs.TableEnvironment(lake)
    value = f"CAST(NULL AS {type_})"
    for call_ in ("bucket(4, {})", "bucket({}, 1)", "truncate(4, {})", "truncate({}, 'a')",
                  "years({})", "months({})", "days({})", "hours({})"):  # fmt: skip
        text = f"SELECT lake.system.{call_.format(value)} AS r"
        try:
            told = session.sql(text).schema
        except AnalysisException:
            with pytest.raises(ViewscribeError):
                env.sql_query(text)
        else:
            assert schema_from_spark(told) == env.sql_query(text).schema.fields, text


def test_what_the_plan_does_not_name_is_refused(lake: Any, session: SparkSession) -> None:
    other = session.newSession()
    for key in ("", ".type", ".uri"):
        place = f"spark.sql.catalog.lake{key}"
        other.conf.set(f"spark.sql.catalog.pond{key}", str(session.conf.get(place)))
    other.sql("SELECT pond.system.bucket(4, 1)").collect()
    call_ = SF.call_function("lake.system.bucket", SF.lit(4), "id").alias("b")
    with pytest.raises(ViewscribeError, match="does not say which of") as refused:
        vs.save_view(other.table("lake.shop.orders").select(call_), "lake.shop.x")
    assert "F.expr" in str(refused.value)
    named = other.table("lake.shop.orders").select(SF.expr("pond.system.bucket(4, id)").alias("b"))
    assert "pond.system.bucket(4, id) AS b" in vs.capture(named).to_sql()
    assert lake.kind_of("shop", "x") is None
