"""A set of keys that is there twice: grouping() is asked in a query around the groups."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs

ROWS = "VALUES (1, 'x', 1), (2, 'y', NULL), (NULL, 'x', 3) AS t(k, s, n)"
SETS = ["GROUPING SETS ((k), (k))", "k, ROLLUP (k)", "ROLLUP (k, k, s)", "k, CUBE (k, s)"]
TAILS = [
    "HAVING g >= 0.5",
    "HAVING g < 1 AND i < 2 AND c > 0",
    "ORDER BY g, k, c, i",
    "ORDER BY g + 1, k, c, i",
    "ORDER BY i DESC, k, c LIMIT 3",
]


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
@pytest.mark.parametrize("sets", SETS)
def test_it_means_what_the_query_means(spark: Any, sets: str, style: str) -> None:
    env = vs.TableEnvironment()
    for tail in TAILS:
        items = "k, grouping(k) AS g, grouping_id() AS i, count(*) AS c"
        query = f"SELECT {items} FROM {ROWS} GROUP BY {sets} {tail}"
        for shown in ("*", "k, c"):
            found = env.sql_query(f"SELECT {shown} FROM ({query}) AS q").to_sql(style)
            wanted = spark.sql(f"SELECT {shown} FROM ({query}) AS q").collect()
            assert sorted(spark.sql(found).collect(), key=str) == sorted(wanted, key=str)
