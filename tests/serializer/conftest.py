"""The tables of the cases in Spark: views over a handful of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serializer.cases import DATABASE, SCHEMAS, view_sql
from tests.serializer.deep_tables import VIEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def shop(spark: SparkSession) -> Iterator[SparkSession]:
    """Those of most cases, in a database of their own."""
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
    for name in SCHEMAS:
        spark.sql(view_sql(name))
    yield spark
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE")


@pytest.fixture(scope="module")
def deep(spark: SparkSession) -> Iterator[SparkSession]:
    """The one of long and deep pipelines."""
    spark.sql(VIEW)
    yield spark
    spark.sql("DROP VIEW default.deep")
