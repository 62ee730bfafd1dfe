"""DuckDB gives the rows that Spark gives, wherever it does not refuse."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from examples.tpch.data import SCHEMAS as TPCH
from examples.tpch.queries import QUERIES
from tests.fuzzing import examples
from tests.properties.pipelines import ROWS, SCHEMAS, environment, pipelines
from viewscribe import Table, TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.serializer.dialects.portable import foreign_construct
from viewscribe.snapshots.rows.comparison import compare_rows
from viewscribe.snapshots.rows.inputs import resolve
from viewscribe.snapshots.rows.on_duckdb import run_on_duckdb
from viewscribe.snapshots.rows.on_spark import run_on_spark
from viewscribe.snapshots.rows.subjects import ViewTestError, subject_of
from viewscribe.types import DateType, DecimalType, IntegralType, LogicalType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENV = environment()


def compare(table: Table, rows: Mapping[str, Any], spark: SparkSession) -> bool:
    """Whether both engines ran; what they gave is the same then."""
    subject = subject_of(table)
    read = {path[-1]: rows[path[-1]] for path in subject.sources()}
    inputs = resolve(subject, {f"`{name.replace('`', '``')}`": each for name, each in read.items()})
    try:
        there = run_on_duckdb(inputs)
    except ViewTestError:
        return False
    try:
        here = run_on_spark(inputs, spark)
    except ViewscribeError as error:
        pytest.fail(f"only Spark refuses it: {error}")
    names = [field.name for field in subject.fields]
    difference = compare_rows(names, here, there, ordered=False, tolerance=1e-12)
    assert difference is None, "\n".join([difference.summary(), *difference.lines()])
    return True


@pytest.mark.spark
@pytest.mark.slow("random pipelines, each run by two engines")
@settings(max_examples=examples(16, fuzz=500), suppress_health_check=list(HealthCheck))
@given(table=pipelines(ENV))
def test_random_pipelines_give_the_same_rows(spark: SparkSession, table: Table) -> None:
    assume(foreign_construct(table.operation, "duckdb") is None)
    assume(all(path[-1] in SCHEMAS for path in subject_of(table).sources()))
    compare(table, ROWS, spark)


BIG = 2**63 - 1
EDGES = {
    "t": (
        "id INT, a INT, s STRING, bg BIGINT, d DOUBLE, x DECIMAL(20, 2), day DATE",
        [
            (1, None, "u", BIG, 1.005, Decimal("123456789012345678.12"), dt.date(2024, 1, 31)),
            (2, 2**31 - 1, "u", BIG, 0.285, Decimal("0.01"), dt.date(9999, 12, 31)),
            (3, 2, None, -BIG, -2.675, Decimal("99999999999999999.99"), None),
            (4, 2, "v", None, None, None, dt.date(1, 1, 1)),
        ],
    ),
    "u": ("a INT, c INT", [(None, 2), (2, None), (7, 7)]),
}
"""Rows at the ends of their types, and NULLs where they matter."""


@pytest.mark.spark
@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, CAST(d AS DECIMAL(10, 2)) AS n FROM t",
        "SELECT id, a NOT IN (SELECT c FROM u WHERE c IS NOT NULL) AS n FROM t",
        "SELECT id, (a, id) IN (SELECT a, c FROM u) AS n FROM t",
        "SELECT id FROM t WHERE (a IN (SELECT c FROM u)) IS NULL",
        "SELECT id FROM t WHERE NOT (a IN (SELECT c FROM u) AND id > 0)",
        "SELECT id FROM t WHERE a IN (SELECT c FROM u)",
        "SELECT id FROM t WHERE a NOT IN (SELECT c FROM u WHERE c IS NOT NULL)",
        "SELECT avg(bg) AS n FROM t",
        "SELECT avg(x) AS n FROM t",
        "SELECT id, x / 3 AS n FROM t",
        "SELECT s, sum(bg) > 0 AS n FROM t GROUP BY s",
        "SELECT CASE WHEN sum(bg) > 5 THEN 'many' ELSE 'few' END AS n FROM t WHERE id < 3",
        "SELECT s FROM t GROUP BY s HAVING sum(bg) > 0",
        "SELECT CAST(n AS DOUBLE) AS n FROM (SELECT sum(bg) AS n FROM t WHERE id < 3)",
        "SELECT s FROM t GROUP BY s ORDER BY sum(bg)",
        "SELECT id, sum(bg) OVER (PARTITION BY s) > 0 AS n FROM t",
        "SELECT sum(bg) AS n FROM t",
        "SELECT sum(a) + 1 AS n FROM t",
        "SELECT id FROM t WHERE a + 1 > 0",
        "SELECT id FROM t WHERE a * 2 > 0 AND id > 0",
        "SELECT id, a + 1 = a AS n FROM t",
        "SELECT id, day + 1 AS n FROM t WHERE id <> 2",
    ],
)
def test_values_at_the_ends_of_their_types(spark: SparkSession, query: str) -> None:
    """What Spark fails at, DuckDB does not answer."""
    env = TableEnvironment()
    for name, (columns, _) in EDGES.items():
        env.create_table(name, columns)
    rows = {name: given for name, (_, given) in EDGES.items()}
    compare(env.sql_query(query), rows, spark)


# What the queries of TPC-H look for, so that some rows are found.
WORDS = """
ASIA EUROPE AMERICA FRANCE GERMANY BRAZIL CANADA SAUDI\u00a0ARABIA BUILDING AIR MAIL SHIP REG
Brand#12 Brand#23 Brand#45 1-URGENT R A N F O BRASS forest\u00a0green MED\u00a0BOX 13-555
""".replace("\u00a0", "_").split()


def value(type_: LogicalType, numbers: random.Random) -> Any:
    if isinstance(type_, IntegralType):
        return numbers.randrange(1, 5)
    if isinstance(type_, DecimalType):
        return Decimal(numbers.randrange(0, 30)) / 4
    if isinstance(type_, DateType):
        return dt.date(1993, 1, 1) + dt.timedelta(days=numbers.randrange(0, 1400))
    return numbers.choice(WORDS).replace("_", " ")


def tpch() -> tuple[TableEnvironment, dict[str, list[tuple[object, ...]]]]:
    """The tables, and some rows of each that are found by joins."""
    env, numbers, rows = TableEnvironment(), random.Random(7), {}
    for name, schema in TPCH.items():
        env.create_table(name, schema)
        fields = env.from_path(name).schema.fields
        rows[name] = [tuple(value(field.type, numbers) for field in fields) for _ in range(12)]
    return env, rows


@pytest.mark.spark
@pytest.mark.slow("22 queries, each run by two engines")
def test_tpch_gives_the_same_rows(spark: SparkSession) -> None:
    env, rows = tpch()
    ran = [name for name, query in QUERIES.items() if compare(query(env), rows, spark)]
    assert {"q03", "q05", "q06"} <= set(ran)
