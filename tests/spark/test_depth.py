"""Pipelines and expressions of any length run in a session with default settings.

`tests/serializer/test_depth.py` runs thousands of filters, columns, tables and conditions, as text
and interpreted.
"""

from __future__ import annotations

from tests.spark.helpers import rows
from viewscribe import col, if_then_else, lit
from viewscribe import functions as F


def numbers(env, count=3):
    return env.from_values([(number, number * 10) for number in range(count)], "id BIGINT, v INT")


def test_many_columns_each_from_the_one_before(spark, env):
    """In one SELECT the last column would be a sum of sixty terms."""
    table = numbers(env).with_column("c0", col("id"))
    for number in range(1, 60):
        table = table.with_column(f"c{number}", col(f"c{number - 1}") + 1)
    frame = table.to_dataframe(spark)
    assert len(frame.columns) == 62
    assert rows(frame.select("c0", "c59")) == [(0, 59), (1, 60), (2, 61)]


def test_one_column_replaced_again_and_again(spark, env):
    """Each step uses the column three times: written out, 3 to the power of 30 names."""
    table = numbers(env)
    for _ in range(30):
        table = table.with_column("v", if_then_else(col("v") > 5, col("v") + 1, col("v")))
    assert rows(table.to_dataframe(spark)) == [(0, 0), (1, 40), (2, 50)]


def test_an_expression_that_doubles_at_every_step(spark, env):
    table = numbers(env)
    for _ in range(24):
        table = table.with_column("v", (col("v") + col("v")) % 7)
    expected = [(number, number * 10 * 2**24 % 7) for number in range(3)]
    assert rows(table.to_dataframe(spark)) == expected


def test_three_hundred_nested_calls(spark, env):
    expression, mixed = col("v"), col("v")
    for _ in range(300):
        expression = F.abs(expression)
    for _ in range(150):
        mixed = mixed + lit(1, "TINYINT")
    table = numbers(env).select(expression.alias("x"), mixed.alias("y"))
    assert rows(table.to_dataframe(spark)) == [(0, 150), (10, 160), (20, 170)]


def test_filters_and_columns_in_turn(spark, env):
    table = numbers(env)
    for number in range(100):
        table = table.with_column("v", col("v") + 1).filter(col("v") != number * 7)
    assert rows(table.to_dataframe(spark)) == [(0, 100), (1, 110), (2, 120)]
