"""Shorter names of tables: the same rows where what is left out is the current one."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.spark.answers import Answers
from tests.spark.conftest import env as world_of_spark
from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.errors import ValidationError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from viewscribe import Table

world = world_of_spark


def pipelines(env: TableEnvironment) -> list[Table]:
    people, depts, sales = (env.from_path(name) for name in ("people", "depts", "sales"))
    grouped = people.group_by("dept").select("dept", F.sum("salary").alias("total"))
    rich = people.where(col("salary") > 10)
    named = people.limit(100).alias("depts")  # a CTE must not hide the table of that name
    pair = people.alias("p").join(depts.alias("d"), col("p.dept") == col("d.dept"))
    return [
        people.select("name"),
        pair.select("name", "city", "d.dept"),
        people.join(depts, "dept").join(sales, "dept").select("dept", "name", "amount"),
        grouped.alias("a").join(grouped.alias("b"), col("a.total") < col("b.total")),
        people.where(col("dept").in_(depts.select("dept"))).select("dept", "salary"),
        people.where(col("salary") > grouped.select(F.avg("total")).scalar()),
        named.join(depts.alias("d"), col("d.dept") == col("depts.dept")).select("name", "city"),
        rich.union_all(rich).union_all(people),
        pair.select(col("p.dept").alias("city"), col("city").alias("name")).order_by("city"),
    ]


STYLES = ("readable", "pipe", "nested")


@pytest.mark.slow("Spark analyzes nine pipelines under three lengths of names, in three styles")
def test_rows_are_the_same_in_that_database(spark: SparkSession, world: TableEnvironment) -> None:
    """The three plans of a pipeline are mostly one, which runs once; so are those of its styles."""
    answers = Answers(rows_of)
    for style, table in product(STYLES, pipelines(world)):
        texts = {length: table.to_sql(style, qualify=length) for length in ("database", "minimal")}
        assert "spark_catalog.world." in table.to_sql(style)
        assert "spark_catalog" not in texts["database"]
        assert "world." in texts["database"]
        assert "world." not in texts["minimal"]
        full = spark.sql(table.to_sql(style))
        spark.sql("USE world")
        try:
            shortest = spark.sql(texts["minimal"])
            assert shortest.schema == full.schema
            assert answers.of(shortest) == answers.of(full), texts["minimal"]
        finally:
            spark.sql("USE default")
        assert answers.of(spark.sql(texts["database"])) == answers.of(full), texts["database"]


def rows_of(frame: DataFrame) -> Counter[str]:
    """How often each row is there."""
    return Counter(map(str, frame.collect()))


def test_only_what_is_current_is_left_out() -> None:
    env = TableEnvironment()
    for path in ("a.t", "b.t"):
        env.create_database(path[0])
        env.create_table(path, "id INT")
    both = env.from_path("a.t").select("id").union_all(env.from_path("b.t"))
    text = both.to_sql(qualify="minimal")
    assert "FROM a.t" in text
    assert "FROM b.t" in text
    env.use_database("a")
    text = both.to_sql(qualify="minimal")
    assert "FROM t\n" in text
    assert "FROM b.t" in text
    assert "FROM a.t" in both.to_sql(qualify="database")
    assert "FROM spark_catalog.a.t" in both.to_sql()


def test_names_that_there_are_not_and_comments_are_refused() -> None:
    env = TableEnvironment()
    env.create_table("t", "id INT")
    with pytest.raises(ValidationError, match="no names 'short'") as caught:
        env.from_path("t").to_sql(qualify="short")
    assert "full, database, minimal" in str(caught.value)
    with pytest.raises(ValidationError, match="full names"):
        env.from_path("t").to_sql(annotate=True, qualify="minimal")
