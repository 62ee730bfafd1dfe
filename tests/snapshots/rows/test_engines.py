"""DuckDB gives the rows that Spark gives, wherever it does not refuse."""

from __future__ import annotations

import datetime as dt
import random
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
from viewscribe.snapshots.rows.errors import ViewTestError
from viewscribe.snapshots.rows.inputs import resolve
from viewscribe.snapshots.rows.on_duckdb import run_on_duckdb
from viewscribe.snapshots.rows.on_spark import run_on_spark
from viewscribe.snapshots.rows.subjects import subject_of

from viewscribe.types import DateType, DecimalType, IntegralType, LogicalType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENV = environment()


def compare(table: Table, rows: dict[str, list[tuple[object, ...]]], spark: SparkSession) -> bool:
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
    assert {"q01", "q03", "q05", "q06"} <= set(ran)
