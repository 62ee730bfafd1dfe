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

PIVOTED = {
    "g": ("0, 1", "0 AS zero, NULL AS nothing"),
    "s": ("'s1', NULL",),
    "CAST(g AS TINYINT)": ("0Y, 1Y",),
    "CAST(g AS DECIMAL(10, 2))": ("0.00, 1.00",),
    "DATE '1500-01-01' + g": ("DATE '1500-01-01', DATE '1500-01-02'",),
    "TIMESTAMP '1850-01-01 00:00:00.000001Z'": ("TIMESTAMP '1850-01-01 00:00:00.000001Z'",),
    "g = 1": ("true, false",),
    "CAST(g AS DOUBLE)": ("1D, 2D",),
    "encode(s, 'utf-8')": ("X'7331'",),
    "array(g)": ("array(1)",),
    "CAST(g AS STRING) COLLATE UNICODE_CI": ("'1'",),
}
QUERIES = (
    "SELECT * FROM (SELECT g, s, id FROM r) PIVOT (sum(id) FOR (g, s) IN ((1, 's1'), (2, 's2')))",
    "SELECT * FROM r UNPIVOT INCLUDE NULLS ((v, w) FOR k IN ((id, g) AS x, (g, id) AS y))",
    "SELECT g, count(DISTINCT s) FROM r GROUP BY g",
    "SELECT g, grouping_id(), count(*) FROM r GROUP BY CUBE (g, s)",
    "SELECT lag(s) IGNORE NULLS OVER (ORDER BY id) FROM r",
    "SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM r",
    "SELECT id, m FROM r LEFT JOIN LATERAL (SELECT max(x) AS m FROM explode(r.a) AS t(x)) ON true",
    "SELECT (SELECT count(*) FROM r AS q WHERE q.g = r.g AND q.id < r.id) AS c FROM r",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
    "SELECT stack(2, id, 'a', g, 'b') FROM r",
    *(
        f"SELECT * FROM (SELECT id, {column} AS p FROM r) PIVOT (sum(id) FOR p IN ({values}))"
        for column, lists in PIVOTED.items()
        for values in lists
    ),
)


@pytest.fixture
def remote(connected: Any) -> Iterator[Any]:
    with connect_mode(connected):
        yield connected


@pytest.mark.parametrize("query", QUERIES)
def test_the_rows_of_the_text_or_an_error_of_ours(remote: Any, query: str) -> None:
    env = vs.TableEnvironment()
    rows = [(i, i % 3, None if i % 4 == 0 else f"s{i}", [i, i + 1]) for i in range(8)]
    env.create_temporary_view("r", env.from_values(rows, "id INT, g INT, s STRING, a ARRAY<INT>"))
    table = env.sql_query(query)
    try:
        frame = table.to_dataframe(remote)
    except NotInterpretableError as error:
        assert "Spark Connect has no API" in str(error)
        return
    assert sorted(map(repr, frame.collect())) == sorted(
        map(repr, remote.sql(table.to_sql()).collect())
    )
