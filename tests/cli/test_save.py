"""``viewscribe save``."""

from __future__ import annotations

import sys

import pytest

import viewscribe as vs
from viewscribe import functions as F
from viewscribe import serializer
from viewscribe.cli.commands.save import TARGETS

PIPELINES = '''
import viewscribe as vs
from pyspark.sql import functions as F


@vs.view("sales.young")
def young(spark):
    """Who is young."""
    return spark.table("sales.customers").where(F.col("born") > 2000).select("name")


def old(spark):
    return spark.table("sales.customers").where(F.col("born") < 1950)


def first(spark):
    from pyspark.sql import Window

    place = F.row_number().over(Window.partitionBy("born").orderBy("name"))
    customers = spark.table("sales.customers").withColumn("place", place)
    return customers.where(F.col("place") == 1).select("name")


ANSWER = 42
'''

SQL = "SELECT\n  name\nFROM spark_catalog.sales.customers\nWHERE born > 2000"


@pytest.fixture
def pipelines(place, monkeypatch):
    """A module of pipelines in the working directory, beside a catalog that has their table."""
    (place / "nightly.py").write_text(PIPELINES)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "nightly", raising=False)
    env = vs.TableEnvironment("file:./views")
    env.create_database("sales")
    yield env
    sys.modules.pop("nightly", None)


def test_dry_run_needs_no_spark(run, run_json, pipelines):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    result = run("save", "nightly:young", "--catalog", "views", "--dry-run")
    assert (result.exit_code, result.stdout) == (0, SQL + "\n")
    assert run_json("save", "nightly:young", "--catalog", "views", "--dry-run") == {
        "name": "sales.young",
        "stored": False,
        "sql": SQL,
    }
    assert pipelines.list_views("sales") == []


def test_a_target_is_written_for(run, pipelines):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    args = ("save", "nightly:first", "sales.first", "--catalog", "views", "--dry-run")
    assert "QUALIFY" in run(*args).stdout
    older = run(*args, "--target", "4.1")
    assert (older.exit_code, "QUALIFY" in older.stdout) == (0, False)
    assert "WHERE place = 1" in older.stdout
    assert run(*args, "--target", "3.5").exit_code == 2


def test_the_targets_are_those_of_the_serializer():
    assert TARGETS == serializer.TARGETS


def test_an_older_target_is_noted_and_kept(run, pipelines):
    place = F.row_number().over(vs.over(order_by="born"))
    pipelines.create_table("sales.customers", "name STRING, born INT")
    table = pipelines.from_path("sales.customers").select("name", place.alias("place"))
    table = table.filter(vs.col("place") == 1)
    pipelines.create_view("sales.first", table, target="4.0")
    shown = run("show", "views", "sales.first").stdout
    assert "4.0" in shown
    again = run("sql", "views", "sales.first", "--style", "readable").stdout
    assert again == table.to_sql(target="4.0") + "\n"
    assert "QUALIFY" not in again


def test_annotated(run, pipelines):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    result = run("save", "nightly:young", "--catalog", "views", "--dry-run", "--annotate")
    line = 1 + PIPELINES.splitlines().index(
        '    return spark.table("sales.customers").where(F.col("born") > 2000).select("name")'
    )
    assert result.stdout == (
        f"SELECT -- nightly.py:{line}\n  name\n"
        f"FROM spark_catalog.sales.customers -- nightly.py:{line}\n"
        f"WHERE born > 2000 -- nightly.py:{line}\n"
    )


def test_saved_and_proven(run_json, pipelines, place, spark):
    data = str(place / "data")
    spark.sql("SELECT 'ann' AS name, 2001 AS born").write.parquet(data)
    pipelines.create_table(
        "sales.customers", "name STRING, born INT", format="parquet", location=data
    )
    try:
        saved = run_json("save", "nightly:young", "--catalog", "views", "--rows")
    finally:
        spark.sql("DROP TABLE IF EXISTS sales.customers")
        spark.sql("DROP DATABASE IF EXISTS sales")
    assert (saved["stored"], saved["sql"], saved["report"]["ok"]) == (True, SQL, True)
    view = vs.TableEnvironment.open("file:./views").get_view("sales.young")
    assert (view.sql, view.comment) == (SQL, "Who is young.")
    assert view.properties["viewscribe.verified"] == "rows"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nightly", "'nightly' is not MODULE:FUNCTION"),
        ("nightli:young", "there is no module 'nightli'"),
        ("nightly:yuong", "nightly has no 'yuong'; did you mean: young"),
        ("nightly:ANSWER", "'nightly:ANSWER' is a int, no function"),
        ("nightly:old", "nightly:old is not marked with @vs.view"),
    ],
)
def test_wrong_usage(run, pipelines, target, message):
    result = run("save", target, "--catalog", "views")
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
