"""``viewscribe save``."""

from __future__ import annotations

import sys

import pytest

import viewscribe as vs
from viewscribe import functions as F
from viewscribe import serializer
from viewscribe.cli.commands.save import TARGETS, _proof
from viewscribe.spark.report import NO_ROWS, Check, VerificationReport
from viewscribe.table_api.view_storage import SavedView

PIPELINES = '''
import os

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


def listed(spark):
    files = spark.read.schema("born INT, name STRING").option("sep", ";")
    return files.csv(f"file:{os.getcwd()}/people.csv").where("born > 2000")


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
        "renamed": [],
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
    assert view.properties["viewscribe.verified"] == "proven"


def test_files_with_a_schema_of_their_own_become_a_table(run, run_json, pipelines, place, spark):
    (place / "people.csv").write_text("1999;ann\n2001;bob\n")
    args = ("save", "nightly:listed", "sales.listed", "--catalog", "views")
    refused = run(*args)
    assert refused.exit_code == 1
    assert "viewscribe save --tables" in refused.stderr
    saved = run_json(*args, "--tables")
    assert (saved["stored"], saved["report"]["ok"]) == (True, True)
    assert "FROM spark_catalog.sales.listed_people" in saved["sql"]
    assert pipelines.catalogs.kind_of(("sales", "listed_people")) == "table"
    assert not spark.catalog.databaseExists("sales")


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


@pytest.fixture
def modules(pipelines, place, monkeypatch):
    """A function that writes a module, which is forgotten afterwards."""
    made = []

    def write(name, text):
        (place / f"{name}.py").write_text(text)
        made.append(name)

    yield write
    for name in made:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("import nosuchthing\n", "ModuleNotFoundError: No module named 'nosuchthing'", 1),
        ("x = 1\nraise RuntimeError('no password')\n", "RuntimeError: no password", 2),
        ("def f(spark):\n    return (\n", "SyntaxError: ", 2),
    ],
)
def test_a_module_that_fails_says_where(run, modules, text, said, line):
    modules("failing", text)
    result = run("save", "failing:f", "v", "--catalog", "views", "--dry-run")
    assert result.exit_code == 1
    assert f"the module failing cannot be imported: {said}" in result.output
    assert f"failing.py:{line}" in result.output


def test_a_module_named_like_the_start_of_another_is_not_it(run, modules):
    modules("night", "import nightshade\n")
    result = run("save", "night:f", "v", "--catalog", "views", "--dry-run")
    assert (result.exit_code, "No module named 'nightshade'" in result.output) == (1, True)


def test_a_pipeline_that_fails_says_where(run, pipelines, modules):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    modules("divides", 'def f(spark):\n    return spark.table("sales.customers").limit(1 // 0)\n')
    result = run("save", "divides:f", "v", "--catalog", "views", "--dry-run")
    assert result.exit_code == 1
    assert "divides:f fails while it is recorded: ZeroDivisionError: " in result.output
    assert "divides.py:2" in result.output


def test_what_is_no_pipeline(run, modules):
    modules("odd", "def nothing():\n    pass\n\n\nclass Report:\n    pass\n")
    for name, said in (("nothing", "cannot be called with a session"), ("Report", "is a class")):
        result = run("save", f"odd:{name}", "v", "--catalog", "views", "--dry-run")
        assert (result.exit_code, said in result.output) == (1, True)


REFUSED = """
from pyspark.sql import functions as F


def two(spark):
    shout = F.udf(lambda x: x, "string")
    customers = spark.table("sales.customers")
    loud = customers.select(shout("name").alias("name"))
    return loud.union(customers.select(shout("name")))
"""


def test_everything_that_is_refused_is_said_at_once(run, pipelines, modules):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    modules("refused", REFUSED)
    result = run("save", "refused:two", "v", "--catalog", "views")
    assert result.exit_code == 1
    assert "2 parts of the DataFrame cannot be captured" in result.output
    assert "refused.py:8" in result.output
    assert "refused.py:9" in result.output


@pytest.fixture
def no_spark(monkeypatch):
    from viewscribe.spark import local

    monkeypatch.setattr(local, "local_session", lambda **given: pytest.fail("Spark was started"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sales.taken", "the view sales.taken exists already"),
        ("sales.customers", "a table has that name"),
        ("sales.other", "a table has that name"),
        ("nowhere.v", "no database `nowhere`"),
        ("a.b.c.d", "has 4 parts"),
        ("`sales", "is not a name"),
    ],
)
def test_a_name_that_cannot_be_is_refused_before_spark_starts(run, pipelines, no_spark, name, said):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    pipelines.create_table("sales.other", "name STRING")
    pipelines.create_view("sales.taken", pipelines.from_path("sales.other"))
    result = run("save", "nightly:young", name, "--catalog", "views")
    assert (result.exit_code, said in result.output) == (1, True)
    dry = run("save", "nightly:young", name, "--catalog", "views", "--dry-run")
    assert dry.exit_code == (0 if name == "sales.taken" else 1)


def test_a_dry_run_shows_the_names_that_columns_get(run, run_json, pipelines, modules):
    pipelines.create_table("sales.customers", "name STRING, born INT")
    select = 'spark.table("sales.customers").select("name", "name")'
    modules("twice", f"def f(spark):\n    return {select}\n")
    args = ("save", "twice:f", "sales.twice", "--catalog", "views", "--dry-run")
    assert "name AS name_2" in run(*args).stdout
    assert "Column name is called name_2." in run(*args).output
    assert run_json(*args)["renamed"] == [["name", "name_2"]]


@pytest.mark.parametrize(
    ("plan", "rows", "wanted"),
    [
        (
            Check("equal", "the optimized plans are the same"),
            Check("not compared"),
            "Stored v: proven.",
        ),
        (
            Check("not compared", "built differently"),
            Check("equal", "3 rows; nearly"),
            "Stored v: rows equal (3 rows).",
        ),
        (
            Check("not compared", "built differently"),
            Check("equal", NO_ROWS),
            "Stored v: schema only: built differently; 0 rows.",
        ),
        (
            Check("not compared", "built differently"),
            Check("not compared", "the rows change from run to run"),
            "Stored v: schema only: built differently; the rows change from run to run.",
        ),
    ],
)
def test_a_schema_alone_is_no_proof(plan, rows, wanted):
    report = VerificationReport("v", Check("equal"), plan, rows)
    assert wanted in _proof(SavedView("v", "SELECT 1", report))
