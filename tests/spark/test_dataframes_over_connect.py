"""What becomes a DataFrame over Connect gives the rows of the text, or says that it cannot be had.

There is no JVM to reach behind the API; what was written for one ended in PySpark's own errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.capture.conftest import connect_mode
from viewscribe.spark.errors import NotInterpretableError

pytestmark = pytest.mark.spark

PIVOT = "SELECT * FROM (SELECT id, {} AS p FROM r) PIVOT (sum(id) FOR p IN ({}))"
QUERIES = (
    PIVOT.format("g", "0, 1"),
    PIVOT.format("g", "0 AS zero, NULL AS nothing"),
    PIVOT.format("s", "'s1', NULL"),
    PIVOT.format("CAST(g AS TINYINT)", "0Y, 1Y"),
    PIVOT.format("CAST(g AS DECIMAL(10, 2))", "0.00, 1.00"),
    PIVOT.format("DATE '1500-01-01' + g", "DATE '1500-01-01', DATE '1500-01-02'"),
    PIVOT.format(*["TIMESTAMP '1850-01-01 00:00:00.000001Z'"] * 2),
    PIVOT.format("g = 1", "true, false"),
    PIVOT.format("CAST(g AS DOUBLE)", "1D, 2D"),
    PIVOT.format("CAST(g AS STRING) COLLATE UNICODE_CI", "'1'"),
    "SELECT * FROM r UNPIVOT INCLUDE NULLS ((v, w) FOR k IN ((id, g) AS x, (g, id) AS y))",
    "SELECT g, grouping_id(), count(*) FROM r GROUP BY CUBE (g, s)",
    "SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM r",
    "SELECT id, m FROM r LEFT JOIN LATERAL (SELECT max(x) AS m FROM explode(r.a) AS t(x)) ON true",
    "SELECT (SELECT count(*) FROM r AS q WHERE q.g = r.g AND q.id < r.id) AS c FROM r",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
    "SELECT stack(2, id, 'a', g, 'b') FROM r",
)
WITHOUT_API = (
    "SELECT * FROM (SELECT g, s, id FROM r) PIVOT (sum(id) FOR (g, s) IN ((1, 's1'), (2, 's2')))",
    PIVOT.format("array(g)", "array(1)"),
    PIVOT.format("encode(s, 'utf-8')", "X'7331'"),
    "SELECT g, count(DISTINCT s) FROM r GROUP BY g",
    "SELECT lag(s) IGNORE NULLS OVER (ORDER BY id) FROM r",
)


@pytest.fixture
def remote(connected: Any) -> Iterator[Any]:
    with connect_mode(connected):
        yield connected


def _table(query: str) -> vs.Table:
    env = vs.TableEnvironment()
    rows = [(i, i % 3, None if i % 4 == 0 else f"s{i}", [i, i + 1]) for i in range(8)]
    env.create_temporary_view("r", env.from_values(rows, "id INT, g INT, s STRING, a ARRAY<INT>"))
    return env.sql_query(query)


@pytest.mark.parametrize("query", QUERIES)
def test_the_rows_of_the_text(remote: Any, query: str) -> None:
    table = _table(query)
    found = table.to_dataframe(remote).collect()
    assert sorted(map(repr, found)) == sorted(map(repr, remote.sql(table.to_sql()).collect()))


@pytest.mark.parametrize("query", WITHOUT_API)
def test_an_error_of_ours(remote: Any, query: str) -> None:
    with pytest.raises(NotInterpretableError, match="Spark Connect has no API"):
        _table(query).to_dataframe(remote)
