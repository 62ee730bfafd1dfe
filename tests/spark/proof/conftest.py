"""Tables whose rows tell most things apart, in several partitions, for a session of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from tests.spark.proof.mutants import ROWS, TABLES, Court

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def court(spark: SparkSession) -> Iterator[Court]:
    """All judges, and the tables that they are asked about."""
    session, env = spark.newSession(), vs.TableEnvironment()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.shuffle.partitions", "3")
    session.conf.set("spark.sql.files.openCostInBytes", str(1 << 30))
    session.conf.set("spark.sql.files.maxPartitionBytes", str(1 << 30))
    for name, schema in TABLES.items():
        session.sql(f"DROP TABLE IF EXISTS {name}")
        session.sql(f"CREATE TABLE {name} ({schema}) USING parquet")
        for rows in ROWS[name]:
            session.sql(f"INSERT INTO {name} VALUES {rows}")
        env.create_table(name, schema)
    assert session.table("n").rdd.getNumPartitions() == len(ROWS["n"])
    yield Court(session, env)
    for name in TABLES:
        session.sql(f"DROP TABLE {name}")
