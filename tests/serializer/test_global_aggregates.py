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
