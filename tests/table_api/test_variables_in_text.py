"""Spark puts the values of variables into a text before it reads it; here they are refused."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.errors import SqlSyntaxError

TEXTS = ["SELECT '${x}' AS v FROM t", "SELECT v FROM t -- ${hiveconf:y}\n WHERE v > ${y}"]


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("t", "v INT")
    return made


@pytest.mark.parametrize("text", TEXTS)
def test_in_queries(env: TableEnvironment, text: str) -> None:
    with pytest.raises(SqlSyntaxError, match="value of a variable"):
        env.sql_query(text)
    with pytest.raises(SqlSyntaxError, match="value of a variable"):
        env.execute_sql(f"CREATE VIEW w AS {text}")


def test_in_expressions(env: TableEnvironment) -> None:
    with pytest.raises(SqlSyntaxError, match="value of a variable"):
        F.expr("concat('${x}', v)")
    with pytest.raises(SqlSyntaxError, match="value of a variable"):
        env.from_path("t").filter("v > ${limit}")


def test_the_characters_themselves(env: TableEnvironment) -> None:
    text = env.from_path("t").select(F.lit("${x}").alias("x"), col("v")).to_sql()
    assert "${" not in text
    assert env.sql_query(text).to_sql() == text
    assert env.sql_query("SELECT '$' AS a, '{x}' AS b, '${' AS c FROM t").to_sql()
