"""Texts of catalogs that Spark would carry out are told from queries, as Spark's lexer reads."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe.errors import ValidationError
from viewscribe.operations.only_queries import require_one_expression, require_query

QUERIES = [
    "select 1",
    "  -- first\n/* second ** / */ (select 1)",
    "VALUES (1), (2)",
    "TABLE sales.orders",
    "FROM t SELECT a",
    "FROM t |> WHERE x > 1 |> SELECT x AS insert",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "WITH RECURSIVE a(x) MAX RECURSION LEVEL 5 AS (SELECT 1) SELECT * FROM a",
    "WITH a AS (SELECT ') insert into t' AS x) (SELECT x FROM a) UNION SELECT 2",
    "WITH `a) insert into t` AS (SELECT 1) TABLE `a) insert into t`",
    "WITH a AS (SELECT 1 -- ) INSERT INTO t\n) SELECT * FROM a",
    "WITH a AS (FROM t SELECT x), b (y) AS (SELECT 1) FROM a SELECT x",
    "SELECT * FROM a JOIN b USING (id)",
    "SELECT transform(xs, x -> x + 1), 'using' FROM t",
    "SELECT /*+ BROADCAST(a) */ * FROM a JOIN b USING (id)",
    "SELECT R'\\' AS x FROM a JOIN b USING (id)",
    "SELECT delete, update, insert, merge FROM t",
]
STATEMENTS = [
    "",
    " -- nothing\n",
    "DROP TABLE t",
    "; SELECT 1",
    "BEGIN DROP TABLE t; END",
    "BEGIN SELECT 1; END",
    "SET spark.sql.ansi.enabled = false",
    "ADD JAR 'evil.jar'",
    "EXECUTE IMMEDIATE 'drop table t'",
    "CREATE TABLE t AS SELECT 1",
    "INSERT INTO t SELECT 1",
    "EXPLAIN SELECT 1",
    "--\\\nSELECT 1\nDROP TABLE t",
    "/* /* */ SELECT */ DROP TABLE t",
    "/*+ SELECT */ DROP TABLE t",
    "\u00a0DROP TABLE t",
    "${env:HOME}",
    "$$a$$ SELECT 1",
    "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
    "WITH a AS (SELECT 1), b(x) AS (SELECT 2) /* c */ DELETE FROM t",
    "WITH a AS (SELECT 1) UPDATE t SET x = 1",
    "WITH a AS (SELECT 1) MERGE INTO t USING a ON true WHEN MATCHED THEN DELETE",
    "WITH a AS (SELECT R'\\') INSERT INTO t SELECT (' ) SELECT 1",
    "WITH a AS (SELECT $$)$$) INSERT INTO t SELECT 1",
    "WITH a AS (SELECT 1 /* /* ) SELECT */ ) INSERT INTO t SELECT 1",
    "FROM t INSERT OVERWRITE u SELECT *",
    "FROM t INSERT INTO u SELECT * INSERT INTO v SELECT *",
    "WITH a AS (SELECT 1) FROM a INSERT INTO t SELECT 1",
    "WITH `unclosed AS (SELECT 1) SELECT 1",
]
SCRIPTS = [
    "SELECT TRANSFORM(a) USING 'bash' FROM t",
    "SELECT TRANSFORM(a) USING /* x */ R'bash' FROM t",
    'SELECT * FROM (SELECT transform(a) using "bash" AS (b) FROM t)',
    "FROM t MAP a USING 'bash'",
    "MAP a USING 'bash' FROM t",
    "WITH a AS (SELECT 1) REDUCE x USING 'bash' FROM a",
]


@pytest.mark.parametrize("text", QUERIES)
def test_queries_are_left_alone(text: str) -> None:
    require_query(text)


@pytest.mark.parametrize("text", STATEMENTS + SCRIPTS)
def test_what_spark_would_carry_out_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="not given to Spark") as caught:
        require_query(text)
    assert caught.value.code == "NotAQueryError"


def test_the_message_says_what_it_is() -> None:
    with pytest.raises(ValidationError, match="it begins with `DROP`"):
        require_query("DROP TABLE t")
    with pytest.raises(ValidationError, match="its WITH is followed by INSERT"):
        require_query("WITH a AS (SELECT 1) INSERT INTO t SELECT 1")
    with pytest.raises(ValidationError, match="it runs the script 'bash'"):
        require_query("SELECT TRANSFORM(a) USING 'bash' FROM t")


@given(st.text(alphabet="()'\"`\\/*-+\n rRASselctWITHwinto$,;", max_size=60))
def test_a_statement_behind_anything_that_opens_no_query_is_refused(noise: str) -> None:
    """However it is quoted and commented: no text is both begun by a word and a query by chance."""
    with pytest.raises(ValidationError):
        require_query(f"DROP /*{noise}")


@given(st.text(max_size=40))
def test_quoted_texts_hide_nothing_and_harm_nothing(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    named = value.replace("`", "``")
    require_query(f"WITH a AS (SELECT '{quoted}' AS `{named}`) SELECT 1 FROM a JOIN b USING (id)")
    with pytest.raises(ValidationError, match="INSERT"):
        require_query(f"WITH a AS (SELECT '{quoted}' AS `{named}`) INSERT INTO t SELECT 1")


def test_long_texts_take_no_long() -> None:
    """Were anything read twice from each place on, this would never end."""
    for noise in ("/*", "/**", "(", "'\\", "`", "x ", "--\n"):
        text = "WITH " + noise * 30_000 + " USING"
        try:
            require_query(text)
        except ValidationError:
            continue


def test_sql_query_takes_queries_alone() -> None:
    with pytest.raises(ValidationError, match="it begins with `DROP`"):
        vs.TableEnvironment().sql_query("DROP TABLE t", schema="a INT", spark=Mock())


@pytest.mark.parametrize(
    "text", ["0", "concat('), (', x)", "(1 + 2) * 3", "array(1, 2)[0]", "'--'", "1 /* one */"]
)
def test_expressions(text: str) -> None:
    require_one_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "0) RETURNS STRING RETURN 'x' --",
        "0, y INT",
        "(1",
        "1)(",
        "1 -- one",
        "1 /*",
        "'",
        "1; DROP",
    ],
)
def test_what_is_more_than_one_expression(text: str) -> None:
    with pytest.raises(ValidationError):
        require_one_expression(text)
