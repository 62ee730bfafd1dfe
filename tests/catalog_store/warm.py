"""Loads what a first write and a first command load, for processes forked from this one."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from typing import cast

import pytest

import viewscribe.cli.app
import viewscribe.cli.commands.apply  # noqa: F401
from tests.catalog_store.samples import database, view
from tests.disks import databases_never_wait, files_never_wait
from viewscribe.catalog_store import FileCatalog, check, open_catalog
from viewscribe.catalog_store.stores.sql import SqlCatalog

if find_spec("psycopg"):
    import sqlalchemy.dialects.postgresql.psycopg  # noqa: F401

for never_wait in (files_never_wait, databases_never_wait):
    never_wait(pytest.MonkeyPatch())

with tempfile.TemporaryDirectory() as place:
    stored = cast(SqlCatalog, open_catalog(f"sqlite:{place}/views.db"))
    for catalog in (FileCatalog(f"{place}/views"), stored):
        catalog.create_database(database())
        catalog.replace(view(comment="1"), expected=catalog.create(view()))
        check(catalog)
    stored._engine.dispose()
