"""A running Spark session as a catalog: whatever catalogs it knows, spoken to in SQL alone."""

from __future__ import annotations

from viewscribe.spark.session_catalog.catalog import (
    SessionCatalog,
    catalog_of_session,
    full_name,
    open_session_catalog,
)
from viewscribe.spark.session_catalog.states import SESSION_CATALOG

__all__ = [
    "SESSION_CATALOG",
    "SessionCatalog",
    "catalog_of_session",
    "full_name",
    "open_session_catalog",
]
