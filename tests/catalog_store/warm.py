"""Loads what a first write loads, in the process that writers are forked from."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec

import viewscribe.catalog_store.sql  # noqa: F401
from tests.catalog_store.samples import database, view
from viewscribe.catalog_store import FileCatalog

if find_spec("psycopg"):
    import sqlalchemy.dialects.postgresql.psycopg  # noqa: F401

with tempfile.TemporaryDirectory() as place:
    catalog = FileCatalog(place)
    catalog.create_database(database())
    catalog.replace(view(comment="1"), expected=catalog.create(view()))
