"""The tables of the world, with one of nasty names, and Connect without a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

ODD = "`a b` INT, `x.y` STRING, `select` INT, `Ü` STRING, `back``tick` DOUBLE"


@pytest.fixture(scope="session")
def world(spark: SparkSession, env: vs.TableEnvironment) -> vs.TableEnvironment:
    """The tables that pipelines read."""
    spark.sql("DROP TABLE IF EXISTS world.odd")
    spark.sql(f"CREATE TABLE world.odd ({ODD}) USING parquet")
    spark.sql("INSERT INTO world.odd VALUES (1, 'p', 2, 'q', 1.5D), (NULL, '', 0, NULL, NULL)")
    env.create_table("odd", ODD)
    return env


@pytest.fixture(scope="session")
def planner(spark: SparkSession) -> Planner:
    """The planner that a Connect server uses."""
    from tests.spark.capture.planner import Planner

    return Planner(spark)


@pytest.fixture(scope="session")
def offline(planner: Planner) -> OfflineSession:
    """A Connect session without a server."""
    from tests.spark.capture.planner import OfflineSession

    return OfflineSession(planner)


@pytest.fixture
def recorded(offline: OfflineSession) -> Iterator[Callable[[Callable[[Any], Any]], Any]]:
    """Calls a pipeline with the offline session, ``pyspark.sql.functions`` being Connect's."""
    before = os.environ.get("SPARK_CONNECT_MODE_ENABLED")
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    try:
        yield lambda pipeline: pipeline(offline)
    finally:
        if before is None:
            del os.environ["SPARK_CONNECT_MODE_ENABLED"]
        else:
            os.environ["SPARK_CONNECT_MODE_ENABLED"] = before
