"""Long and deep pipelines run in Spark, as text and interpreted, with Spark's default settings.

The text of the readable style must parse and analyze where Spark gives up on the obvious forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from viewscribe import Table, TableEnvironment, col, lit, or_
from viewscribe import functions as F

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

FILTERS = 1_000
COLUMNS = 1_000
BRANCHES = 1_000
TERMS = 10_000
CALLS = 300


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("deep", "id INT NOT NULL, name STRING")
    return made


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    # A view over VALUES: a scan of files would push every predicate down, and die of a thousand.
    spark.sql(
        "CREATE OR REPLACE VIEW default.deep AS SELECT id, name "
        "FROM VALUES (1, 'a'), (2, 'b'), (3, NULL), (1500, 'c'), (-7, 'd') AS v (id, name)"
    )
    yield spark
    spark.sql("DROP VIEW default.deep")


@pytest.fixture
def deep(env: TableEnvironment) -> Table:
    return env.from_path("deep")


def check(table: Table, session: SparkSession) -> list[tuple[object, ...]]:
    """The rows of the text, after they proved to be those of the interpreted tree."""
    from_text = session.sql(table.to_sql())
    interpreted = table.to_dataframe(session)
    assert from_text.columns == interpreted.columns == table.columns
    rows = collected(from_text)
    assert rows == collected(interpreted)
    return rows


def collected(data: DataFrame) -> list[tuple[object, ...]]:
    """The rows in a fixed order, by one task: a union of a thousand tables would start as many."""
    return sorted((tuple(row) for row in data.coalesce(1).collect()), key=repr)


def test_a_thousand_filters(session: SparkSession, deep: Table) -> None:
    table = deep
    for number in range(FILTERS):
        table = table.filter(col("id") != number + 2)
    assert check(table, session) == [(-7, "d"), (1, "a"), (1500, "c")]


def test_a_thousand_columns_each_from_the_one_before(session: SparkSession, deep: Table) -> None:
    table = deep.add_columns(col("id").alias("c0"))
    for number in range(1, COLUMNS):
        table = table.add_or_replace_columns((col(f"c{number - 1}") + 1).alias(f"c{number}"))
    table = table.select("id", "c500", f"c{COLUMNS - 1}")
    assert (1, 501, COLUMNS) in check(table, session)


def test_a_column_replaced_a_thousand_times(session: SparkSession, deep: Table) -> None:
    table = deep
    for _ in range(COLUMNS):
        table = table.add_or_replace_columns((col("id") + 1).alias("id"))
    assert (1 + COLUMNS, "a") in check(table, session)


def test_a_union_of_a_thousand_tables(session: SparkSession, deep: Table) -> None:
    table = deep
    for number in range(1, BRANCHES):
        table = table.union_all(deep.filter(col("id") == number))
    rows = check(table, session)
    assert len(rows) == 5 + 3
    assert rows.count((1, "a")) == 2


def test_an_or_of_ten_thousand_terms(session: SparkSession, deep: Table) -> None:
    terms = [col("id") == number * 3 for number in range(TERMS)]
    assert check(deep.filter(or_(*terms)), session) == [(1500, "c"), (3, None)]


def test_three_hundred_nested_calls(session: SparkSession, deep: Table) -> None:
    value = col("id")
    for _ in range(CALLS // 2):
        value = F.abs(value - lit(1))
    table = deep.select("name", value.alias("value"))
    assert ("c", 1500 - CALLS // 2) in check(table, session)
