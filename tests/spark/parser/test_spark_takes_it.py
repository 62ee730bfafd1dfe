"""Constructs that Spark takes, or refuses: what is read, in every style and as a DataFrame.

Each row is a construct with the text that says it. Spark is asked what it means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

import viewscribe as vs
from tests.spark.answers import Answers
from tests.spark.capture.ways import columns, multiset
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

TABLES = {
    "t": ("a INT, b BIGINT, s STRING", "(1, 2, 'x'), (2, 3, 'y'), (NULL, 3, 'x'), (1, 5, NULL)"),
    "u": ("k INT, a INT, w STRING", "(1, 2, 'x'), (2, 3, 'y'), (3, NULL, 'x')"),
    "n": ("id INT, arr ARRAY<INT>", "(1, array(1, 2)), (2, NULL), (3, array())"),
}

TAKEN = {
    "WITH without AS": """
WITH x (SELECT 1 AS a) SELECT * FROM x
WITH x(a) (SELECT 1) SELECT * FROM x
WITH x (VALUES (1, 2)) SELECT * FROM x
WITH x (TABLE t) SELECT * FROM x
WITH x (FROM t) SELECT * FROM x
WITH x ((SELECT 1 AS a)) SELECT * FROM x
WITH x (SELECT 1 AS a), y (SELECT 2 AS b) SELECT * FROM x, y
WITH x (WITH y (SELECT 1 AS a) SELECT * FROM y) SELECT * FROM x
WITH x (select, b) AS (SELECT 1, 2) SELECT * FROM x
WITH x (table) AS (SELECT 1) SELECT * FROM x
""",
    "AS as the alias itself": """
SELECT AS.i, x FROM posexplode(array(3, 4)) AS (i, x)
SELECT * FROM (VALUES (1, 2), (3, 4)) AS (a, b)
VALUES (1, 2) AS (a, b)
SELECT * FROM (SELECT 1, 2) AS (a, b)
SELECT as.c FROM t AS (a, b, c)
SELECT * FROM range(3) AS (z)
SELECT * FROM (t JOIN u ON t.a = u.a) AS (a1, b1, s1, k1, a2, w1)
SELECT id, i, x FROM n, LATERAL posexplode(arr) AS (i, x)
SELECT a AS FROM t
SELECT a AS, b FROM t
SELECT 1 AS WHERE true
SELECT * FROM t AS WHERE a > 1
SELECT a FROM t AS WHERE WHERE a > 1
SELECT w FROM u AS WHERE (a > 1)
SELECT as.a FROM t AS JOIN u ON as.a = u.a
SELECT as.a FROM t AS LEFT OUTER JOIN u ON as.a = u.a
SELECT a FROM t AS LEFT JOIN u USING (a)
SELECT AS.a FROM t AS NATURAL JOIN u
SELECT a FROM t JOIN u AS USING (a)
SELECT t.a FROM t JOIN u AS ON t.a = as.a
SELECT a FROM t AS ORDER BY a LIMIT 2
SELECT count(*) AS c FROM t AS GROUP BY a
SELECT a FROM t AS UNION SELECT 1
SELECT a FROM t AS UNION ALL SELECT 1
FROM t AS |> WHERE a > 1
FROM t AS SELECT a WHERE a > 1
SELECT * FROM (SELECT a, s FROM t) PIVOT (count(a) FOR s IN ('x')) AS LEFT JOIN u ON true
WITH x (SELECT a AS FROM t) SELECT AS.AS FROM x AS ORDER BY AS.AS LIMIT 1
""",
    "schemas of samples": """
SELECT from_json('{"a":2}', schema_of_json('{"a":1}')) AS j
SELECT from_json(s, schema_of_json('{"a":1, "b":[1.5]}')).b AS j FROM t
SELECT from_csv('1,x', schema_of_csv('2,abc')) AS j
SELECT from_json(s, concat('a', ' INT')) FROM t
SELECT from_json(s, schema_of_json('[{"a":1}]')) FROM t
SELECT from_json('{"A b":1}', schema_of_json('{"A b":1, "b":{}}')) AS j
""",
    "structs without fields": """
SELECT struct() AS z
SELECT named_struct() AS z
SELECT struct() IS NULL AS z
""",
    "computed limits": """
SELECT a FROM t ORDER BY a, b LIMIT length('abc')
SELECT a FROM t ORDER BY a, b LIMIT greatest(1, 2)
SELECT a FROM t ORDER BY a, b LIMIT length('abc') - 1 OFFSET abs(-1)
SELECT a FROM t ORDER BY a, b LIMIT 5 % 3
SELECT a FROM t ORDER BY a, b LIMIT cast('2' AS INT)
SELECT a FROM t ORDER BY a, b LIMIT cast(7 div 3 AS INT)
FROM t |> ORDER BY a, b |> LIMIT least(2, 3)
""",
    "unions of structs with fields of other names": """
