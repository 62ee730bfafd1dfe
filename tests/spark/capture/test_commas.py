"""``FROM a, b`` stays what it is: Spark plans it otherwise than a CROSS JOIN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from examples.tpch import data
from viewscribe.serializer import STYLES, to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    import viewscribe as vs

COMMAS = {
    "world.people AS p, world.depts AS d WHERE p.dept = d.dept": "people AS p, world.depts AS d",
    "world.people, world.depts AS d, world.sales": "people, world.depts AS d, world.sales",
    "world.people AS p JOIN world.sales AS s ON p.dept = s.dept, world.depts AS d": (
        "ON p.dept = s.dept, world.depts AS d"
    ),
    "world.depts AS d, world.people AS p LATERAL VIEW explode(p.tags) t AS tag": (
        "world.depts AS d, world.people AS p LATERAL"
    ),
    "(SELECT * FROM world.people LIMIT 2) AS p, (SELECT dept FROM world.depts LIMIT 1) AS d": (
        "FROM p, d"
    ),
    "world.depts AS d, world.people AS p, LATERAL (SELECT p.salary + 1 AS more) AS l": (
        " JOIN world.people AS p "
    ),
    "world.depts AS d, world.people AS p JOIN world.sales AS s ON p.dept = s.dept": "JOIN",
    "world.depts AS d JOIN world.people AS p JOIN world.sales AS s ON p.dept = s.dept": (
        " JOIN world.people AS p "
    ),
    "world.depts AS d CROSS JOIN world.people AS p": " CROSS JOIN world.people",
    "world.depts AS d, world.people AS p LEFT JOIN world.sales AS s ON true": "LEFT JOIN",
}
"""What stands behind FROM, and a part of the readable text."""


@pytest.mark.parametrize("clause", COMMAS)
def test_the_kind_of_a_join_is_kept(
    spark: SparkSession, world: vs.TableEnvironment, clause: str
) -> None:
    frame = spark.sql(f"SELECT * FROM {clause}")
    frame = frame.toDF(*[f"c{place}" for place in range(len(frame.columns))])
    operation = capture_classic(frame)
    for style in STYLES:
        report = verify(operation, spark, sql=to_sql(operation, style), original=frame)
        assert report.plan.status == "equal", (style, str(report))
        assert report.rows.status == "equal", (style, str(report))
    text = " ".join(to_sql(operation).replace("spark_catalog.", "").split())
    assert COMMAS[clause] in text


@pytest.fixture(scope="module")
def tpch(spark: SparkSession) -> Iterator[SparkSession]:
    """The tables of TPC-H without a row, for plans ask for none."""
    spark.sql("CREATE DATABASE published")
    spark.sql("USE published")
    for name, columns in data.SCHEMAS.items():
        spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
    yield spark
    spark.sql("USE default")
    spark.sql("DROP DATABASE published CASCADE")


@pytest.mark.parametrize("number", range(1, 23))
def test_the_plan_proves_a_published_query(tpch: SparkSession, number: int) -> None:
    frame = tpch.sql(data.query(number))
    operation = capture_classic(frame)
    report = verify(operation, tpch, sql=to_sql(operation), rows=False, original=frame)
    assert report.plan.status == "equal", str(report)
