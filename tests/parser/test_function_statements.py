"""CREATE FUNCTION in SQL: what Spark takes is taken, and gives the same; the rest is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from viewscribe import TableEnvironment
from viewscribe.catalog_store import check
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import STYLES
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

TAKEN = [
    "f(x INT) RETURNS INT RETURN x + 1",
    "text(x STRING) RETURNS STRING RETURN x",
    "entry(m MAP<STRING, INT>, key STRING) RETURNS INT RETURN m[key]",
    "pair(s STRUCT<a: INT, b: STRING>) RETURNS STRING RETURN s.b || s.a",
    "date_of(x DATE) RETURNS DATE RETURN x",
    "whole() RETURNS TABLE RETURN SELECT * FROM calls_u",
    "longer(x INT) RETURN x + 1L",
    "most(x INT) RETURNS INT RETURN SELECT max(k) FROM calls_u WHERE calls_u.a = x",
    "two(x INT) RETURNS TABLE (a INT) RETURN SELECT x UNION ALL SELECT x + 1",
]

REFUSED = [
    "e(x INT DEFAULT 1, y INT) RETURNS INT RETURN x",
    "e(x INT DEFAULT (SELECT max(a) FROM calls_u)) RETURNS INT RETURN x",
    "e(x INT NOT NULL) RETURNS INT RETURN x",
    "e(x VARCHAR(3)) RETURNS STRING RETURN x",
    "e(x STRING) RETURNS CHAR(5) RETURN x",
    "e(x INT) RETURNS INT RETURN spark_catalog.default.f(x)",
    "e(x INT) RETURNS TABLE (a INT, A INT) RETURN SELECT 1, 2",
    "e(x INT, X INT) RETURNS INT RETURN 1",
]

CALLS = [
    "SELECT f('5'), f(5L), f(true), f(NULL), f(1.5)",
    "SELECT text(5), text(array(1)), text(map(1, 2))",
    "SELECT entry(map('a', 1), 'a'), entry(map('a', 1L), 'a'), entry(map(1, '5'), 'a')",
    "SELECT pair(named_struct('a', 1, 'b', 'x')), pair(named_struct('q', 1L, 'r', 'x'))",
    "SELECT date_of('2020-01-01'), date_of(TIMESTAMP '2020-01-01 00:00:00')",
    "SELECT most(3), longer(3)",
    "SELECT whole.a FROM whole() WHERE whole.k > 1",
    "SELECT two.a FROM two(1)",
    "SELECT * FROM calls_u, LATERAL two(k) WHERE two.a > 10",
    "SELECT f(DATE '2020-01-01')",
    "SELECT date_of(5)",
    "SELECT transform(array(1), v -> f(v))",
    "SELECT array_sort(array(f(1)))",
]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql("CREATE TABLE calls_u (a INT, b STRING, k INT) USING parquet")
    for each in TAKEN:
        spark.sql(f"CREATE FUNCTION {each}")
    yield spark
    for each in TAKEN:
        spark.sql(f"DROP FUNCTION {each.partition('(')[0]}")
    spark.sql("DROP TABLE calls_u")


def environment() -> TableEnvironment:
    env = TableEnvironment()
    env.create_table("calls_u", "a INT, b STRING, k INT")
    for each in TAKEN:
        env.execute_sql(f"CREATE FUNCTION {each}")
    return env


def test_calls_have_the_columns_that_spark_gives_them(session: SparkSession) -> None:
    env, differences = environment(), []
    for query in CALLS:
        found: list[object] = []
        for read in (
            lambda text: schema_from_spark(session.sql(text).schema),
            lambda text: env.sql_query(text).schema.fields,
            lambda text: schema_from_spark(session.sql(env.sql_query(text).to_sql()).schema),
        ):
            try:
                fields = read(query)
                found.append([(each.name, str(each.type.as_nullable())) for each in fields])
            except (PySparkException, ViewscribeError):
                found.append(None)
        if found != [found[0]] * 3:
            differences.append((query, *found))
    assert not differences, "\n".join(map(str, differences))


@pytest.mark.parametrize("function", REFUSED)
def test_what_spark_refuses(session: SparkSession, function: str) -> None:
    with pytest.raises(PySparkException):
        session.sql(f"CREATE FUNCTION {function}")
    with pytest.raises(ViewscribeError):
        environment().execute_sql(f"CREATE FUNCTION {function}")


def test_no_function_calls_itself_through_another() -> None:
    env = environment()
    env.execute_sql("CREATE FUNCTION g(x INT) RETURNS INT RETURN f(x)")
    with pytest.raises(ViewscribeError, match=r"calls itself: .*\.f → .*\.g → .*\.f"):
        env.execute_sql("CREATE OR REPLACE FUNCTION f(x INT) RETURNS INT RETURN g(x)")


def test_functions_that_call_others_twice_are_looked_at_once() -> None:
    env = environment()
    for place in range(40):
        below = "f" if not place else f"g{place - 1}"
        env.execute_sql(f"CREATE FUNCTION g{place}(x INT) RETURNS INT RETURN {below}({below}(x))")


def test_functions_of_from_in_correlated_queries_are_no_pipelines(session: SparkSession) -> None:
    query = "SELECT a FROM calls_u WHERE EXISTS (SELECT 1 FROM two(calls_u.a) AS q WHERE q.a = k)"
    for style in STYLES:
        text = environment().sql_query(query).to_sql(style)
        assert session.sql(text).columns == ["a"], text


def test_check_finds_tables_that_a_body_misses() -> None:
    env = environment()
    assert not check(env.catalogs.catalog("spark_catalog"))
    env.drop_table("calls_u")
    found = check(env.catalogs.catalog("spark_catalog"))
    assert {(each.code, each.id.name) for each in found} == {
        ("function-body", "whole"),
        ("function-body", "most"),
    }


def test_names_of_columns_that_are_calls(spark: SparkSession) -> None:
    statements = [
        "CREATE FUNCTION NamedInFull(x INT) RETURNS INT RETURN x",
        "CREATE TEMPORARY FUNCTION NamedAlone(x INT) RETURNS INT RETURN x",
    ]
    env = TableEnvironment()
    for each in statements:
        spark.sql(each)
        env.execute_sql(each)
    items = (
        "namedInFull(1), default.NAMEDINFULL(2), namedAlone(1), NAMEDALONE(2), 1 + namedalone(3)"
    )
    query = f"SELECT {items}"
    try:
        assert env.sql_query(query).columns == spark.sql(query).columns
    finally:
        spark.sql("DROP FUNCTION NamedInFull")
        spark.sql("DROP TEMPORARY FUNCTION NamedAlone")
