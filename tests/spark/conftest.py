"""A small world for the tests of this room: tables with NULL, NaN and duplicates, known to both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.local_spark import with_sparks_defaults
from tests.spark.tools_catalog import write_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = {
    "people": "name STRING, dept STRING, salary INT, born DATE, score DOUBLE, tags ARRAY<STRING>",
    "depts": "dept STRING, city STRING",
    "sales": "dept STRING, quarter INT, amount DECIMAL(10, 2), at TIMESTAMP",
    "wide": "id INT, q1 INT, q2 INT, q3 BIGINT",
    "nested": "id INT, point STRUCT<x: INT, y: DOUBLE>, props MAP<STRING, INT>",
}

ROWS = {
    "people": """
      ('ann', 'a', 10, DATE '1980-01-31', 1.5D, array('x', 'y')),
      ('bob', 'a', 20, DATE '1990-02-28', double('NaN'), array()),
      ('bob', 'a', 20, DATE '1990-02-28', double('NaN'), array()),
      ('cid', 'b', NULL, NULL, -0.0D, NULL),
      ('dan', NULL, 30, DATE '2000-12-31', NULL, array('z', NULL)),
      (NULL, 'c', 40, DATE '1970-01-01', 0.0D, array('x'))""",
    "depts": "('a', 'rome'), ('b', 'oslo'), ('z', 'kyiv'), (NULL, 'nowhere')",
    "sales": """
      ('a', 1, 1.10BD, TIMESTAMP '2024-01-01 00:05:00Z'),
      ('a', 2, 2.20BD, TIMESTAMP '2024-01-01 00:07:00Z'),
      ('a', 2, NULL, TIMESTAMP '2024-01-01 00:21:00Z'),
      ('b', 1, 5.00BD, TIMESTAMP '2024-01-01 01:00:00Z'),
      ('b', 4, 7.25BD, NULL)""",
    "wide": "(1, 10, 20, 30L), (2, NULL, 21, NULL)",
    "nested": """
      (1, named_struct('x', 1, 'y', 1.5D), map('a', 1, 'b', 2)),
      (2, named_struct('x', NULL, 'y', 2.5D), map()),
      (3, NULL, NULL)""",
}


@pytest.fixture(scope="session")
def env(spark: SparkSession) -> vs.TableEnvironment:
    """An environment and a session that know the same tables, in the database ``world``."""
    env = vs.TableEnvironment()
    env.create_database("world")
    env.use_database("world")
    spark.sql("CREATE DATABASE IF NOT EXISTS world")
    for name, schema in TABLES.items():
        spark.sql(f"DROP TABLE IF EXISTS world.{name}")
        spark.sql(f"CREATE TABLE world.{name} ({schema}) USING parquet")
        spark.sql(f"INSERT INTO world.{name} VALUES {ROWS[name]}")
        if not with_sparks_defaults():
            spark.catalog.cacheTable(f"world.{name}")  # plans name the table, and open no files
        env.create_table(name, schema)
    return env


def scala_object(jvm: Any, name: str) -> Any:
    return getattr(getattr(jvm, f"{name}$"), "MODULE$")


@pytest.fixture(scope="session")
def tools_jar(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of a catalog with functions, which all sessions of a JVM share."""
    return write_jar(spark, tmp_path_factory.mktemp("java") / "tools.jar")


@pytest.fixture(scope="session")
def connected(spark: SparkSession) -> Iterator[Any]:
    """A session of a Connect server that runs in the JVM of the tests."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    java: Any = spark
    jvm = java._jvm
    context = java.sparkContext._jsc.sc()
    conf = context.conf()
    conf.set("spark.connect.grpc.binding.address", "127.0.0.1")
    conf.set("spark.connect.grpc.binding.port", "0")
    service = scala_object(jvm, "org.apache.spark.sql.connect.service.SparkConnectService")
    service.start(context)
    session = ConnectSession.builder.remote(f"sc://127.0.0.1:{service.localPort()}").create()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    yield session
    session.stop()
    service.stop(jvm.scala.Option.empty(), jvm.scala.Option.empty())
