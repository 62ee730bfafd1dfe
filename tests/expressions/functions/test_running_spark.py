"""The running Spark still says what was recorded of it, of which all other tests here are sure."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.corpus import chosen
from tests.expressions.functions.matrix import GROUPS, type_of
from tests.expressions.functions.recorded import MODES, OTHERS, ask, recorded
from viewscribe import call, col
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ASKED_AGAIN = 40
"""How many calls of a group of the matrix are asked for again, in each mode."""


@pytest.mark.slow("Spark is asked for 40 calls of each group again")
@pytest.mark.parametrize("mode", MODES)
def test_types(spark: SparkSession, mode: str) -> None:
    draw = random.Random(51)
    for group in GROUPS:
        theirs = recorded(group, mode)
        check(spark, group, mode, draw.sample(sorted(theirs), min(ASKED_AGAIN, len(theirs))))


@pytest.mark.slow("Spark is asked for one in five calls of a group again")
@pytest.mark.parametrize("group", OTHERS)
def test_types_of_the_other_groups(spark: SparkSession, group: str) -> None:
    for mode in MODES if group == "constants" else ["ansi"]:
        check(spark, group, mode, chosen(sorted(recorded(group, mode)), 5))


def check(spark: SparkSession, group: str, mode: str, texts: list[str]) -> None:
    theirs, now = recorded(group, mode), ask(spark, group, mode, texts)
    changed = {text: (theirs[text], now[text]) for text in texts if now[text] != theirs[text]}
    assert not changed, f"Spark says something else now: run `make types`: {changed}"


def test_the_time_of_a_window(spark: SparkSession) -> None:
    ask(spark, "scalars", "ansi", ["ts"])  # makes the palette a view
    for name in ("ts_n", "tn"):
        windows = f"SELECT window({name}, '1 day') AS window FROM palette GROUP BY ALL"
        theirs = spark.sql(f"SELECT window, window_time(window) AS time FROM ({windows})").schema
        window, time = schema_from_spark(theirs)
        assert type_of(call("window", col(name), "1 day")) == window.type
        schema = Schema([window])
        assert resolve(call("window_time", col("window")), schema).type == time.type
