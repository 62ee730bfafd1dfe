"""The session's catalog promises what every catalog promises; and does what a memory one does."""

from __future__ import annotations

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.catalog_store.test_catalogs import *  # noqa: F403
from tests.catalog_store.test_model import hive_databases, like_memory
from tests.catalog_store.test_versions import *  # noqa: F403
from tests.spark.session_catalog.conftest import OwnDatabases, wipe

from hypothesis import strategies as st  # isort: skip

names = st.sampled_from(["a", "A", "b_1", "select"])


def test_it_does_whatever_memory_does(spark, others):
    class SessionLikeMemory(like_memory(hive_databases, names)):  # type: ignore[misc]
        def open_new(self):
            wipe(spark, others)
            return OwnDatabases(spark, others)

        def open_again(self):
            return OwnDatabases(spark, others)

    try:
        run_state_machine_as_test(
            SessionLikeMemory,
            settings=settings(max_examples=4, stateful_step_count=15, deadline=None),
        )
    finally:
        wipe(spark, others)
