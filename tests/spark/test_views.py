"""Stored views open in Spark from what is stored alone, with all they depend on."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import (
    ChangedViewWarning,
    Dependency,
    MemoryCatalog,
    ObjectNotFoundError,
    ViewDocument,
)
from viewscribe.catalog_store.documents.model import Column
from viewscribe.errors import CatalogError
from viewscribe.spark.errors import MissingSourceError, ViewCycleError
from viewscribe.spark.session import settings
from viewscribe.spark.verify import verify
from viewscribe.spark.views import open_view

SCHEMA = "id INT, name STRING, at TIMESTAMP"


@pytest.fixture
def store(spark, tmp_path):
    """A catalog of files over a table of Parquet that no session knows yet."""
    data = tmp_path / "items"
    spark.sql(
        "SELECT * FROM VALUES (1, 'nut', TIMESTAMP '2024-03-31 00:30:00Z'), "
        "(2, NULL, NULL), (2, NULL, NULL) AS t(id, name, at)"
    ).write.parquet(data.as_uri())
    env = vs.TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    env.create_database("store")
    env.use_database("store")
    env.create_table("items", SCHEMA, format="parquet", location=data.as_uri())
    yield env
    for view in ("top", "middle", "bottom", "late"):
        spark.sql(f"DROP VIEW IF EXISTS store.{view}")
    spark.sql("DROP DATABASE IF EXISTS store CASCADE")


def reopened(env):
    """The same catalog as another process finds it."""
    again = vs.TableEnvironment.open(env.catalogs.catalog().url)
    again.use_database("store")
    return again


def test_a_view_opens_with_its_table(spark, store):
    store.create_view("bottom", store.from_path("items").filter(col("id") > 1))
    frame = open_view(reopened(store), "bottom", spark)
    assert [tuple(row) for row in frame.collect()] == [(2, None, None)] * 2
    assert open_view(store.catalogs, "store.bottom", spark).count() == 2
    assert open_view(store.catalogs.catalog(), ("store", "bottom"), spark).count() == 2


def test_views_over_views_open_in_order(spark, store):
    store.create_view("bottom", store.from_path("items").select("id", F.upper("name").alias("n")))
    store.create_view("middle", store.from_path("bottom").filter(col("id") > 0))
    both = store.from_path("middle").union_all(store.from_path("bottom"))
    store.create_view("top", both.group_by("n").agg(F.count("*").alias("times")))
    frame = open_view(reopened(store), "top", spark)
    assert sorted(map(tuple, frame.collect()), key=str) == [("NUT", 2), (None, 4)]
    report = verify(store.get_view("top"), spark)
    assert report.ok, report


def test_a_changed_view_is_registered_anew(spark, store):
    store.create_view("bottom", store.from_path("items").filter(col("id") > 1))
    store.create_view("top", store.from_path("bottom").select("id"))
    assert open_view(store, "top", spark).count() == 2
    store.create_view("bottom", store.from_path("items"), or_replace=True)
    assert open_view(store, "top", spark).count() == 3


def test_a_view_is_analyzed_under_its_own_settings(spark, store):
    tokyo = vs.TableEnvironment(
        store.catalogs.catalog(),
        settings={"spark.sql.session.timeZone": "Asia/Tokyo", "spark.sql.ansi.enabled": "false"},
    )
    tokyo.use_database("store")
    hours = tokyo.from_path("items").select(
        F.hour("at").alias("hour"), (col("id") / 0).alias("nothing")
    )
    tokyo.create_view("late", hours)
    tokyo.create_view("top", tokyo.from_path("late").select("hour"))
    before = spark.conf.getAll
    expected = {(9, None), (None, None)}
    assert {tuple(row) for row in open_view(tokyo, "late", spark).collect()} == expected
    assert {row[0] for row in open_view(tokyo, "top", spark).collect()} == {9, None}
    assert spark.conf.getAll == before
    assert verify(tokyo.get_view("late"), spark).ok


def test_a_view_that_depends_on_itself(spark, store):
    store.create_view("bottom", store.from_path("items").select("id"))
    store.create_view("middle", store.from_path("bottom"))
    store.create_view("top", store.from_path("middle"))
    circle = msgspec.structs.replace(store.get_view("top"), name="bottom")
    store.catalogs.save(circle, or_replace=True)
    with pytest.raises(ViewCycleError, match=r"middle.* -> .*bottom.* -> .*middle"):
        open_view(store, "top", spark)


def test_a_table_without_data(spark, store):
    store.create_table("nowhere", "id INT")
    store.create_view("bottom", store.from_path("nowhere"))
    with pytest.raises(MissingSourceError, match="does not say where the data is"):
        open_view(store, "bottom", spark)


def test_a_source_that_the_session_cannot_look_for(spark):
    document = ViewDocument(
        database="default",
        name="odd",
        sql="SELECT 1 AS a",
        columns=(Column("a", "INT"),),
        dependencies=(Dependency("table", ("spark_catalog", "a", "b", "c")),),
    )
    env = vs.TableEnvironment(MemoryCatalog())
    env.catalogs.save(document)
    with pytest.raises(MissingSourceError, match=r"a\.b\.c") as told:
        open_view(env, "odd", spark)
    assert told.value.hint == "name it in full: catalog, database and name"


@pytest.mark.parametrize("parts", [("shop", "orders"), ("shop", "orders", "snapshots")])
def test_a_catalog_that_the_session_lacks_is_named_with_its_setting(spark, parts):
    document = ViewDocument(
        database="default",
        name="odd",
        sql="SELECT 1 AS a",
        columns=(Column("a", "INT"),),
        dependencies=(Dependency("table", ("lagoon", *parts)),),
    )
    env = vs.TableEnvironment(MemoryCatalog())
    env.catalogs.save(document)
    with pytest.raises(MissingSourceError, match=r"the table lagoon\.shop\.orders") as told:
        open_view(env, "odd", spark)
    assert "--conf spark.sql.catalog.lagoon=…" in (told.value.hint or "")


def test_a_table_that_only_the_session_has(spark, store):
    store.create_table("here", "id INT")
    store.create_view("bottom", store.from_path("here"))
    store.drop_table("here")
    with pytest.raises(MissingSourceError, match="neither the catalogs nor the session"):
        open_view(store, "bottom", spark)
    spark.sql("CREATE DATABASE IF NOT EXISTS store")
    spark.sql("CREATE TABLE store.here (id INT) USING parquet")
    assert open_view(store, "bottom", spark).count() == 0


def test_a_table_of_the_session_with_other_data(spark, store, tmp_path):
    spark.sql("CREATE DATABASE IF NOT EXISTS store")
    other = (tmp_path / "other").as_uri()
    spark.sql(f"CREATE TABLE store.items ({SCHEMA}) USING parquet LOCATION '{other}'")
    store.create_view("bottom", store.from_path("items"))
    with pytest.raises(MissingSourceError, match="the stored one"):
        open_view(store, "bottom", spark)


def test_a_view_of_the_session_that_came_from_elsewhere(spark, store):
    store.create_view("bottom", store.from_path("items"))
    store.create_view("top", store.from_path("bottom"))
    spark.sql("CREATE DATABASE IF NOT EXISTS store")
    spark.sql("CREATE VIEW store.bottom AS SELECT 1 AS id")
    with pytest.raises(MissingSourceError, match="does not come from this catalog"):
        open_view(store, "top", spark)


def test_partitioned_tables_and_options(spark, store, tmp_path):
    data = tmp_path / "lines"
    spark.sql("SELECT 1 AS a, 'x' AS p UNION ALL SELECT 2, 'y'").write.partitionBy("p").option(
        "sep", ";"
    ).csv(data.as_uri())
    stored = store.catalogs.get("table", ("items",)).document
    document = type(stored)(
        database="store",
        name="lines",
        columns=(Column("a", "INT"), Column("p", "STRING")),
        format="csv",
        location=data.as_uri(),
        options={"sep": ";"},
        partitioned_by=("p",),
    )
    store.catalogs.save(document)
    store.create_view("bottom", store.from_path("lines").filter(col("p") == "y"))
    assert [tuple(row) for row in open_view(store, "bottom", spark).collect()] == [(2, "y")]


def test_errors_name_the_view(spark, store):
    with pytest.raises(ObjectNotFoundError):
        open_view(store, "nothing", spark)
    with pytest.raises(CatalogError, match="a table, not a view"):
        open_view(store, "items", spark)
    store.catalogs.save(
        ViewDocument(database="store", name="bad", sql="SELEC 1", columns=(Column("a", "INT"),))
    )
    with pytest.raises(
        CatalogError, match=r"view store\.bad is not given to Spark: .* near 'SELEC'"
    ):
        open_view(store, "bad", spark)
    store.catalogs.save(
        ViewDocument(database="store", name="half", sql="SELECT 1 +", columns=(Column("a", "INT"),))
    )
    with pytest.raises(CatalogError, match=r"view store\.half is not given to Spark"):
        open_view(store, "half", spark)
    store.catalogs.save(
        ViewDocument(
            database="store", name="short", sql="SELECT 1, 2", columns=(Column("a", "INT"),)
        )
    )
    with pytest.raises(CatalogError, match="has 1 columns, and its text gives 2"):
        open_view(store, "short", spark)


def test_functions_it_calls_must_be_there(spark, store):
    missing = Dependency(kind="function", name=("spark_catalog", "store", "f"))
    store.catalogs.save(
        ViewDocument(
            database="store",
            name="calls",
            sql="SELECT 1 AS a",
            columns=(Column("a", "INT"),),
            dependencies=(missing,),
        )
    )
    with pytest.raises(MissingSourceError, match="the function"):
        open_view(store, "calls", spark)


def test_other_settings_of_the_session_are_left_alone(spark, store):
    store.create_view("bottom", store.from_path("items").select("id"))
    with settings(spark, {"spark.sql.session.timeZone": "Asia/Tokyo"}):
        open_view(store, "bottom", spark)
        assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"


def test_a_view_over_times_of_day(spark, store):
    """TIME is off in Spark 4.3 unless a setting allows it."""
    noon = vs.lit(dt.time(12, 30)).alias("noon")
    store.create_view("late", store.from_path("items").select("id", noon))
    rows = open_view(reopened(store), "late", spark).collect()
    assert {row["noon"] for row in rows} == {dt.time(12, 30)}
    report = verify(reopened(store).get_view("late"), spark)
    assert report.ok, report


def test_a_value_column_of_an_unpivot_that_needs_quotes(spark):
    wide = vs.TableEnvironment().from_values([(1, 2), (3, None)], "id INT, more INT")
    table = wide.unpivot(["id", "more"], name="the name", value="the value.")
    for style in ("readable", "pipe", "nested"):
        assert verify(table, spark, sql=table.to_sql(style)).ok


def test_a_view_that_was_edited_by_hand_opens_with_a_warning(spark, store, tmp_path):
    store.create_view("bottom", store.from_path("items").filter(col("id") > 1))
    store.create_view("top", store.from_path("bottom").select("id"))
    file = tmp_path / "catalog" / "store" / "bottom.view.yaml"
    file.write_text(file.read_text().replace("WHERE id > 1", "WHERE id > 0", 1))
    for name, rows in (("bottom", 3), ("top", 3)):
        with pytest.warns(ChangedViewWarning, match=r"store\.bottom was edited by hand"):
            assert open_view(reopened(store), name, spark).count() == rows


@pytest.mark.parametrize("location", [None, ""])
def test_a_table_without_a_place_is_missing_and_not_empty(spark: Any, location: str | None) -> None:
    """Spark would make one that has no rows, and whoever reads the view would believe it."""
    env = vs.TableEnvironment()
    env.create_database("nowhere")
    env.create_table("nowhere.t", "id BIGINT", format="csv", location=location)
    env.create_view("nowhere.v", env.from_path("nowhere.t"))
    with pytest.raises(MissingSourceError, match="does not say where the data is"):
        vs.open_view(env, "nowhere.v", spark)
