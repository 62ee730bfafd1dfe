"""Recursive queries give the same rows: as written, printed in every style, and as a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.parser.tables import read
from viewscribe.serializer import to_sql
from viewscribe.spark.interpreter import to_dataframe

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EDGES = "SELECT * FROM VALUES (1, 2), (2, 3), (2, 4), (4, 5) AS edges(a, b)"
_PATHS = (
    f"WITH RECURSIVE edges AS ({_EDGES}), paths(a, b, steps) AS ("
    "SELECT a, b, 1 FROM edges UNION ALL "
    "SELECT p.a, e.b, p.steps + 1 FROM paths AS p JOIN edges AS e ON p.b = e.a)"
)


@pytest.mark.slow("Spark runs each recursion five times, a job for each of its steps")
@pytest.mark.parametrize(
    "query",
    [
        f"{_PATHS} SELECT * FROM paths",
        f"{_PATHS} SELECT b, max(steps) AS far FROM paths GROUP BY b",
        f"{_PATHS} SELECT p.a, q.b FROM paths AS p JOIN paths AS q ON p.b = q.a WHERE p.steps > 1",
    ],
)
def test_rows(spark: SparkSession, query: str) -> None:
    operation, wanted = read(query), sorted(spark.sql(query).collect())
    assert wanted
    for style in ("readable", "pipe", "nested"):
        assert sorted(spark.sql(to_sql(operation, style=style)).collect()) == wanted
    assert sorted(to_dataframe(operation, spark).collect()) == wanted
