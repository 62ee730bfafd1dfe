"""What looks like a table is no file, whatever formats a session has; what is missing is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from viewscribe.operations import nodes as n
from viewscribe.operations import reach
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.errors import MissingSourceError
from viewscribe.table_api.table import Table
from viewscribe.types.ddl_reader import parse_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = parse_schema("value STRING")


@pytest.fixture
def file(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a file of a format that viewscribe does not know: it knows no ``text`` here."""
    monkeypatch.setattr(reach, "_FORMATS", reach._FORMATS - {"text"})
    java: Any = spark._jvm
    path = Path(java.java.lang.System.getProperty("user.dir"), "viewscribe_secret")
    path.write_text("secret")
    yield path.name
    path.unlink()


def trees(name: str) -> list[QueryOperation]:
    return [
        n.CatalogSource.of(("text", name), COLUMNS),
        n.SqlText.of(f"SELECT value FROM text.{name}", COLUMNS),
        n.SqlText.of(f"WITH c AS (TABLE `text`.`{name}`) SELECT value FROM c", COLUMNS),
    ]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("session", ["spark", "connected"])
def test_a_name_of_two_parts_is_no_file(
    request: pytest.FixtureRequest, session: str, place: int, file: str, spark: SparkSession
) -> None:
    assert spark.sql(f"SELECT * FROM text.{file}").count() == 1  # Spark itself reads it
    table = Table(vs.TableEnvironment(), trees(file)[place])
    with pytest.raises(MissingSourceError, match=r"TABLE_OR_VIEW_NOT_FOUND|has no table text\."):
        table.to_dataframe(request.getfixturevalue(session))


def test_it_is_a_table_where_there_is_one(file: str, spark: SparkSession) -> None:
    spark.sql("CREATE DATABASE text")
    try:
        spark.sql(f"CREATE TABLE text.{file} USING parquet AS SELECT 'shown' AS value")
        for tree in trees(file):
            found = Table(vs.TableEnvironment(), tree).to_dataframe(spark)
            assert [row.value for row in found.collect()] == ["shown"]
    finally:
        spark.sql("DROP DATABASE text CASCADE")


@pytest.mark.parametrize("session", ["spark", "connected"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM csv.`/nowhere/at/all`",
        "SELECT * FROM parquet.`/nowhere/*`",
        "SELECT * FROM jdbc.`/nowhere`",
        "SELECT * FROM nothing.`/nowhere`",
        "SELECT * FROM spark_catalog.nowhere.at_all",
    ],
)
def test_what_is_not_there_is_told(request: pytest.FixtureRequest, session: str, text: str) -> None:
    table = Table(vs.TableEnvironment(), n.SqlText.of(text, COLUMNS))
    with pytest.raises(MissingSourceError, match="cannot read what a query names") as told:
        table.to_dataframe(request.getfixturevalue(session))
    assert told.value.hint
    assert told.value.location == text
