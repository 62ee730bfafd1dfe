"""What names in QUALIFY and HAVING mean where an item is called like a column or a table."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

QUERIES = """
SELECT -b AS b, a FROM q QUALIFY b < 0 AND row_number() OVER (ORDER BY a) >= 1
SELECT -b AS b, a FROM q QUALIFY q.b < 0 AND row_number() OVER (ORDER BY a) >= 1
SELECT a AS b, b AS a FROM q QUALIFY row_number() OVER (ORDER BY a) < b
SELECT a AS b FROM q QUALIFY b = max(b) OVER ()
SELECT b + 1 AS x, x + 1 AS y FROM q QUALIFY y > 4 AND row_number() OVER (ORDER BY x) >= 1
SELECT -b AS b, b + 1 AS y FROM q QUALIFY b > 2 AND row_number() OVER (ORDER BY y) >= 1
SELECT named_struct('b', -b) AS u FROM q AS u QUALIFY u.b > 0 AND count(*) OVER (ORDER BY u.b) <= 1
SELECT DISTINCT -b AS b FROM q QUALIFY b > 0 AND row_number() OVER (ORDER BY b) >= 1
SELECT -b AS b FROM q QUALIFY b IN (SELECT 2) AND row_number() OVER (ORDER BY a) >= 1
SELECT -b AS b FROM q QUALIFY EXISTS (SELECT 1 FROM q AS z WHERE z.b = q.b) AND count(*) OVER () > 0
SELECT -b AS c FROM q QUALIFY EXISTS (SELECT 1 FROM q AS z WHERE z.b = c) AND count(*) OVER () > 0
SELECT -b AS b, explode(array(1, 2)) AS e FROM q QUALIFY b > 0 AND count(*) OVER (ORDER BY e) > 0
SELECT -b AS b, count(*) AS c FROM q GROUP BY b QUALIFY b > 0 AND row_number() OVER (ORDER BY b) > 0
SELECT -b AS b, row_number() OVER (ORDER BY a) AS r FROM q QUALIFY b < 0 AND r >= 1
SELECT -b AS b, row_number() OVER (ORDER BY a) AS r FROM q QUALIFY q.b < 0 AND r >= 1
SELECT -b AS b, row_number() OVER (ORDER BY b) AS r FROM q QUALIFY b < 0
SELECT b AS a, max(b) OVER () AS m FROM q QUALIFY a = m
SELECT b, max(b) OVER () AS m FROM q QUALIFY b = m
SELECT a AS b, max(b) OVER () AS m FROM q QUALIFY b = m
SELECT 7 AS u, row_number() OVER (ORDER BY a) AS r FROM q AS u QUALIFY u.b > 0
SELECT 7 AS u, row_number() OVER (ORDER BY b) AS r FROM q AS u QUALIFY u.b > 2
SELECT named_struct('b', -b) AS u, row_number() OVER (ORDER BY a) AS r FROM q AS u QUALIFY u.b > 0
SELECT sum(a) AS a, b FROM q GROUP BY b HAVING sum(a) > 1
SELECT b, -sum(a) AS a FROM q GROUP BY b HAVING sum(a) > 1 AND a < 0
SELECT -b AS a, count(*) AS c FROM q GROUP BY b HAVING max(a) > 1 AND a < -1
SELECT -b AS a FROM q GROUP BY b HAVING array_max(collect_list(a + 0)) > 1
SELECT count(*) AS c, -b AS a FROM q GROUP BY ROLLUP (b) HAVING max(a) > 1
SELECT b * 10 AS a FROM q GROUP BY b HAVING sum(a) FILTER (WHERE a > 1) > 0
""".strip().splitlines()


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> Iterator[vs.TableEnvironment]:
    spark.sql("CREATE TABLE q USING parquet AS SELECT * FROM VALUES (1, 2), (3, 4) AS v(a, b)")
    env = vs.TableEnvironment()
    env.create_table("q", "a INT, b INT")
    yield env
    spark.sql("DROP TABLE q")


def _rows(spark: SparkSession, query: str) -> Counter[str] | str:
    from pyspark.errors import AnalysisException

    try:
        return Counter(map(str, spark.sql(query).collect()))
    except AnalysisException as error:
        return re.sub(r"\..*|\].*", "", str(error).splitlines()[0])


@pytest.mark.parametrize("query", QUERIES)
def test_rows(spark: SparkSession, table: vs.TableEnvironment, query: str) -> None:
    wanted = _rows(spark, query)
    if isinstance(wanted, str):
        with pytest.raises(ViewscribeError):
            table.sql_query(query)
        return
    for style in ("readable", "pipe", "nested"):
        assert _rows(spark, table.sql_query(query).to_sql(style)) == wanted
