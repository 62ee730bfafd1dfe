"""Bodies of SQL functions: what is refused, Spark refuses; what cannot be told is let through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from viewscribe import TableEnvironment
from viewscribe.catalog_store import FunctionDocument, Parameter, check
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOOD = [
    ("y INT", "INT", "y + 1"),
    ("y INT", "STRING", "upper(y)"),
    ("y STRING", "INT", "f.y"),
    ("y INT", "BIGINT", "CASE WHEN y > 3 THEN 1 ELSE y END"),
    ("y INT", "INT", "CASE y WHEN 3 THEN 1 END"),
    ("y STRUCT<a: INT>", "INT", "y.a"),
    ("y STRUCT<a: STRUCT<b: INT>>", "STRING", "f.y.a.b"),
    ("y STRING", "DATE", "CAST(y AS DATE)"),
    ("y STRING", "DATE", "y"),
    ("y STRING", "INT", "TRY_CAST(y AS INT)"),
    ("y INT", "INT", "(SELECT max(id) FROM range(10))"),
    ("y ARRAY<INT>", "ARRAY<INT>", "transform(y, x -> x + 1)"),
    ("y ARRAY<INT>", "ARRAY<BIGINT>", "filter(y, x -> x > 1)"),
    ("d DATE", "DATE", "d + 1"),
    ("d DATE", "TIMESTAMP", "dateadd(DAY, 1, d)"),
    ("", "DATE", "current_date()"),
    ("", "DATE", "current_date"),
    ("", "STRING", "current_user"),
    ("x STRING", "STRING", "trim(BOTH 'a' FROM x)"),
    ("x STRING", "STRING", "x || 'a'"),
    ("x STRING", "STRING", "substring(x FROM 2 FOR 3)"),
    ("x STRING", "INT", "position('a' IN x)"),
    ("x INT", "INT", "coalesce(x, 0)"),
    ("x INT", "BOOLEAN", "x IN (1, 2)"),
    ("x INT", "BOOLEAN", "x NOT IN (1, 2) AND x IS NOT NULL"),
    ("x INT", "BOOLEAN", "x BETWEEN 1 AND 2 OR NOT x <=> NULL"),
    ("x DATE", "INT", "extract(YEAR FROM x)"),
    ("x DATE", "DATE", "x + INTERVAL 1 DAY"),
    ("x DATE", "BOOLEAN", "x > DATE '2020-01-01'"),
    ("x STRING", "BOOLEAN", "x LIKE 'a%' OR x RLIKE 'b'"),
    ("x INT", "INT", "if(x > 1, 1, 2)"),
    ("x MAP<STRING, INT>", "INT", "x['a']"),
    ("x ARRAY<INT>", "INT", "x[0]"),
    ("x INT", "INT", "x::int"),
    ("x INT", "STRUCT<a: INT>", "named_struct('a', x)"),
    ("x INT", "DOUBLE", "-x / 2 % 3"),
    ("x INT", "DECIMAL(5, 2)", "1.5 * x"),
    ("x INT", "DOUBLE", "1e3 + x"),
    ("x INT", "INT", "`x`"),
    ("X INT", "INT", "x + X"),
    ("x STRING", "STRING", "concat_ws('-', x, x)"),
    ("x STRING", "BOOLEAN", "x"),
    ("x INT, y INT DEFAULT 1 + 1", "INT", "x + y"),
    ("x TIMESTAMP", "STRING", "date_format(x, 'yyyy')"),
]
BAD = [
    ("y INT", "ARRAY<INT>", "y + 1", "is INT, and cannot be cast to ARRAY<INT>"),
    ("y INT", "INT", "z + 1", "no column `z`"),
    ("y INT", "INT", "y +", "does not parse"),
    ("y INT", "INT", "upr(y)", "did you mean: upper"),
    ("y INT", "DATE", "y", "cannot be cast to DATE"),
    ("y ARRAY<INT>", "INT", "y", "cannot be cast to INT"),
    ("y ARRAY<INT>", "INT", "upper(y)", "upper"),
    ("y INT", "INT", "upper(y, y)", "upper"),
    ("y INT", "INT", "y, 1", "not one expression"),
    ("y INT", "INT", "y FROM t", "not one expression"),
    ("y DATE", "INT", "y AND TRUE", "and"),
    ("y INT", "INT", "f(y)", "`f`, which is no function"),
    ("y INT DEFAULT current_date()", "INT", "y", "the default of `y`"),
    ("y INT", "INT", "transform(array(y), x -> nothing(x))[0]", "`nothing`"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[2])
def test_bad_bodies_are_refused_where_they_are_made(case: tuple[str, str, str, str]) -> None:
    parameters, returns, body, part = case
    for kind in ("FUNCTION", "TEMPORARY FUNCTION"):
        env = TableEnvironment()
        with pytest.raises(ViewscribeError) as caught:
            env.execute_sql(f"CREATE {kind} f({parameters}) RETURNS {returns} RETURN {body}")
        assert part in str(caught.value)
        assert "f" not in env.list_functions()


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case[2])
def test_good_bodies_are_stored_and_checked(case: tuple[str, str, str]) -> None:
    parameters, returns, body = case
    env = TableEnvironment()
    env.execute_sql(f"CREATE FUNCTION f({parameters}) RETURNS {returns} RETURN {body}")
    assert check(env.catalogs.catalog()) == []


def test_spark_says_the_same(spark: SparkSession) -> None:
    def refused(parameters: str, returns: str, body: str) -> bool:
        try:
            spark.sql(
                f"CREATE OR REPLACE TEMPORARY FUNCTION f({parameters}) RETURNS {returns} "
                f"RETURN {body}"
            )
        except Exception:
            return True
        return False

    spark.sql("DROP TEMPORARY FUNCTION IF EXISTS f")
    taken = [case for case in BAD if not refused(*case[:3])]
    lost = [case for case in GOOD if refused(*case)]
    spark.sql("DROP TEMPORARY FUNCTION IF EXISTS f")
    assert (taken, lost) == ([], [])


def test_a_function_that_lasts_calls_none_that_does_not() -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TEMPORARY FUNCTION inner1(x INT) RETURNS INT RETURN x + 1")
    env.execute_sql("CREATE TEMPORARY FUNCTION outer1(x INT) RETURNS INT RETURN inner1(x)")
    for text in ("inner1(x)", "(SELECT inner1(x))"):
        with pytest.raises(ViewscribeError, match="ends with the session"):
            env.execute_sql(f"CREATE FUNCTION outer2(x INT) RETURNS INT RETURN {text}")
    env.execute_sql("CREATE FUNCTION stored(x INT) RETURNS INT RETURN x + 1")
    env.execute_sql("CREATE FUNCTION outer2(x INT) RETURNS INT RETURN stored(x) + 1")
    with pytest.raises(ViewscribeError, match="cannot be cast"):
        env.execute_sql("ALTER FUNCTION stored(x INT) RETURNS ARRAY<INT> RETURN x + 1")
    assert check(env.catalogs.catalog()) == []


def test_a_function_that_lasts_reads_no_temporary_view() -> None:
    env = TableEnvironment()
    env.create_temporary_view("passing", env.sql_query("SELECT 1 AS a"))
    body = "RETURNS INT RETURN (SELECT max(a) FROM passing)"
    with pytest.raises(ViewscribeError, match="temporary view `passing`"):
        env.execute_sql(f"CREATE FUNCTION lasting() {body}")
    assert not env.execute_sql("SHOW USER FUNCTIONS").rows
    env.execute_sql(f"CREATE TEMPORARY FUNCTION lasting() {body}")


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[2])
def test_check_finds_bad_bodies(case: tuple[str, str, str, str]) -> None:
    from viewscribe.types.ddl import parse_schema

    text, returns, body, part = case
    if "DEFAULT" in text:
        return
    env = TableEnvironment()
    parameters = tuple(Parameter(each.name, each.type.ddl) for each in parse_schema(text))
    env.catalogs.save(
        FunctionDocument(
            database="default",
            name="f",
            function_kind="scalar",
            language="sql",
            body=body,
            parameters=parameters,
            returns=returns,
        )
    )
    (finding,) = (each for each in check(env.catalogs.catalog()) if each.code != "not-allowed")
    assert finding.code == "function-body"
    if body != "f(y)":
        assert part in f"{finding.cause} {finding.hint}"


CALLED = [
    ("x INT", "INT", "1", ("1", "NULL", "a")),
    ("x INT", "INT", "x + 1", ("1", "NULL", "a", "b", "count(*)", "max(b)")),
    (
        "x INT, y INT",
        "INT",
        "coalesce(x, y)",
        ("a, a", "a, b", "b, a", "NULL, NULL", "y => 1, x => a"),
    ),
    ("x STRING", "INT", "x", ("'1'", "s")),
    ("x STRING", "STRING", "x", ("'1'", "s", "b")),
    ("x STRING", "DATE", "try_cast(x AS DATE)", ("'1'",)),
    ("x INT", "INT", "(SELECT 1)", ("1", "a")),
    ("x INT", "INT", "x + (SELECT 1)", ("1",)),
    ("x INT DEFAULT 5", "INT", "x", ("", "a", "b")),
    ("x INT", "ARRAY<INT>", "array(x, 2)", ("1", "a")),
    ("x INT", "STRUCT<p: INT>", "named_struct('p', x)", ("1", "a")),
    ("x INT", "INT", "NULL", ("1",)),
    ("x INT", "TINYINT", "x", ("1", "b")),
    ("x ARRAY<INT>", "INT", "element_at(x, 1)", ("array(1)",)),
    ("x ARRAY<INT>", "ARRAY<INT>", "transform(x, e -> e + 1)", ("array(1)", "array(a)")),
    ("x INT", "INT", "CASE WHEN x > 1 THEN x END", ("1", "a")),
    ("x INT", "TABLE(p INT, q STRING)", "SELECT x, 'a'", ("1", "NULL")),
    ("x INT", "TABLE(p INT)", "SELECT * FROM VALUES (1), (2) AS t(c) WHERE c < x", ("1",)),
    ("x INT DEFAULT 2", "TABLE(p BIGINT)", "SELECT count(*) FROM range(3) WHERE id < x", ("",)),
]
"""Functions, and arguments that they are called with."""


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_calls_are_null_only_where_the_body_is(spark: SparkSession, ansi: str) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", ansi)
    env = TableEnvironment(settings={"spark.sql.ansi.enabled": ansi})
    wrong = []
    for place, (parameters, returns, body, calls) in enumerate(CALLED):
        made = f"FUNCTION g{place}({parameters}) RETURNS {returns} RETURN {body}"
        session.sql(f"CREATE TEMPORARY {made}")
        env.execute_sql(f"CREATE TEMPORARY {made}")
        for given in calls:
            call = f"g{place}({given})"
            query = f"SELECT {call} AS r FROM VALUES (1, CAST(NULL AS INT), 's') AS t(b, a, s)"
            if returns.startswith("TABLE"):
                query = f"SELECT * FROM {call}"
            ours = tuple(env.sql_query(query).schema)
            if ours != schema_from_spark(session.sql(query).schema):
                wrong.append((body, given, ours))
    assert wrong == []


def test_a_call_in_a_plan_has_the_type_of_its_body() -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1")
    env.create_view("v", env.sql_query("SELECT f(1) AS a, f(NULL) AS b"))
    assert [field.type.nullable for field in env.from_path("v").schema] == [False, True]
    assert check(env.catalogs.catalog()) == []


PLACES = [
    "SELECT a FROM t ORDER BY f(a)",
    "SELECT a, f(a) AS b FROM t ORDER BY b",
    "SELECT a, f(a) AS b FROM t ORDER BY f(a)",
    "SELECT a, f(a) FROM t ORDER BY f(a)",
    "SELECT max(a) AS m FROM t GROUP BY b ORDER BY f(max(a))",
    "SELECT f(max(a)) AS m FROM t GROUP BY b ORDER BY m",
    "SELECT a FROM t ORDER BY f(1)",
    "SELECT a FROM t SORT BY f(a)",
    "SELECT explode(array(f(a))) AS e FROM t",
    "SELECT * FROM t LATERAL VIEW explode(array(f(a))) AS e",
    "SELECT * FROM explode(array(f(1))) AS e",
    "SELECT * FROM t WHERE f(a) = 2",
    "SELECT f(a) AS k, count(*) AS c FROM t GROUP BY f(a) HAVING f(count(*)) > 1",
    "SELECT sum(f(a)) AS s, rank() OVER (ORDER BY f(sum(a))) AS r FROM t",
    "SELECT t.a FROM t JOIN t AS u ON f(t.a) = u.b",
    "SELECT (SELECT max(a) FROM t ORDER BY f(1)) AS m",
]


def test_where_a_function_may_stand(spark: SparkSession) -> None:
    session = spark.newSession()
    env = TableEnvironment()
    made = "TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN x + 1"
    session.sql(f"CREATE {made}")
    env.execute_sql(f"CREATE {made}")
    wrong = []
    for place in PLACES:
        query = f"WITH t AS (SELECT * FROM VALUES (1, 2) AS v(a, b)) {place}"
        try:
            theirs = schema_from_spark(session.sql(query).schema)
        except PySparkException:
            theirs = None
        try:
            ours = tuple(env.sql_query(query).schema)
        except ViewscribeError:
            ours = None
        if ours != theirs:
            wrong.append((place, ours, theirs))
    assert wrong == []
