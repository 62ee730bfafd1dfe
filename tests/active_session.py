"""Each test finds the session of the process active, whatever the one before left behind.

Spark's parser and its nodes read the settings of the session that is active on their thread, and
``createDataFrame`` of another session makes that one active.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHARED: list[SparkSession] = []


def share(session: SparkSession | None) -> None:
    """Says which session the tests share from now on; None where it has stopped."""
    _SHARED[:] = [session] if session else []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture of a test of Spark."""
    if _SHARED and item.get_closest_marker("spark"):
        make_active(_SHARED[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fails a test that starts Spark and has no mark for it, by which others are left out."""
    had = bool(_SHARED)
    yield
    if _SHARED and not had and item.get_closest_marker("spark") is None:
        pytest.fail("it starts Spark: ask for the fixture, or say @pytest.mark.spark")


def make_active(session: SparkSession) -> None:
    """Makes the session the active one of this thread, in Python and in the JVM."""
    classic: Any = session
    type(session)._activeSession = session
    classic._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(classic._jsparkSession)
