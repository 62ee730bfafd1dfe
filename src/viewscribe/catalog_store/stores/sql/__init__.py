"""A catalog in a SQL database: SQLite in a file, or PostgreSQL, through SQLAlchemy."""

from __future__ import annotations

from viewscribe.catalog_store.stores.sql.catalog import SqlCatalog, open_sql

__all__ = ["SqlCatalog", "open_sql"]
