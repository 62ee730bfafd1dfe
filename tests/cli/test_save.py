"""``viewscribe save``."""

from __future__ import annotations

import sys

import pytest

import viewscribe as vs

PIPELINES = '''
import viewscribe as vs
from pyspark.sql import functions as F


@vs.view("sales.young")
def young(spark):
    """Who is young."""
    return spark.table("sales.customers").where(F.col("born") > 2000).select("name")


def old(spark):
    return spark.table("sales.customers").where(F.col("born") < 1950)


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
