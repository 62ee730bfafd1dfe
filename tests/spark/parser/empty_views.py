"""A session that has the tables of a test, as empty views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession


@contextmanager
def session_with(spark: SparkSession, tables: Mapping[str, str]) -> Iterator[SparkSession]:
    """A new session with an empty view for each name, of the columns that are its DDL."""
    session = spark.newSession()
    for name, ddl in tables.items():
        session.createDataFrame([], ddl).createOrReplaceTempView(name)
    yield session
    for name in tables:
        session.catalog.dropTempView(name)
