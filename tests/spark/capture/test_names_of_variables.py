"""Steps that a recorded function uses more than once have the names of its variables."""

from __future__ import annotations

import functools
import re
import sys
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.serializer import to_sql


@pytest.fixture(scope="module")
def shop() -> vs.TableEnvironment:
    """An environment with tables, without Spark."""
    env = vs.TableEnvironment()
    env.create_table("sales", "id INT, customer_id INT, price DECIMAL(10, 2)")
    env.create_table("totals", "id INT")
    return env


def totals_of(spark: Any) -> Any:
    from pyspark.sql import functions as F

    return spark.table("sales").groupBy("customer_id").agg(F.sum("price").alias("total"))


def twice(grouped: Any) -> Any:
    from pyspark.sql import functions as F

    best = grouped.agg(F.max("total").alias("best"))
    return grouped.join(best, grouped["total"] == best["best"])


def named(spark: Any) -> Any:
    of_customers = totals_of(spark)
    return twice(of_customers)


def steps(pipeline: Any, env: vs.TableEnvironment) -> list[str]:
    """The names of the CTEs of the pipeline's text, which reads back to the same text."""
    text = vs.record(pipeline, env=env).to_sql()
    assert env.sql_query(text).to_sql() == text
    return re.findall(r"(\S+) AS \(\n {2}SELECT", text)


def test_a_shared_step_has_the_name_of_its_variable(shop):
    assert steps(named, shop)[0] == "of_customers"


def test_it_has_that_name_in_every_style(shop):
    table = vs.record(named, env=shop)
    for style in ("readable", "nested", "pipe"):
        assert "AS of_customers" in table.to_sql(style) or "of_customers AS" in table.to_sql(style)
    assert "of_customers AS (" in table.to_sql(annotate=True)


def test_what_is_used_once_has_no_name(shop):
    def once(spark: Any) -> Any:
        from pyspark.sql import functions as F

        of_customers = totals_of(spark)
        return of_customers.filter(F.col("total") > 3)

    assert "of_customers" not in vs.record(once, env=shop).to_sql()


def test_names_of_tables_and_columns_and_hidden_ones_are_not_used(shop):
    def as_a_column(spark: Any) -> Any:
        total = totals_of(spark)
        return twice(total)

    def as_a_table(spark: Any) -> Any:
        sales = totals_of(spark)
        return twice(sales)

    def as_hidden(spark: Any) -> Any:
        _hidden = totals_of(spark)
        return twice(_hidden)

    for pipeline in (as_a_column, as_a_table, as_hidden):
        assert steps(pipeline, shop)[0] == "sales_grouped"


def test_an_alias_of_the_user_comes_first(shop):
    def aliased(spark: Any) -> Any:
        of_customers = totals_of(spark).alias("mine")
        return of_customers.union(of_customers)

    assert steps(aliased, shop) == ["mine"]


def test_of_two_variables_the_first_counts_and_reserved_words_are_quoted(shop):
    def both(spark: Any) -> Any:
        select = totals_of(spark)
        other = totals_of(spark)
        return twice(select).unionByName(twice(other))

    text = vs.record(both, env=shop).to_sql()
    assert "`select` AS (" in text
    assert "other" not in text


def test_a_variable_that_cannot_be_captured_and_is_not_used_is_left_out(shop):
    def with_another(spark: Any) -> Any:
        of_customers = totals_of(spark)
        unused = spark.table("nowhere")  # noqa: F841
        return twice(of_customers)

    assert steps(with_another, shop)[0] == "of_customers"


def test_decorators_and_bound_arguments_are_looked_through(shop):
    def bound(limit: int, spark: Any) -> Any:
        of_customers = totals_of(spark)
        return twice(of_customers).limit(limit)

    @functools.wraps(named)
    def decorated(spark: Any) -> Any:
        return named(spark)

    for pipeline in (functools.partial(bound, 3), decorated):
        assert "of_customers AS (" in vs.record(pipeline, env=shop).to_sql()


def test_a_profiler_at_work_stays_at_work(shop):
    def profile(frame: Any, event: str, argument: Any) -> None:
        """A profiler."""

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        text = vs.record(named, env=shop).to_sql()
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(before)
    assert "sales_grouped AS (" in text


def test_no_profiler_is_left_behind_by_a_pipeline_that_fails(shop):
    def failing(spark: Any) -> Any:
        raise ZeroDivisionError

    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError):
        vs.record(failing, env=shop)
    assert sys.getprofile() is before


def test_the_text_is_the_same_but_for_the_name(shop):
    def unnamed(spark: Any) -> Any:
        return twice(totals_of(spark))

    def normal(pipeline: Any) -> str:
        text = to_sql(vs.record(pipeline, env=shop).operation)
        return re.sub(r"\b(of_customers|sales)(_grouped)*(_\d)?\b", "step", text)

    assert normal(named) == normal(unnamed)
