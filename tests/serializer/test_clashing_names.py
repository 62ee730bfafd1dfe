"""Columns, fields, tables and databases of one name: a text calls what the tree means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.serializer.test_same_rows import rows_of
from tests.spark.answers import Answers
from tests.versions import RUNNING
from viewscribe import Table, col, exists
from viewscribe import functions as F
from viewscribe.serializer import STYLES
from viewscribe.types.ddl import parse_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

NAME = "same"
"""What the database, a table, a column, its field and the field's field are all called."""

STRUCT = f"STRUCT<{NAME}: STRUCT<{NAME}: INT, k: INT>, k: INT>"
TABLES = {NAME: f"{NAME} {STRUCT}, k INT", "other": f"{NAME} {STRUCT}, other {STRUCT}, k INT"}
VALUES = {
    NAME: "(named_struct('same', named_struct('same', 1, 'k', 2), 'k', 3), 4)",
    "other": "(named_struct('same', named_struct('same', 5, 'k', 6), 'k', 7), "
    "named_struct('same', named_struct('same', 8, 'k', 9), 'k', 10), 4)",
}


@pytest.fixture(scope="module")
def clashing(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {NAME}")
    for name, schema in TABLES.items():
        columns = [field.name for field in parse_schema(schema)]
        spark.sql(
            f"CREATE OR REPLACE VIEW {NAME}.{name} AS "
            f"SELECT * FROM VALUES {VALUES[name]} AS v ({', '.join(columns)})"
        )
    yield spark
    spark.sql(f"DROP DATABASE {NAME} CASCADE")


def environment() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_database(NAME)
    env.use_database(NAME)
    for name, schema in TABLES.items():
        env.create_table(name, schema)
    return env


FIELDS: dict[str, Callable[[Any], Any]] = {
    "k": lambda c: c["k"],
    "same.k": lambda c: c[NAME]["k"],
    "same.same": lambda c: c[NAME][NAME],
}

PIPELINES: dict[str, Callable[[Table, Table, Callable[..., Any]], Table]] = {
    "select": lambda t, o, f: t.select(f(col(NAME)).alias("x"), "k"),
    "as its own name": lambda t, o, f: t.select(f(col(NAME)).alias(NAME), "k"),
    "filter": lambda t, o, f: t.filter(f(col(NAME)) > 0).select("k"),
    "sort": lambda t, o, f: t.order_by(f(col(NAME))).select(col("k").alias(NAME)),
    "group": lambda t, o, f: t.group_by(f(col(NAME)).alias(NAME)).agg(F.max("k").alias("k")),
    "another alias": lambda t, o, f: t.alias("z").select(f(col(NAME)).alias("x")),
    "an alias that is a column": lambda t, o, f: o.alias(NAME).select(f(col(NAME)).alias("x")),
    "of the other": lambda t, o, f: o.select(f(col("other")).alias("x"), f(col(NAME)).alias("y")),
    "joined": lambda t, o, f: t.join(o, col(f"{NAME}.k") == col("other.k")).select(
        f(col(f"{NAME}.{NAME}")).alias("x"), f(col(f"other.{NAME}")).alias("y")
    ),
    "below other steps": lambda t, o, f: (
        t.order_by("k")
        .limit(3)
        .select(col(NAME), col("k").alias("z"))
        .select(f(col(NAME)).alias("x"))
    ),
    "extended": lambda t, o, f: (
        t.distinct()
        .add_columns(col("k").alias("z"))
        .add_columns(f(col(NAME)).alias("x"))
        .select("x")
    ),
    "pivoted": lambda t, o, f: (
        t.add_columns(f(col(NAME)).alias("x"), (col("k") + 1).alias("z"))
        .select(NAME, "x", "z")
        .group_by("x")
        .pivot("z", [5])
        .agg(F.max(f(col(NAME))).alias("m"))
    ),
    "unioned": lambda t, o, f: (
        t.select(NAME)
        .union_all(o.select(NAME))
        .filter(f(col(NAME)).is_not_null())
        .select(f(col(NAME)).alias("x"))
    ),
    "union sorted": lambda t, o, f: (
        t.select(NAME, "k")
        .union_all(o.select(NAME, "k"))
        .order_by(f(col(NAME)), "k")
        .select(f(col(NAME)).alias("x"))
    ),
    "union sorted and cut": lambda t, o, f: (
        t.select(NAME).union(o.select(NAME)).order_by(f(col(NAME))).limit(1)
    ),
    "groups filtered": lambda t, o, f: (
        t.rollup(NAME).agg(F.max("k").alias("m")).filter(f(col(NAME)).is_not_null()).select("m")
    ),
    "joined below": lambda t, o, f: (
        t.join(o, col(f"{NAME}.k") == col("other.k"))
        .select(col("other.other"), col(f"{NAME}.{NAME}"))
        .select(f(col(NAME)).alias("x"), f(col("other")).alias("y"))
    ),
    "within a sub-query": lambda t, o, f: t.filter(
        exists(lambda outer: o.filter(f(col(NAME)) > f(outer(NAME))))
    ).select("k"),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_rows_are_those_of_the_tree(clashing: SparkSession, name: str) -> None:
    env = environment()
    answers = Answers(rows_of)
    for field in FIELDS.values():
        table = PIPELINES[name](env.from_path(NAME), env.from_path("other"), field)
        interpreted = table.to_dataframe(clashing)
        for text in dict.fromkeys(table.to_sql(style, target=RUNNING) for style in STYLES):
            assert answers.of(clashing.sql(text)) == answers.of(interpreted), text


def test_a_field_is_written_plainly_where_nothing_clashes() -> None:
    env = environment()
    text = env.from_path("other").select(col(NAME)["k"].alias("x")).to_sql()
    assert f"  {NAME}.k AS x\n" in text
    text = env.from_path(NAME).select(col(NAME)["k"].alias("x")).to_sql()
    assert f"  {NAME}['k'] AS x\n" in text
