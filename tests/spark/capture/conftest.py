"""The tables of the world, with one of nasty names, and Connect without a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def connect_mode(session: Any) -> Iterator[None]:
    """``pyspark.sql.functions`` are Connect's, and the session is the active one."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    before = os.environ.get("SPARK_CONNECT_MODE_ENABLED")
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    ConnectSession._set_default_and_active_session(session)
    try:
        yield
    finally:
        ConnectSession._default_session = None
        ConnectSession._active_session.session = None
        if before is None:
            del os.environ["SPARK_CONNECT_MODE_ENABLED"]
        else:
            os.environ["SPARK_CONNECT_MODE_ENABLED"] = before


@pytest.fixture
def recorded(offline: OfflineSession) -> Callable[[Callable[[Any], Any]], Any]:
    """Calls a pipeline with the offline session."""

    def call(pipeline: Callable[[Any], Any]) -> Any:
        with connect_mode(offline):
            return pipeline(offline)

    return call


@pytest.fixture
def session() -> Iterator[Any]:
    """A session that nobody can ask anything, active for the whole test."""
    from tests.spark.capture.planner import OfflineSession

    session = OfflineSession()
    with connect_mode(session):
        yield session
