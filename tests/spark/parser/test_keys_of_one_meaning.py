"""Keys that are one to Spark, like ``a + 1`` and ``1 + a``, in every set that has either.

And keys that are only a part of what is asked of the groups.
"""

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


KEYS = ["a IS NULL", "a IN (1, 2)", "s LIKE 'x%'", "a <=> b", "a BETWEEN 1 AND 2", "NOT (a > 1)"]
KEYS += ["a = 1 AND b = 2", "a IS NOT NULL", "s ILIKE ANY ('x', 'y')"]
AROUND = [
    "NOT ({})",
    "NOT (NOT ({}))",
    "({}) IS NULL",
    "CASE WHEN {} THEN 1 WHEN NOT ({}) THEN 2 END",
]
AROUND += ["({}) AND count(*) > 0", "if(NOT ({}), max(a), 0)"]


@pytest.mark.parametrize("style", ["readable", "pipe"])
def test_a_key_within_something_else_is_known_again(spark: SparkSession, style: str) -> None:
    rows = "FROM VALUES (1, 2, 'x'), (NULL, 3, 'y'), (2, NULL, NULL) AS t (a, b, s)"
    for key in KEYS:
        items = ", ".join(
            f"{around.replace('{}', key)} AS i{place}" for place, around in enumerate(AROUND)
        )
        for text in (
            f"SELECT {items} {rows} GROUP BY {key}",
            f"SELECT count(*) AS n {rows} GROUP BY {key} HAVING NOT ({key})",
            f"SELECT count(*) AS n {rows} GROUP BY {key} ORDER BY NOT ({key})",
        ):
            printed = vs.TableEnvironment().sql_query(text).to_sql(style)
            assert spark.sql(printed).schema == spark.sql(text).schema, printed
