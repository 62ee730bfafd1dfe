"""Long DataFrames: captured, serialized, re-parsed with Spark's defaults, equal."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from tests.corpus import chosen
from tests.spark.helpers import rows
from tests.versions import RUNNING
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


def filters(spark: Any) -> Any:
    return reduce(lambda frame, i: frame.filter(F.col("id") > i - 397), range(400), spark.range(9))


def replaced_columns(spark: Any, count: int = 1000) -> Any:
    start = spark.range(9)
    return reduce(lambda frame, i: frame.withColumn("id", F.col("id") + i), range(count), start)


def added_columns(spark: Any) -> Any:
    start = spark.range(9).withColumnRenamed("id", "c0")
    step = range(1, 201)
    return reduce(lambda frame, i: frame.withColumn(f"c{i}", F.col(f"c{i - 1}") + 1), step, start)


def unions(spark: Any) -> Any:
    start = spark.range(2)
    return reduce(lambda frame, i: frame.union(start.select(F.col("id") + i)), range(199), start)


def fewer_replaced_columns(spark: Any) -> Any:
    return replaced_columns(spark, 100)


EXPECTED: dict[Any, list[tuple[int, ...]] | None] = {
    filters: [(id_,) for id_ in range(3, 9)],
    replaced_columns: None,
    fewer_replaced_columns: [(id_ + sum(range(100)),) for id_ in range(9)],
    added_columns: [tuple(id_ + step for step in range(201)) for id_ in range(9)],
    unions: sorted([(0,), (1,)] + [(id_ + i,) for i in range(199) for id_ in (0, 1)]),
}
"""The rows. Each is longer than the hundred sub-queries that Spark parses inside each other.

None where the text cannot be carried out, either: no 1,000 steps of one column fit its stack.
"""


@pytest.mark.parametrize("made", chosen(EXPECTED, 2))
def test_long_dataframes(made: Callable[[Any], Any], spark: SparkSession):
    frame = made(spark)
    tree = capture_classic(frame)
    again = spark.sql(to_sql(tree, target=RUNNING))
    assert again.schema == frame.schema
    expected = EXPECTED[made]
    if expected is not None:
        assert sorted(rows(again)) == expected
