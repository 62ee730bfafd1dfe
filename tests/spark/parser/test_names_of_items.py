"""What names in QUALIFY, HAVING and ORDER BY mean where items are called like what they hide."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from tests.corpus import chosen
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
SELECT named_struct('b', -b) AS u, 1 AS c FROM q AS u GROUP BY b, -u.b ORDER BY -u.b LIMIT 1
SELECT named_struct('b', -b) AS q, 1 AS c FROM q GROUP BY b, q.b + 1 ORDER BY q.b + 1 LIMIT 1
SELECT -b AS b, 1 AS c FROM q GROUP BY b, q.b + 1 ORDER BY q.b + 1 LIMIT 1
SELECT b * 10 AS a FROM q GROUP BY b HAVING sum(a) FILTER (WHERE a > 1) > 0
""".strip().splitlines()

ITEMS = (
    "-b AS b",
    "a AS b, b AS a",
    "named_struct('b', -b) AS u",
    "named_struct('b', -b, 'a', 1) AS q",
    "7 AS u, b AS c",
)
WINDOWS = ("", *(f"row_number() OVER (ORDER BY {key}) AS r" for key in ("a", "b", "b + 0")))
CONDITIONS = (
    *("b > 2", "q.b > 2", "u.b > 0", "a + b > 0", "abs(u.b) = u.b", "B < -2 OR r = 1"),
    *(f"count(*) OVER (ORDER BY {key}) = 1" for key in ("b", "-b", "q.b", "u.b", "-u.b", "r")),
)
QUALIFIED = [
    f"SELECT {items}{window and ', ' + window} FROM {source} QUALIFY {condition} "
    "AND count(*) OVER () > 0"
    for items, window, condition, source in product(ITEMS, WINDOWS, CONDITIONS, ("q", "q AS u"))
]
KEYS = ("b", "b, b + 1", "b, -b", "b, abs(b)")
CLAUSES = (
    *("HAVING b > 2", "HAVING -b < 0", "HAVING max(a) > 1 AND b > 0", "HAVING sum(b) > 2"),
    *("HAVING q.b > 2", "HAVING u.b > 2", "HAVING abs(u.b) = u.b", "HAVING abs(b) = b"),
    *(f"ORDER BY {key} LIMIT 1" for key in ("b", "-b", "b + 1", "q.b", "-u.b", "u.b", "-q.b")),
)
GROUPED = [
    f"SELECT {items}, count(*) AS n FROM {source} GROUP BY {keys} {clause}"
    for items, keys, clause, source in product(
        ("-b AS b", "-b AS a", "b AS a", *ITEMS[2:4]), KEYS, CLAUSES, ("q", "q AS u")
    )
]


CALLED = """
SELECT id FROM f ORDER BY user LIMIT 1
SELECT id FROM f ORDER BY f.user LIMIT 1
SELECT id, user FROM f ORDER BY user LIMIT 1
SELECT id, user AS u FROM f ORDER BY user LIMIT 1
SELECT id AS user FROM f ORDER BY user DESC LIMIT 1
SELECT id FROM f ORDER BY upper(user) LIMIT 1
SELECT id FROM f SORT BY user LIMIT 1
SELECT id FROM f WHERE id IN (SELECT id FROM f AS b ORDER BY b.user LIMIT 1)
SELECT id FROM (SELECT 1 AS one) AS z, LATERAL (SELECT id FROM f ORDER BY user LIMIT 1)
SELECT id FROM (SELECT id, q AS current_date FROM f) AS z ORDER BY z.current_date DESC LIMIT 1
SELECT id FROM f AS x JOIN f AS y USING (id) ORDER BY y.user LIMIT 1
SELECT id, user FROM f UNION ALL SELECT 9, 'A' ORDER BY user LIMIT 1
SELECT count(*) FROM f GROUP BY user HAVING user = 'a'
SELECT max(id) AS m FROM f GROUP BY user ORDER BY user LIMIT 1
SELECT max(id) AS m FROM f GROUP BY user ORDER BY f.user LIMIT 1
SELECT max(id) AS m FROM f GROUP BY q ORDER BY max(user) LIMIT 1
SELECT max(id) AS m FROM f GROUP BY q ORDER BY max(f.user) LIMIT 1
SELECT id, count(*) AS n FROM f GROUP BY id, user ORDER BY f.user LIMIT 1
SELECT max(id) AS user FROM f GROUP BY q HAVING user = 3
SELECT max(id) AS user FROM f HAVING user = 3
SELECT max(q) AS user FROM f GROUP BY id HAVING user > 5 ORDER BY user DESC LIMIT 1
SELECT id, user AS u FROM f GROUP BY ALL HAVING user = 'a'
SELECT user, count(*) AS n FROM f GROUP BY ROLLUP (user) HAVING user = 'a'
SELECT id FROM f QUALIFY row_number() OVER (ORDER BY user) = 1
SELECT id FROM f QUALIFY row_number() OVER (ORDER BY id) = 3 AND user = 'a'
SELECT id, rank() OVER (ORDER BY id) AS r FROM f QUALIFY user = 'a'
SELECT id, rank() OVER (ORDER BY id) AS r FROM f QUALIFY f.user = 'a'
SELECT id, max(q) OVER (PARTITION BY user) AS m FROM f QUALIFY user = 'a'
FROM f |> ORDER BY user |> LIMIT 1 |> SELECT id
""".strip().splitlines()
"""``user`` and ``current_date`` are functions, too."""


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> Iterator[vs.TableEnvironment]:
    spark.sql("CREATE TABLE q USING parquet AS SELECT * FROM VALUES (1, 2), (3, 4) AS v(a, b)")
    env = vs.TableEnvironment()
    env.create_table("q", "a INT, b INT")
    rows = "(1, 'c', 5), (2, 'b', 6), (3, 'a', 7)"
    spark.sql(f"CREATE TABLE f USING parquet AS SELECT * FROM VALUES {rows} AS v(id, user, q)")
    env.create_table("f", "id INT, user STRING, q INT")
    yield env
    spark.sql("DROP TABLE q")
    spark.sql("DROP TABLE f")


def _rows(spark: SparkSession, query: str) -> Counter[str] | str:
    from pyspark.errors import AnalysisException

    try:
        return Counter(map(str, spark.sql(query).collect()))
    except AnalysisException as error:
        return re.sub(r"\..*|\].*", "", str(error).splitlines()[0])


@pytest.mark.parametrize("query", QUERIES + CALLED)
def test_rows(spark: SparkSession, table: vs.TableEnvironment, query: str) -> None:
    wanted = _rows(spark, query)
    if isinstance(wanted, str):
        with pytest.raises(ViewscribeError):
            table.sql_query(query)
        return
    for style in ("readable", "pipe", "nested"):
        assert _rows(spark, table.sql_query(query).to_sql(style)) == wanted


@pytest.mark.slow("Spark runs each query twice")
@pytest.mark.parametrize("queries", [QUALIFIED, GROUPED], ids=["qualify", "groups"])
def test_rows_of_whatever_names_hide(
    spark: SparkSession, table: vs.TableEnvironment, queries: list[str]
) -> None:
    """What is read gives the rows of Spark; what is not read is refused, and little of it."""
    other, asked, read = [], 0, 0
    for query in chosen(queries, 9):
        wanted = _rows(spark, query)
        if isinstance(wanted, str):
            continue
        asked += 1
        try:
            text = table.sql_query(query).to_sql()
        except ViewscribeError:
            continue
        read += 1
        if _rows(spark, text) != wanted:
            other.append((query, text))
    assert other == []
    assert read > asked * 0.8
