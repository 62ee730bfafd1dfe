"""The catalog of the one session of the tests, without what others keep there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.catalog_store import samples
from viewscribe.spark.session_catalog import SessionCatalog
from viewscribe.spark.session_catalog.functions import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


class OwnReader(Reader):
    """Sees all databases but those that others made."""

    others: frozenset[str] = frozenset()

    def homes(self) -> list[str]:
        return [each for each in super().homes() if each not in self.others]


class OwnDatabases(SessionCatalog):
    """Sees all databases but those that others made."""

    def __init__(self, spark: Any, others: frozenset[str], **options: Any) -> None:
        super().__init__(spark, "spark_catalog", **options)
        reader = OwnReader(self._statements, self._names, self.url)
        reader.others = others
        self._reader = reader


def names(spark: SparkSession) -> frozenset[str]:
    """The databases of a session."""
    return frozenset(row[0] for row in spark.sql("SHOW DATABASES").collect())


def stored_views(spark: SparkSession, database: str) -> list[str]:
    """The views of a database, without the session's temporary ones, which Spark lists too."""
    shown = spark.sql(f"SHOW VIEWS IN {database}").collect()
    return [row.viewName for row in shown if not row.isTemporary]


def wipe(spark: SparkSession, others: frozenset[str]) -> None:
    """Drops all databases but those of others."""
    for name in names(spark) - others:
        spark.sql(f"DROP DATABASE `{name}` CASCADE")


@pytest.fixture
def others(spark: SparkSession) -> frozenset[str]:
    """The databases that are no business of a test: those that are there before it."""
    return names(spark)


@pytest.fixture
def empty(spark: SparkSession, others: frozenset[str]) -> Iterator[OwnDatabases]:
    """The session's catalog without databases."""
    yield OwnDatabases(spark, others)
    wipe(spark, others)


@pytest.fixture
def catalog(empty: OwnDatabases) -> OwnDatabases:
    """The session's catalog with the database ``sales``."""
    empty.create_database(samples.database())
    return empty
