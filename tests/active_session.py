"""Each test finds the session of the process active, whatever the one before left behind.

Spark's parser and its nodes read the settings of the session that is active on their thread, and
``createDataFrame`` of another session makes that one active.
"""

from __future__ import annotations

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
        make_active(_odd())


def make_active(session: SparkSession) -> None:
    """Makes the session the active one of this thread, in Python and in the JVM."""
    classic: Any = session
    type(session)._activeSession = session
    classic._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(classic._jsparkSession)


_ODD = []


def _odd():
    if not _ODD:
        made = _SHARED[0].newSession()
        for k, v in {
            "ansi.enabled": "false", "session.timeZone": "Asia/Tokyo", "caseSensitive": "true",
            "decimalOperations.allowPrecisionLoss": "false", "timestampType": "TIMESTAMP_NTZ",
            "legacy.sizeOfNull": "false", "mapKeyDedupPolicy": "LAST_WIN", "storeAssignmentPolicy": "LEGACY",
            "legacy.timeParserPolicy": "LEGACY",
        }.items():
            made.conf.set("spark.sql." + k, v)
        _ODD.append(made)
    return _ODD[0]
