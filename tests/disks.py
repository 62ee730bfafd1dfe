"""Disks that never make anybody wait: no test cuts the power.

What a process has written is there for all others even if it is killed.
"""

from __future__ import annotations

import os
from typing import Any

import pytest


def files_never_wait(patch: pytest.MonkeyPatch) -> None:
    """Leaves out what brings files to the disk."""
    patch.setattr(os, "fsync", lambda _: None)


def databases_never_wait(patch: pytest.MonkeyPatch) -> None:
    """The same for SQLite. PostgreSQL is started so."""
    from viewscribe.catalog_store.stores.sql import catalog

    real = catalog._prepare_sqlite

    def prepare(connection: Any, record: Any) -> None:
        real(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    patch.setattr(catalog, "_prepare_sqlite", prepare)
