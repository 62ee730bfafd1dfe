"""Comments that say where the steps of a DataFrame are written, in each of the three ways in."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.serializer.test_notes import beside
from tests.spark.capture.test_recording import shop as recorded_shop
from tests.versions import before
from viewscribe.operations.base import Notes
from viewscribe.serializer import STYLES, to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.lines import short_line
from viewscribe.spark.capture.sources import CatalogSources
from viewscribe.table_api import view_storage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

shop = recorded_shop

_COMMENT = re.compile(r" -- .*$", re.MULTILINE)


def best(spark: Any) -> Any:
    from pyspark.sql import functions as F

    people = spark.table("world.people").where("salary is not null")
    paid = people.withColumn("thousands", F.col("salary") / 1000)
    rich = paid.where(F.col("thousands") > 0.01)
    places = spark.table("world.depts")
    joined = (
        rich.join(places, "dept")
        .groupBy("city")
        .agg(
            F.max("thousands").alias("most"),
        )
    )
    return joined.orderBy(F.desc("most")).limit(5)


def line(text: str, pipeline: Callable[[Any], Any] = best) -> str:
    """``file:line`` of the first line of a pipeline that holds a text."""
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    start = pipeline.__code__.co_firstlineno
    number = next(n for n, each in enumerate(source[start:], start + 1) if text in each)
    return f"tests/spark/capture/{Path(__file__).name}:{number}"


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])


@pytest.mark.usefixtures("at_root")
def test_a_recording_knows_the_line_of_every_step(world: vs.TableEnvironment):
    table = vs.record(best, env=world)
    assert beside(table.to_sql(annotate=True)) == {
        "max(salary / 1000) AS most": line("withColumn"),
        "FROM spark_catalog.world.people": line("world.people"),
        "JOIN spark_catalog.world.depts ON people.dept = depts.dept": (
            f"{line('world.depts')}, {line('.join(')}"
        ),
        "WHERE salary IS NOT NULL": line("world.people"),
        "AND salary / 1000 > 0.01D": f"{line('withColumn')}, {line('0.01')}",
        "GROUP BY city": line(".agg("),
        "ORDER BY most DESC": line("orderBy"),
        "LIMIT 5": line("orderBy"),
    }


@pytest.mark.usefixtures("at_root")
def test_an_existing_dataframe_knows_the_lines_of_its_expressions(
    spark: SparkSession, world: vs.TableEnvironment
):
    text = vs.to_sql(best(spark), annotate=True)
    lines = {
        "max(salary / 1000) AS most": line("withColumn"),
        "AND salary / 1000 > 0.01D": f"{line('withColumn')}, {line('0.01')}",
    }
    if not before("4.1"):  # Spark 4.0 notes no lines of functions and aliases
        lines["GROUP BY city"] = line("F.max(")
    assert beside(text) == lines


@pytest.mark.usefixtures("at_root")
def test_a_connect_dataframe_knows_the_lines_of_its_expressions(
    session: Any, world: vs.TableEnvironment
):
    notes = Notes()
    operation = capture(best(session), sources=CatalogSources(world), notes=notes)
    assert beside(to_sql(operation, notes=notes)) == {
        "max(salary / 1000) AS most": line("withColumn"),
        "AND salary / 1000 > 0.01D": f"{line('withColumn')}, {line('0.01')}",
        # Spark 4.0 notes no line of a key that is given by its name
        "GROUP BY city": line("F.max(" if before("4.1") else "groupBy"),
        "ORDER BY most DESC": line("orderBy"),
    }


@pytest.mark.parametrize("style", STYLES)
def test_without_comments_it_is_the_same_text(style: str, world: vs.TableEnvironment):
    table = vs.record(best, env=world)
    commented = table.to_sql(style, annotate=True)
    assert commented != table.to_sql(style)
    assert _COMMENT.sub("", commented) == table.to_sql(style)


def test_lines_are_no_part_of_the_tree(world: vs.TableEnvironment):
    def again(spark: Any) -> Any:
        return best(spark)

    one, other = vs.record(best, env=world), vs.record(again, env=world)
    assert one.operation == other.operation
    assert one.to_plan() == other.to_plan()
    assert "py:" not in str(one.to_plan())


def test_steps_that_come_later_have_no_line(world: vs.TableEnvironment):
    table = vs.record(best, env=world).filter(vs.col("city") == "rome").select("city")
    shown = beside(table.to_sql(annotate=True))
    assert "LIMIT 5" in shown
    assert not [each for each in shown if "rome" in each]


def test_a_table_of_the_table_api_has_no_lines(world: vs.TableEnvironment):
    table = world.from_path("people").filter(vs.col("salary") > 1)
    assert table.to_sql(annotate=True) == table.to_sql()


def test_a_stored_view_with_comments_opens_and_is_proven(
    spark: SparkSession, world: vs.TableEnvironment, tmp_path: Path
):
    place = f"file:{tmp_path / 'views'}"
    saved = view_storage.save_pipeline(best, "best", spark, catalog=place, rows=True, annotate=True)
    assert saved.verification.ok
    assert saved.verification.ok
    env = vs.TableEnvironment.open(place)
    document = env.get_view("best")
    assert document.sql == saved.sql
    assert beside(document.sql)
    opened = vs.open_view(env, "best", spark)
    assert Counter(opened.collect()) == Counter(best(spark).collect())
    report = vs.verify(document, spark)
    assert report.ok, report


def test_a_view_of_the_session_keeps_its_comments(spark: SparkSession, world: vs.TableEnvironment):
    saved = view_storage.save_pipeline(best, "world.best", spark, annotate=True)
    try:
        stored = spark.sql("SHOW CREATE TABLE world.best").first()
        assert stored is not None
        text, _, _ = saved.sql.rpartition(" -- ")  # Spark keeps nothing that follows a query
        assert text in stored[0]
        assert len(beside(text)) > 5
        found = Counter(spark.table("world.best").collect())
        assert found == Counter(best(spark).collect())
    finally:
        spark.sql("DROP VIEW world.best")


def test_without_being_asked_nothing_is_annotated(spark: SparkSession, world: vs.TableEnvironment):
    assert "--" not in vs.to_sql(best(spark))
    assert "--" not in vs.record(best, spark).to_sql()


def test_the_class_of_pyspark_is_as_before(shop: vs.TableEnvironment):
    from pyspark.sql.connect.plan import LogicalPlan

    before = LogicalPlan.__dict__["_fresh_plan_id"]
    vs.record(lambda spark: spark.table("orders").limit(1), env=shop)
    assert LogicalPlan.__dict__["_fresh_plan_id"] is before


@pytest.mark.parametrize(
    ("site", "shown"),
    [
        (os.path.join(os.getcwd(), "jobs", "etl.py") + ":12", "jobs/etl.py:12"),
        ("etl.py:12", "etl.py:12"),
        ("/elsewhere/jobs/etl.py:3", "etl.py:3"),
        ('"/elsewhere/etl.py:3"\n/elsewhere/main.py:7', "etl.py:3"),
        ("line 3 in cell [7]", "line 3 in cell [7]"),
        ("<stdin>:1", "<stdin>:1"),
        ("", None),
    ],
)
def test_short_lines(site: str, shown: str | None):
    assert short_line(site) == shown
