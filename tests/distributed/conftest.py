"""Spark's servers as people run them, started once a run; their workers have no viewscribe."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.metastore import metastore
from tests.servers.spark_servers import connect_server
from tests.spark.capture.conftest import ODD
from tests.spark.conftest import ROWS, TABLES

SENT = Path(__file__).parent / "sent"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("server")


@pytest.fixture(scope="session", autouse=True)
def functions() -> Iterator[Any]:
    """The functions of a user, in a module of their own."""
    sys.path.insert(0, str(SENT))
    yield importlib.import_module("flow_functions")
    sys.path.remove(str(SENT))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The settings of Sparks that share a metastore and a place for tables, and nothing else."""
    place = tmp_path_factory.mktemp("tables")
    with metastore({"hive.metastore.warehouse.dir": place.as_uri()}) as running:
        yield {
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.hive.metastore.uris": f"thrift://127.0.0.1:{running.port}",
            "spark.sql.warehouse.dir": place.as_uri(),
        }


@pytest.fixture(scope="session")
def url(shared: dict[str, str]) -> Iterator[str]:
    """A Connect server."""
    with connect_server(shared) as found:
        yield found


@pytest.fixture
def remote(url: str) -> Iterator[Any]:
    """A new session of the Connect server."""
    from viewscribe.spark.remote import remote_session

    with remote_session(url) as session:
        yield session


def make_world(session: Any) -> None:
    """The tables that the pipelines of captures read."""
    session.sql("CREATE DATABASE IF NOT EXISTS world")
    for name, schema in TABLES.items():
        session.sql(f"CREATE TABLE IF NOT EXISTS world.{name} ({schema}) USING parquet")
        session.sql(f"INSERT OVERWRITE world.{name} VALUES {ROWS[name]}")
    session.sql(f"CREATE TABLE IF NOT EXISTS world.odd ({ODD}) USING parquet")
    session.sql(
        "INSERT OVERWRITE world.odd VALUES (1, 'p', 2, 'q', 1.5D), (NULL, '', 0, NULL, NULL)"
    )


def python_with_everything(place: Path) -> Path:
    """An interpreter that finds what this process finds: viewscribe, and the user's functions."""
    found = place / "python"
    path = os.pathsep.join([str(SENT), *filter(None, sys.path)])
    found.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{path}" exec "{sys.executable}" "$@"\n')
    found.chmod(0o755)
    return found
