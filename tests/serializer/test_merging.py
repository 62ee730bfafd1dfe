"""Which steps share a SELECT, and which must not: neither too few of them nor too many.

Too few give other rows, which the tests with Spark see; too many give text that nobody wants to
read, and rows that are right.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import viewscribe as vs
from viewscribe import Table, col, lit
from viewscribe import functions as F

ENV = vs.TableEnvironment()
T = ENV.from_values([(1, 2), (3, 4)], "a INT, b INT")

TIMES = ENV.from_values([("2020-01-01", 1)], "s STRING, n INT")
windows = TIMES.select(F.to_timestamp("s").alias("ts"), "n").tumble("ts", "1 day")
days = windows.group_by("window").agg(F.sum("n").alias("n"))

drawn = F.spark_partition_id()
sorted_, hinted = T.order_by("a"), T.hint("REPARTITION", 3)
merged = T.full_outer_join(ENV.from_values([(1, 3)], "a INT, c INT"), "a")
shared = T.join(ENV.from_values([(1, 3)], "a INT, c INT"), "a")
groups = T.group_by("a").agg(F.count("*").alias("n"))

STEPS: dict[str, tuple[Callable[[], Table], int]] = {
    "columns beside an order": (lambda: sorted_.with_columns({"c": col("b") + 1}), 1),
    "a list beside an order": (lambda: sorted_.select("a", (col("b") + 1).alias("c")), 1),
    "a condition beside an order": (lambda: sorted_.filter(col("b") > 1), 1),
    "columns drawn after an order": (lambda: sorted_.with_columns({"c": F.rand(1)}), 2),
    "a list drawn after an order": (lambda: sorted_.select("a", F.rand(1).alias("c")), 2),
    "a condition drawn after an order": (lambda: sorted_.filter(F.rand(1) > 0), 2),
    "a partition as a column": (lambda: T.with_columns({"p": drawn}), 1),
    "a partition in a list": (lambda: T.select("a", drawn.alias("p")), 1),
    "a partition in a condition": (lambda: T.filter(drawn > -1), 1),
    "columns beside a hint": (lambda: hinted.with_columns({"c": col("b") + 1}), 1),
    "a list beside a hint": (lambda: hinted.select("a", (col("b") + 1).alias("c")), 1),
    "a condition beside a hint": (lambda: hinted.filter(col("b") > 1), 1),
    "a partition after a hint as a column": (lambda: hinted.with_columns({"p": drawn}), 2),
    "a partition after a hint in a list": (lambda: hinted.select("a", drawn.alias("p")), 2),
    "a partition after a hint in a condition": (lambda: hinted.filter(drawn > -1), 2),
    "a condition drawn beside a merged column": (lambda: merged.filter(F.rand(1) > col("a")), 2),
    "a condition drawn beside a shared column": (lambda: shared.filter(F.rand(1) > col("a")), 1),
    "a condition of a merged column": (lambda: merged.filter(col("a") > 1), 1),
    "columns beside a window": (lambda: windows.with_columns({"m": col("n") + 1}), 1),
    "a column in the place of a window": (lambda: windows.with_columns({"window": lit(1)}), 2),
    "groups of windows": (lambda: days, 1),
    "a list of groups of windows": (lambda: days.select("window", (col("n") + 1).alias("m")), 1),
    "the time of the window of a group": (
        lambda: days.select(F.window_time("window").alias("at"), "n"),
        2,
    ),
    "the window of a group, and its time": (
        lambda: days.select("window", F.window_time("window").alias("at")),
        2,
    ),
    "a column in the place of the time of a window": (
        lambda: days.with_columns({"at": F.window_time("window")}).with_columns({"at": lit(1)}),
        1,
    ),
    "groups by a constant of the row around": (
        lambda: T.select("a", F.sqrt(lit(4)).alias("c")).join_lateral(
            lambda row: (
                T.with_columns({"k": col("b") + row("c")})
                .group_by("k")
                .agg(F.count("*").alias("n"))
            )
        ),
        2,
    ),
    "sorted groups under a condition": (lambda: groups.order_by("a").filter(col("n") > 1), 1),
    "groups sorted by what is counted": (lambda: groups.order_by("n").filter(col("a") > 1), 1),
    "groups under a condition": (lambda: groups.filter(col("n") > 1), 1),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_number_of_selects(name: str) -> None:
    made, selects = STEPS[name]
    text = made().to_sql()
    assert text.count("SELECT") == selects, text
