"""Windows over ROLLUP and CUBE: Spark refuses an aggregate of a key where the groups are made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from viewscribe import Table, TableEnvironment, col, over
from viewscribe import functions as F
from viewscribe.errors import ValidationError

Make = Callable[[Table], Table]

GROUPED: dict[str, Make] = {
    "rollup": lambda sales: sales.rollup("dept", "city").agg(F.sum("amount").alias("total")),
    "cube": lambda sales: sales.cube("dept", "city").agg(F.sum("amount").alias("total")),
}


@pytest.fixture
def sales() -> Table:
    env = TableEnvironment()
    env.create_table("sales", "dept STRING, city STRING, amount INT")
    return env.from_path("sales")


@pytest.mark.parametrize("grouped", GROUPED)
def test_an_aggregate_of_a_key_is_in_a_query_around_the_groups(sales: Table, grouped: str) -> None:
    groups = GROUPED[grouped](sales)
    window = over(partition_by="city")
    for call in (
        F.max("dept"),
        F.max(F.struct("dept", "total")),
        F.max(F.upper("dept")),
        F.count("total").filter(col("dept").is_null()),
    ):
        assert groups.add_columns(call.over(window).alias("x")).to_sql().count("SELECT") == 2
        assert groups.select(call.over(window).alias("x")).to_sql().count("SELECT") == 2


def test_keys_that_were_renamed_are_keys(sales: Table) -> None:
    groups = GROUPED["rollup"](sales).select(F.upper("dept").alias("total"), col("city").alias("c"))
    call = F.max("total").over(over(partition_by="c"))
    assert groups.select(call.alias("x")).to_sql().count("SELECT") == 2


@pytest.mark.parametrize("grouped", GROUPED)
def test_other_windows_stay_in_one_select(sales: Table, grouped: str) -> None:
    groups = GROUPED[grouped](sales)
    window = over(partition_by="dept", order_by="total")
    for call in (F.max("total"), F.lag("dept"), F.rank()):
        assert groups.add_columns(call.over(window).alias("x")).to_sql().count("SELECT") == 1


def test_keys_of_plain_groups_stay_in_one_select(sales: Table) -> None:
    groups = sales.group_by("dept").agg(F.sum("amount").alias("total"))
    call = F.max("dept").over(over(order_by="total"))
    assert groups.add_columns(call.alias("x")).to_sql().count("SELECT") == 1


def test_several_totals_are_no_groups_that_sql_has(sales: Table) -> None:
    """Spark gives a row for each empty set, and none where the table is empty."""
    with pytest.raises(ValidationError, match="2 empty sets") as caught:
        sales.grouping_sets([[], []]).agg(F.sum("amount").alias("total"))
    assert "union the total" in str(caught.value)


def test_one_empty_set_is_a_total(sales: Table) -> None:
    total = sales.grouping_sets([[]]).agg(F.sum("amount").alias("total"))
    assert total.to_sql() == sales.agg(F.sum("amount").alias("total")).to_sql()
