"""Shared fixtures: one Spark session for the whole run, and how hypothesis behaves."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

# The suite draws the same examples every time; `make fuzz` looks for new ones.
settings.register_profile("suite", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that need no Spark first, they answer in seconds, or beside those that do.

    Where several processes share the tests, one of them has all that need Spark.
    """
    items.sort(key=_needs_spark)
    for item in filter(_needs_spark, items):
        item.add_marker(pytest.mark.xdist_group("spark"))


def _needs_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


def spark_session(warehouse: Path) -> SparkSession:
    """The one local session of a process."""
    # Workers must run this interpreter, and the driver needs no resolvable host name.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .appName("viewscribe-tests")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.default.parallelism", "2")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", warehouse.as_uri())
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start the one local session of the run, on first use."""
    session = spark_session(tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()