SELECT named_struct('a', 1) AS z UNION ALL SELECT named_struct('b', 2)
SELECT named_struct('a', 1) AS z UNION SELECT named_struct('b', 2)
SELECT array(named_struct('a', 1)) AS z UNION ALL SELECT array(named_struct('b', NULL + 1))
SELECT map(1, named_struct('a', 1)) AS z UNION ALL SELECT map(1, named_struct('b', 2))
SELECT named_struct('a', 1, 'b', 2) AS z UNION ALL SELECT named_struct('b', 2, 'a', 1)
SELECT z.a FROM (SELECT named_struct('a', 1) AS z UNION ALL SELECT named_struct('b', a) FROM t)
SELECT named_struct('f', id) AS z FROM n UNION ALL SELECT named_struct('x', 1) UNION ALL SELECT NULL
SELECT named_struct('a', 1) AS z, 1 AS y UNION ALL SELECT named_struct('b', 2), 2L
FROM t |> SELECT named_struct('a', a) AS z |> UNION ALL (SELECT named_struct('b', 2))
""",
    "steps that sort": "FROM t |> ORDER BY ALL LIMIT ALL",
    "one VALUES behind another": """
SELECT * FROM VALUES 1, VALUES 2
SELECT * FROM VALUES 1, VALUES 2 AS b (x), t
SELECT x.col1 FROM VALUES 1 AS x, VALUES 2 AS y
""",
}
"""What Spark takes."""

REFUSED = {
    "columns without AS": """
VALUES (1, 2) (a, b)
SELECT * FROM VALUES (1, 2), (3, 4) (a, b)
SELECT * FROM posexplode(array(3, 4)) (i, x)
""",
    "words that are no aliases": """
SELECT `LEFT`.a FROM t AS LEFT JOIN u USING (a)
SELECT a FROM t AS WHERE (a)
""",
    "steps with an order and a limit": """
FROM t |> SORT BY a LIMIT 2
FROM t |> CLUSTER BY a OFFSET 1
""",
    "limits that are no constants or no INT": """
SELECT a FROM t LIMIT 7 div 3
SELECT a FROM t LIMIT a
SELECT a FROM t LIMIT greatest(1, 2L)
SELECT a FROM t LIMIT -length('a')
""",
    "unions of structs with fields of other types": """
SELECT named_struct('a', 1) AS z UNION ALL SELECT named_struct('b', 2L)
SELECT named_struct('a', 1) AS z EXCEPT SELECT named_struct('b', 1)
""",
    "NATURAL CROSS JOIN": "SELECT * FROM t NATURAL CROSS JOIN u",
}
"""What Spark refuses."""


def _texts(rows: dict[str, str]) -> list[Any]:
    return [
        pytest.param(text, id=f"{construct}: {text}")
        for construct, texts in rows.items()
        for text in texts.strip().splitlines()
    ]


@pytest.fixture(scope="module")
def env(spark: SparkSession) -> Iterator[vs.TableEnvironment]:
    """An environment and a session that know the same tables."""
    env = vs.TableEnvironment()
    for name, (schema, rows) in TABLES.items():
        spark.sql(f"CREATE TABLE {name} ({schema}) USING parquet")
        spark.sql(f"INSERT INTO {name} VALUES {rows}")
        spark.catalog.cacheTable(name)
        env.create_table(name, schema)
    yield env
    for name in TABLES:
        spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("text", _texts(TAKEN))
def test_it_means_what_it_means_to_spark(
    text: str, env: vs.TableEnvironment, spark: SparkSession
) -> None:
    expected = spark.sql(text)
    table = env.sql_query(text)
    assert [(field.name, field.type) for field in table.schema.fields] == columns(expected)
    texts = dict.fromkeys(table.to_sql(style) for style in ("readable", "nested", "pipe"))
    answers = Answers(multiset)
    for found in (*map(spark.sql, texts), table.to_dataframe(spark)):
        assert columns(found) == columns(expected)
        assert answers.of(found) == answers.of(expected)


@pytest.mark.parametrize("text", _texts(REFUSED))
def test_it_is_refused_as_spark_refuses_it(
    text: str, env: vs.TableEnvironment, spark: SparkSession
) -> None:
    with pytest.raises(PySparkException):
        spark.sql(text)
    with pytest.raises(ViewscribeError):
        env.sql_query(text)
