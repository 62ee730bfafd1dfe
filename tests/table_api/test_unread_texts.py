"""Queries that are kept as text: parameters, and columns that a session tells."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import ValidationError

QUERY = "SELECT id, :word AS w FROM o TABLESAMPLE (10 PERCENT) WHERE id > :least"


def _env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("o", "id INT")
    return env


def test_parameters_have_their_values_in_it() -> None:
    args = {"least": 5, "word": "it's"}
    text = _env().sql_query(QUERY, args=args, schema="id INT, w STRING").to_sql()
    assert "WHERE id > 5" in text
    assert ":" not in text
    placed = QUERY.replace(":word", "?").replace(":least", "?")
    assert _env().sql_query(placed, args=["it's", 5], schema="id INT, w STRING").to_sql() == text


def test_a_parameter_without_a_value() -> None:
    with pytest.raises(ValidationError, match="the parameter :least of SQL text has no value"):
        _env().sql_query(QUERY, args={"word": "a"}, schema="id INT, w STRING")


@pytest.mark.spark
def test_a_session_is_asked_for_the_tables_of_the_environment(spark: Any) -> None:
    for place, column in (("default", "other BIGINT"), ("unread", "id INT")):
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {place}")
        spark.sql(f"CREATE TABLE {place}.o ({column}) USING parquet")
    try:
        env = vs.TableEnvironment(spark)
        env.use_database("unread")
        found = env.sql_query("SELECT * FROM o TABLESAMPLE (10 PERCENT)", spark=spark)
        assert found.schema.names == ("id",)
        assert "spark_catalog.unread.o" in found.to_sql()
    finally:
        spark.sql("DROP TABLE default.o")
        spark.sql("DROP DATABASE unread CASCADE")


@pytest.mark.spark
def test_what_does_not_run_in_the_session_is_an_error_of_ours(spark: Any) -> None:
    with pytest.raises(ValidationError, match="Spark does not tell the columns of a query"):
        _env().sql_query("SELECT nothing_like_it(id) AS y FROM o", spark=spark)
