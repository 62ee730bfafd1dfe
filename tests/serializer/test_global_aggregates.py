"""A global aggregate gives one row, whatever is made of its columns above it."""

from __future__ import annotations

import pytest

from viewscribe import Table, TableEnvironment, col, lit
from viewscribe import functions as F


@pytest.fixture
def total() -> Table:
    env = TableEnvironment()
    env.create_table("sales", "id INT, amount INT")
    return env.from_path("sales").agg(F.sum("amount").alias("total"))


def test_constants_alone_keep_the_aggregate_below(total: Table) -> None:
    for table in (
        total.select(lit(0).alias("zero")),
        total.add_or_replace_columns(lit(0).alias("total")),
    ):
        assert "sum(amount)" in table.to_sql()


def test_what_still_aggregates_stays_one_select(total: Table) -> None:
    for table in (
        total.select((col("total") + 1).alias("more")),
        total.add_columns(lit(0).alias("zero")),
    ):
        assert table.to_sql().count("SELECT") == 1


def test_distinct_rows_are_those_of_the_columns_that_are_left() -> None:
    env = TableEnvironment()
    env.create_table("sales", "id INT, amount INT, place STRING")
    kept = env.from_path("sales").select("id", "amount")
    for counted in (F.count_distinct("*"), F.count().distinct()):
        assert "count(DISTINCT id, amount)" in kept.agg(counted.alias("n")).to_sql()
    assert "count(*)" in kept.agg(F.count("*").alias("n")).to_sql()
