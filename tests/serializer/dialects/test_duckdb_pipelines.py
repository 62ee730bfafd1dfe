"""Random pipelines in DuckDB: what is translated gives the rows that Spark gives."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.properties.pipelines import ROWS, SCHEMAS, environment, pipelines
from viewscribe import Table
from viewscribe.errors import NotSerializableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

duckdb = pytest.importorskip("duckdb")

ENV = environment()
WITH_SPARK = settings(
    max_examples=60, suppress_health_check=list(HealthCheck), report_multiple_bugs=False
)
TYPES = {
    "people": "id INT, name TEXT, born DATE, score DECIMAL(8, 2), ok BOOLEAN, tags TEXT[]",
    "orders": 'id INT, person INT, "unit price" DECIMAL(10, 2), "select" TEXT, "at" DATE, n INT',
    "nasty": '"a.b" INT, "it\'s" TEXT, "näme" TEXT, "x`y" INT, st STRUCT(p INT, q TEXT)',
}


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    for name, schema in SCHEMAS.items():
        spark.createDataFrame(ROWS[name], schema).coalesce(1).write.saveAsTable(name)
    yield spark
    for name in SCHEMAS:
        spark.sql(f"DROP TABLE {name}")


@pytest.fixture(scope="module")
def engine() -> Any:
    connection = duckdb.connect()
    connection.execute('CREATE SCHEMA "default"')
    for name, types in TYPES.items():
        connection.execute(f'CREATE TABLE "default".{name} ({types})')
        for row in ROWS[name]:
            places = ", ".join("?" for _ in row)
            values = [
                {"p": each[0], "q": each[1]} if isinstance(each, tuple) else each for each in row
            ]
            connection.execute(f'INSERT INTO "default".{name} VALUES ({places})', values)
    return connection


@WITH_SPARK
@given(table=pipelines(ENV))
def test_rows(session: SparkSession, engine: Any, table: Table) -> None:
    try:
        text = table.to_sql(dialect="duckdb")
    except NotSerializableError:
        assume(False)
    wanted = Counter(comparable(row) for row in session.sql(table.to_sql()).collect())
    found = Counter(comparable(row) for row in engine.execute(text).fetchall())
    assert found == wanted, text


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return comparable(tuple(value.values()))
    if isinstance(value, list | tuple):
        return tuple(map(comparable, value))
    return f"{value:.12e}" if isinstance(value, Decimal | float) else value
