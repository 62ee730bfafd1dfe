"""Plans compared: what no row follows from makes no difference, all else does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from viewscribe.spark.compare import compare_optimized, compare_plans
from viewscribe.spark.proof import NormalForms, UnknownPlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs


def people(spark: Any) -> Any:
    return spark.table("world.people")


ALIKE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "the name of a generator": (
        "SELECT name, tag FROM world.people LATERAL VIEW explode(tags) t AS tag",
        lambda spark: people(spark).select("name", F.explode("tags").alias("tag")),
    ),
    "the slices of the session": (
        "SELECT id + 1 AS id FROM range(5)",
        lambda spark: spark.range(5).select((F.col("id") + 1).alias("id")),
    ),
    "a cross join that was not called one": (
        "SELECT p.name, d.city FROM world.people p CROSS JOIN world.depts d",
        lambda spark: people(spark).join(spark.table("world.depts")).select("name", "city"),
    ),
    "a condition that is always true": (
        "SELECT p.name, d.city FROM world.people p LEFT JOIN world.depts d ON true",
        lambda spark: (
            people(spark).join(spark.table("world.depts"), how="left").select("name", "city")
        ),
    ),
    "the names of the columns": (
        "SELECT name AS NAME, dept AS d FROM world.people",
        lambda spark: people(spark).select("NAME", F.col("dept").alias("D")),
    ),
    "seeds that Spark made up": (
        "SELECT name, rand() AS r FROM world.people",
        lambda spark: people(spark).select("name", F.rand().alias("r")),
    ),
}

UNLIKE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a generator that keeps rows": (
        "SELECT name, tag FROM world.people LATERAL VIEW OUTER explode(tags) t AS tag",
        lambda spark: people(spark).select("name", F.explode("tags").alias("tag")),
    ),
    "other slices": (
        "SELECT * FROM range(0, 5, 1, 7)",
        lambda spark: spark.range(5),
    ),
    "another range": ("SELECT * FROM range(6)", lambda spark: spark.range(5)),
    "a join of another kind": (
        "SELECT p.name, d.city FROM world.people p CROSS JOIN world.depts d",
        lambda spark: (
            people(spark).join(spark.table("world.depts"), how="left").select("name", "city")
        ),
    ),
    "columns in another order": (
        "SELECT dept AS name, name AS dept FROM world.people",
        lambda spark: people(spark).select("name", "dept"),
    ),
    "seeds over another table of the same columns": (
        "SELECT *, rand() AS r FROM world.depts",
        lambda spark: spark.table("world.depts_2").withColumn("r", F.rand()),
    ),
}


@pytest.mark.parametrize("what", ALIKE)
def test_what_no_row_follows_from_makes_no_difference(
    what: str, spark: SparkSession, env: vs.TableEnvironment
):
    text, make = ALIKE[what]
    one, other = spark.sql(text), make(spark)
    assert not _plan(one).sameResult(_plan(other))
    check = compare_optimized(one, other)
    assert check.status == "equal", check
    assert "optimized" in check.detail
    assert compare_plans(one, other).status == "equal"


@pytest.mark.parametrize("what", UNLIKE)
def test_what_rows_follow_from_makes_a_difference(
    what: str, spark: SparkSession, env: vs.TableEnvironment
):
    spark.sql("CREATE TABLE IF NOT EXISTS world.depts_2 (dept STRING, city STRING) USING parquet")
    text, make = UNLIKE[what]
    assert compare_plans(spark.sql(text), make(spark)).status == "not compared"


ANALYZED: dict[str, tuple[str, str]] = {
    "BETWEEN and what it stands for": (
        "SELECT name FROM world.people WHERE salary BETWEEN 5 AND 9",
        "SELECT name FROM world.people WHERE salary <= 9 AND salary >= 5",
    ),
    "a filter above or below a sort and a projection": (
        "SELECT n FROM (SELECT name AS n, salary AS s FROM world.people) WHERE s > 5 ORDER BY n",
        "SELECT name FROM world.people WHERE salary > 5 ORDER BY name",
    ),
    "CTEs that are read twice": (
        "WITH a AS (SELECT dept FROM world.depts), b AS (SELECT dept AS d FROM a) "
        "SELECT dept FROM a JOIN b ON dept = d",
        "WITH x AS (SELECT dept AS k FROM world.depts) SELECT o.k FROM x AS o JOIN x AS p "
        "ON o.k = p.k",
    ),
    "the time": (
        "SELECT name, current_timestamp() AS t FROM world.people",
        "SELECT name, current_timestamp() AS t FROM (SELECT name FROM world.people)",
    ),
}


@pytest.mark.parametrize("what", ANALYZED)
def test_what_is_alike_once_it_is_analyzed_needs_no_optimizer(
    what: str, spark: SparkSession, env: vs.TableEnvironment
):
    one, other = map(spark.sql, ANALYZED[what])
    assert compare_plans(one, other).detail == "the analyzed plans have one normal form"
    java: Any = one
    phases = java._jdf.queryExecution().tracker().phases()
    assert phases.contains("analysis")
    assert not phases.contains("optimization")


def test_of_queries_that_look_at_the_row_around_them_analyzed_plans_say_nothing(
    spark: SparkSession, env: vs.TableEnvironment
):
    java: Any = spark.sql(
        "SELECT name FROM world.people AS p "
        "WHERE EXISTS (SELECT 1 FROM world.depts AS d WHERE d.dept = p.dept)"
    )
    session: Any = spark
    forms = NormalForms(session._jsparkSession, session._jvm)
    with pytest.raises(UnknownPlanError):
        forms.of(java._jdf)
    forms.of(java._jdf.queryExecution().optimizedPlan())


@pytest.mark.slow("Spark analyzes 240 steps, one after another")
def test_what_lies_under_many_steps_is_rewritten_too(spark: SparkSession):
    def deep(frame: DataFrame) -> DataFrame:
        for place in range(60):
            frame = frame.where(F.rand(place) > 0).hint("broadcast")
        return frame

    one, other = deep(spark.sql("SELECT * FROM range(5)")), deep(spark.range(5))
    assert compare_plans(one, other).status == "equal"


def _plan(frame: DataFrame) -> Any:
    java: Any = frame
    return java._jdf.queryExecution().optimizedPlan()
