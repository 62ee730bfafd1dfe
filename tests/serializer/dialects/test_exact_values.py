"""Texts for other engines give the values that Spark gives, where the engines' own differ."""

from __future__ import annotations

import math

import pytest

from viewscribe import TableEnvironment

ZEROS = [
    "SELECT DISTINCT d FROM t",
    "SELECT d FROM t GROUP BY d",
    "SELECT d + 0 AS d, count(*) AS n FROM t GROUP BY ALL",
    "SELECT d FROM t GROUP BY ROLLUP (d) HAVING d IS NOT NULL",
    "SELECT d FROM t UNION SELECT d FROM t",
    "SELECT d FROM t INTERSECT SELECT d FROM t",
    "SELECT d FROM t EXCEPT SELECT d + 1 FROM t",
    "SELECT f FROM t UNION SELECT f FROM t UNION SELECT f FROM t",
    "SELECT d FROM (SELECT d, f FROM t UNION ALL SELECT d, f FROM t) GROUP BY d, f",
]
ROUNDED = {
    "SELECT avg(m) AS a FROM t": "ROUND(AVG(CAST(m AS BIGNUMERIC)), 6) AS NUMERIC",
    "SELECT avg(m) OVER (PARTITION BY n) AS a FROM t": "OVER (PARTITION BY n), 6) AS NUMERIC",
    "SELECT m / m AS q FROM t": "ROUND(CAST(m AS BIGNUMERIC) / NULLIF(m, 0), 13) AS BIGNUMERIC",
    "SELECT CAST(m AS DECIMAL(10, 1)) AS x FROM t": "ROUND(m, 1) AS NUMERIC",
    "SELECT CAST(m AS DECIMAL(12, 3)) AS x FROM t": "CAST(m AS NUMERIC) AS x",
    "SELECT CAST(n AS DECIMAL(12, 3)) AS x FROM t": "CAST(n AS NUMERIC) AS x",
}


@pytest.fixture(scope="module")
def env():
    env = TableEnvironment()
    env.create_table("t", "d DOUBLE, f FLOAT, m DECIMAL(10, 2), n INT")
    return env


@pytest.mark.parametrize("query", ZEROS)
def test_duckdb_shows_no_negative_zero_for_equal_rows(query, env):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute('CREATE SCHEMA "default"')
    zeros = "VALUES (CAST('-0.0' AS DOUBLE), CAST('-0.0' AS REAL), 1, 1), (0.0, 0.0, 1, 1)"
    connection.execute(f'CREATE TABLE "default".t AS SELECT * FROM ({zeros}) AS t(d, f, m, n)')
    text = env.sql_query(query).to_sql(dialect="duckdb")
    found = [row[0] for row in connection.execute(text).fetchall()]
    assert [math.copysign(1, value) for value in found] == [1.0]


@pytest.mark.parametrize("query", ROUNDED)
def test_bigquery_rounds_as_spark_does(query, env):
    text = " ".join(env.sql_query(query).to_sql(dialect="bigquery").split())
    assert ROUNDED[query] in text
