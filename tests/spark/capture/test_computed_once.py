"""CTEs of draws that are read more than once: Spark computes each once, and so do our texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.spark.capture.ways import Ways
from viewscribe import functions as F
from viewscribe.expressions.node import holds
from viewscribe.operations.nodes import WithCte
from viewscribe.serializer import to_sql
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.spark.interpreter import to_dataframe

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

X = "x AS (SELECT id, rand() AS r FROM range(20))"
ONCE = {
    "joined with itself": (f"WITH {X} SELECT count(*) FROM x a JOIN x b ON a.r = b.r", 20),
    "with a seed": (
        "WITH x AS (SELECT id, rand(1) AS r FROM range(20)) "
        "SELECT count(*) FROM x a JOIN x b ON a.r = b.r",
        20,
    ),
    "without itself": (
        f"WITH {X} SELECT count(*) FROM (SELECT * FROM x EXCEPT SELECT * FROM x)",
        0,
    ),
    "beside itself": (
        f"WITH {X} SELECT count(DISTINCT r) FROM (SELECT * FROM x UNION ALL SELECT * FROM x)",
        20,
    ),
    "read in queries within": (
        f"WITH {X} SELECT count(*) FROM x WHERE r IN (SELECT r FROM x) "
        "AND r <= (SELECT max(r) FROM x)",
        20,
    ),
    "read in a query about a row": (
        f"WITH {X} SELECT count(*) FROM x a WHERE EXISTS (SELECT 1 FROM x WHERE x.r = a.r)",
        20,
    ),
    "read by others": (
        f"WITH {X}, y AS (SELECT max(r) AS m FROM x) SELECT count(*) FROM x JOIN y ON x.r = y.m",
        1,
    ),
    "read by others alone": (
        f"WITH {X}, y AS (SELECT * FROM x), z AS (SELECT * FROM x) "
        "SELECT count(*) FROM y JOIN z ON y.r = z.r",
        20,
    ),
    "two of them": (
        f"WITH {X}, y AS (SELECT id, rand() AS r FROM x UNION ALL SELECT * FROM x) "
        "SELECT count(*) FROM y a JOIN y b ON a.r = b.r",
        40,
    ),
    "two of one text": (
        f"WITH {X}, y AS (SELECT id, rand() AS r FROM range(20)) "
        "SELECT count(*) FROM x a JOIN x b ON a.r = b.r "
        "JOIN y c ON a.r = c.r JOIN y d ON c.r = d.r",
        0,
    ),
    "of one name": (
        f"WITH {X}, y AS (SELECT * FROM x) SELECT count(*) FROM y WHERE r IN (SELECT a.r FROM ("
        "WITH x AS (SELECT 2 + rand() AS r) SELECT a.r FROM x a JOIN x b ON a.r = b.r "
        "UNION ALL SELECT r FROM y) a)",
        20,
    ),
    "within another query": (
        f"SELECT n FROM (WITH {X} SELECT count(*) AS n FROM x a JOIN x b ON a.r = b.r) q LIMIT 1",
        20,
    ),
    "called as a table": (
        "WITH people AS (SELECT name, rand() AS r FROM world.people) "
        "SELECT count(*) = (SELECT count(*) FROM world.people) "
        "FROM people a JOIN people b ON a.r = b.r",
        True,
    ),
}


@pytest.fixture(scope="module")
def ways(spark: SparkSession, planner: Planner, offline: OfflineSession, world: Any) -> Ways:
    return Ways(spark, planner, offline)


@pytest.mark.parametrize("name", ONCE)
def test_every_door_reads_it_and_every_style_says_it(
    name: str, ways: Ways, world: vs.TableEnvironment
):
    text, expected = ONCE[name]
    trees = [
        world.sql_query(text).operation,
        ways.analyzed(ways.spark.sql(text)),
        ways.recorded(lambda spark: spark.sql(text)),
        ways.over_connect(ways.connect(lambda spark: spark.sql(text))),
    ]
    assert ways.spark.sql(text).first() == (expected,)
    assert all(holds(tree, WithCte) for tree in trees)
    assert [from_plan(to_plan(tree)) for tree in trees] == trees
    texts = [to_sql(tree, style) for tree in trees for style in ("readable", "pipe", "nested")]
    frames = [*map(ways.spark.sql, dict.fromkeys(texts)), to_dataframe(trees[0], ways.spark)]
    assert {each.first() for each in frames} == {(expected,)}, texts


def test_a_sample_stays_a_cte_too(ways: Ways, world: vs.TableEnvironment):
    """Spark 4.3 draws it at each place, and Spark 4.0 once: both read the same text."""
    text = (
        "WITH x AS (SELECT name FROM world.people TABLESAMPLE (50 PERCENT)) "
        "SELECT * FROM x EXCEPT SELECT * FROM x"
    )
    trees = [world.sql_query(text).operation, ways.analyzed(ways.spark.sql(text))]
    for style in ("readable", "pipe", "nested"):
        assert [to_sql(tree, style).count("TABLESAMPLE") for tree in trees] == [1, 1]
    report = vs.verify(world.sql_query(text), ways.spark)
    assert report.plan.status == "equal", report


STEPS_ABOVE = {
    "filtered": (lambda table: table.filter("id >= 5"), 15),
    "united with itself": (lambda table: table.union_all(table), 40),
    "within what it lacks": (lambda table: table.select("r").minus(table.select("r")), 20),
    "joined with itself": (
        lambda table: table.join(table.alias("b"), "r").select("r"),
        0,
    ),
    "grouped and sorted": (
        lambda table: table.group_by("r").agg(F.count("*").alias("n")).order_by("n").limit(7),
        7,
    ),
}


@pytest.mark.parametrize("name", STEPS_ABOVE)
def test_each_table_has_a_cte_of_its_own(name: str, ways: Ways, world: vs.TableEnvironment):
    above, rows = STEPS_ABOVE[name]
    table = above(world.sql_query(f"WITH {X} SELECT a.id, a.r FROM x a JOIN x b ON a.r = b.r"))
    assert world.sql_query(table.to_sql()).to_sql() == table.to_sql()
    for style in ("readable", "pipe", "nested"):
        made = ways.spark.sql(table.to_sql(style))
        assert made.select("r").distinct().count() == rows
