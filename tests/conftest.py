"""Shared by all tests: one Spark session a process, what needs it, and how hypothesis behaves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.active_session import pytest_runtest_setup, share
from tests.arguments import pytest_configure
from tests.disks import files_never_wait
from tests.fuzzing import FEW, MANY, pytest_runtest_teardown, pytest_sessionfinish, shuffle
from tests.garbage import pytest_collection
from tests.local_spark import prepare_environment, spark_session
from tests.slowest import note_reason, pytest_terminal_summary
from viewscribe import secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = [
    "pytest_collection",
    "pytest_configure",
    "pytest_runtest_setup",
    "pytest_runtest_teardown",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

# The suite draws the same few examples every time; `make fuzz` looks for new ones.
settings.register_profile(
    "suite", max_examples=FEW, deadline=None, derandomize=True, print_blob=True
)
settings.register_profile("fuzz", max_examples=MANY * FEW, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

prepare_environment()

pytest_plugins = ["tests.catalogs"]

SESSIONS = {"spark", "connected", "remote"}
"""Fixtures that are a session, where a test asks for the one that its parameter names."""

SERVERS = {"metastore", "hive", "postgresql"}
"""Fixtures, and parameters of tests, that stand for a running server."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark or a server, and run what needs neither first: it answers in seconds.

    A test that starts a Java of its own, in a process of its own, says so: ``@pytest.mark.spark``.
    """
    for item in items:
        note_reason(item)
        fixtures = set(getattr(item, "fixturenames", ()))
        if "spark" in fixtures or ("request" in fixtures and SESSIONS & _named(item)):
            item.add_marker("spark")
        if SERVERS & (fixtures | _named(item)):
            item.add_marker("server")
    items.sort(key=lambda item: any(map(item.get_closest_marker, ("spark", "server"))))
    shuffle(items)


def _named(item: pytest.Item) -> set[str]:
    """The names among the parameters of a test."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    return {each for each in parameters if isinstance(each, str)}


@pytest.fixture(scope="session", autouse=True)
def _disks_that_never_wait() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        files_never_wait(patch)
        yield


@pytest.fixture(autouse=True)
def _no_secret_is_known_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test has for a password may be a word in another one."""
    monkeypatch.setattr("viewscribe.secrets._seen", secrets._Seen())


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start the one local session of the process, on first use."""
    session = spark_session(tmp_path_factory.mktemp("warehouse"))
    share(session)
    yield session
    share(None)
    session.stop()
