"""Keys that are one to Spark, like ``a + 1`` and ``1 + a``, in every set that has either."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import viewscribe as vs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUPINGS = [
    "ROLLUP (a + 1, 1 + a)",
    "CUBE (a + 1, 1 + a)",
    "GROUPING SETS ((a + 1), (1 + a))",
    "a + 1, ROLLUP (1 + a, a + b, b + a)",
    "ROLLUP (a + 1, 1 + a, b)",
]


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_groups_have_the_rows_of_the_text(spark: SparkSession, grouping: str) -> None:
    text = (
        "SELECT a + 1 AS k, 1 + a AS l, count(*) AS n, grouping_id() AS g "
        f"FROM VALUES (1, 2), (1, 3), (2, 3) AS t (a, b) GROUP BY {grouping}"
    )
    printed = vs.TableEnvironment().sql_query(text).to_sql()

    def rows(query: str) -> Counter[tuple[object, ...]]:
        return Counter(map(tuple, spark.sql(query).collect()))

    assert rows(printed) == rows(text)
