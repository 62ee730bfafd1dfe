"""Texts for other engines: what is translated, and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlglot

import viewscribe as vs
from examples.tpch.queries import QUERIES, tables
from tests.opaque import opaque
from viewscribe import col, lit
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.serializer.dialects import DIALECTS
from viewscribe.serializer.dialects.portable import FUNCTIONS


@pytest.fixture(scope="module")
def env():
    env = vs.TableEnvironment()
    env.create_table(
        "t",
        "a INT, b BIGINT, d DECIMAL(10, 2), f DOUBLE, s STRING, day DATE, at TIMESTAMP, "
        "l ARRAY<STRING>, c STRING COLLATE UTF8_LCASE",
    )
    return env


@pytest.fixture(scope="module")
def tpch():
    env = vs.TableEnvironment()
    tables(env, Path("data"))
    return env


def test_every_function_of_the_list_exists():
    assert [name for name in FUNCTIONS if find_built_in(name) is None] == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", QUERIES)
def test_tpch_parses_in_every_dialect(tpch, name, dialect):
    table = QUERIES[name](tpch)
    text = table.to_sql(dialect=dialect)
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, sqlglot.exp.Query)
    assert len(tree.selects) == len(table.schema)
    assert "spark_catalog" not in text
    assert "TRY_CAST" not in text
    assert text == table.to_sql(dialect=dialect.upper())


def duckdb(table):
    return " ".join(table.to_sql(dialect="duckdb").split())


@pytest.mark.parametrize(
    ("keys", "end"),
    [
        ([lit("x")], 'FROM "default".t'),
        ([lit(True), "a", lit(None)], 'FROM "default".t ORDER BY a NULLS FIRST'),
        ([lit(1)], 'FROM "default".t ORDER BY CAST(1 AS INT) NULLS FIRST'),
    ],
)
def test_constants_sort_nothing(env, keys, end):
    # DuckDB refuses a query that is sorted by a constant, and takes a number for a column's place.
    assert duckdb(env.from_path("t").select("a").order_by(*keys)).endswith(end)


def test_types_are_said_where_engines_choose_others(env):
    table = env.from_path("t").select(
        (col("d") / col("d")).alias("q"), (col("day") + vs.interval(days=3)).alias("later")
    )
    assert duckdb(table) == (
        "SELECT CAST(d / NULLIF(d, 0) AS DECIMAL(23, 13)) AS q, "
        "CAST(day + INTERVAL '3' DAY AS DATE) AS later FROM \"default\".t"
    )
    mean = env.from_path("t").agg(F.avg(col("d")).alias("m"))
    assert duckdb(mean) == (
        'SELECT CAST(AVG(CAST(d AS DECIMAL(38, 6))) AS DECIMAL(14, 6)) AS m FROM "default".t'
    )
    over = env.from_path("t").select(F.avg(col("d")).over(vs.over(partition_by="a")).alias("m"))
    assert "CAST(AVG(CAST(d AS DECIMAL(38, 6))) OVER (PARTITION BY a) AS DECIMAL(14, 6))" in duckdb(
        over
    )


def test_hints_are_for_spark_alone(env):
    assert duckdb(env.from_path("t").hint("broadcast").select("a")) == 'SELECT a FROM "default".t'


REFUSED = [
    (lambda t: t.select(F.upper(col("s")).alias("x")), "the function upper"),
    (lambda t: t.agg(vs.call("count", col("a"), col("b")).alias("x")), "count of several"),
    (lambda t: t.select(F.levenshtein(col("s"), col("s")).alias("x")), "the function levenshtein"),
    (lambda t: t.explode(col("l"), "x"), "the operation Generate"),
    (lambda t: t.select(F.year(col("at")).alias("y")), "year of TIMESTAMP"),
    (lambda t: t.select(col("d").cast("INT").alias("x")), "CAST of DECIMAL(10, 2) to INT"),
    (lambda t: t.select(col("f").cast("STRING").alias("x")), "CAST of DOUBLE to STRING"),
    (lambda t: t.select(col("s").try_cast("INT").alias("x")), "TRY_CAST"),
    (lambda t: t.filter(col("s").like("a\\_b")), "LIKE with a pattern"),
    (lambda t: t.filter(col("s").like(col("s"))), "LIKE with a pattern"),
    (lambda t: t.filter(col("c") == col("c")), "the collation of STRING COLLATE UTF8_LCASE"),
    (lambda t: t.select(F.substring(col("s"), -2, 2).alias("x")), "substring from another place"),
    (lambda t: t.select(F.transform(col("l"), lambda x: x).alias("x")), "the function transform"),
    (lambda t: t.agg(F.collect_list(col("a")).alias("x")), "the function collect_list"),
    (lambda t: t.select((col("a") % lit(3)).alias("x")), "the function mod"),
]


@pytest.mark.parametrize(("build", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_does_not_translate_is_named(env, build, reason):
    with pytest.raises(NotSerializableError) as error:
        build(env.from_path("t")).to_sql(dialect="duckdb")
    assert error.value.message.startswith(f"no translation to duckdb: {reason}")


def test_what_only_some_engines_have(env):
    table = env.from_path("t").select("a", "s").rollup("a", "s").agg(F.count("*").alias("n"))
    assert "ROLLUP" in table.to_sql(dialect="trino")
    upper = env.from_path("t").select(F.upper(col("s")).alias("x"))
    assert upper.to_sql(dialect="hive") == "SELECT\n  UPPER(s) AS x\nFROM default.t"
    with pytest.raises(NotSerializableError, match="no translation to hive: grouping by rollup"):
        table.to_sql(dialect="hive")
    both = env.from_path("t").select("a").minus_all(env.from_path("t").select("a"))
    with pytest.raises(NotSerializableError, match="no translation to snowflake: EXCEPT ALL"):
        both.to_sql(dialect="snowflake")


def test_sql_text_is_not_translated(env):
    with pytest.raises(NotSerializableError, match="SQL text, whose meaning only Spark knows"):
        opaque(env, "SELECT a FROM t").to_sql(dialect="trino")


def test_dialects_that_are_not_there(env):
    with pytest.raises(ValidationError, match="no dialect 'flink'") as error:
        env.from_path("t").to_sql(dialect="flink")
    assert "the dialects are: bigquery" in str(error.value)


def test_texts_are_stored_with_the_view(env):
    env.create_view("v", env.from_path("t").select("a"), dialects=["duckdb", "Trino"])
    assert dict(env.get_view("v").representations) == {
        "duckdb": 'SELECT\n  a\nFROM "default".t',
        "trino": "SELECT\n  a\nFROM default.t",
    }
    with pytest.raises(NotSerializableError):
        env.create_view("w", env.from_path("t").explode(col("l"), "x"), dialects=["trino"])
    assert "w" not in env.list_views()
