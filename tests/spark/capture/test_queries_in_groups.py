"""Sub-queries that look at the rows of groups, the bodies of SQL functions among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from tests.spark.capture.ways import assert_same
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

QUERIES = (
    "SELECT total(dept) AS t, count(*) AS n FROM world.people GROUP BY total(dept)",
    "SELECT count(*) AS n FROM world.people GROUP BY total(dept) HAVING total(dept) > 3",
    "SELECT total(dept) AS t, count(*) AS n FROM world.people GROUP BY ROLLUP (total(dept))",
    "SELECT dept, total(dept) AS t FROM world.people GROUP BY dept",
    "SELECT total(dept) + count(*) AS t, rank() OVER (ORDER BY total(dept)) AS r "
    "FROM world.people GROUP BY dept",
    "SELECT dept, total(dept) AS t FROM world.people GROUP BY ROLLUP (dept)",
    "SELECT total(max(dept)) AS t FROM world.people GROUP BY salary HAVING count(*) > 0",
    "SELECT dept, EXISTS (SELECT 1 FROM world.sales AS s WHERE s.dept = p.dept) AS e "
    "FROM world.people AS p GROUP BY dept",
    "SELECT dept, name, EXISTS (SELECT 1 FROM world.depts AS d WHERE d.dept = p.dept) AS e "
    "FROM world.people AS p GROUP BY dept, name",
    "SELECT dept, count(*) AS n, name IN (SELECT city FROM world.depts AS d WHERE d.dept = p.dept) "
    "AS e FROM world.people AS p GROUP BY dept, name",
    "SELECT dept, (SELECT max(amount) FROM world.sales) AS m FROM world.people GROUP BY dept",
)


@pytest.fixture(scope="module")
def total(spark: SparkSession, env: vs.TableEnvironment) -> Iterator[None]:
    """A SQL function that reads a table."""
    spark.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION total(d STRING) RETURNS DECIMAL(20, 2) "
        "RETURN (SELECT sum(amount) FROM world.sales WHERE dept = d)"
    )
    yield
    spark.sql("DROP TEMPORARY FUNCTION total")


@pytest.mark.parametrize("query", QUERIES)
def test_queries_that_look_at_groups_are_captured(spark: SparkSession, total: None, query: str):
    frame = spark.sql(query)
    assert_same(frame, capture_classic(frame))


def test_what_looks_at_a_group_stands_above_it():
    """Spark refuses SELECT k, (a scalar sub-query of k) … GROUP BY k."""
    people, orders = _tables()
    dearest = vs.scalar(
        lambda outer: orders.filter(vs.col("person") == outer("k")).select(F.max("n").alias("m"))
    )
    table = people.group_by("k").agg(F.count().alias("n"), dearest.alias("m"))
    assert "GROUP BY k ) AS" in " ".join(table.to_sql().split())


def test_a_query_in_a_group_looks_at_its_keys_and_at_nothing_else():
    """It looked at the column at the same place among keys and aggregates."""
    people, orders = _tables()
    groups = people.group_by("k")
    of_key, of_row = (
        vs.exists(lambda outer, name=name: orders.filter(vs.col("person") == outer(name)))
        for name in ("k", "id")
    )
    text = groups.agg(F.max("id").alias("m"), of_key.alias("e")).to_sql()
    assert "WHERE person = people.k" in text
    with pytest.raises(ValidationError, match="column `id` is neither a grouping key"):
        groups.agg(of_row.alias("e"))


def _tables() -> tuple[vs.Table, vs.Table]:
    env = vs.TableEnvironment()
    env.create_table("people", "id INT, k INT")
    env.create_table("orders", "person INT, n INT")
    return env.from_path("people"), env.from_path("orders")
