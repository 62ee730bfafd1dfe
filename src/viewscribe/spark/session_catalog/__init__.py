"""A running Spark session as a catalog: whatever catalogs it knows, spoken to in SQL alone."""

from __future__ import annotations

from viewscribe.spark.session_catalog.catalog import SessionCatalog
from viewscribe.spark.session_catalog.names import SESSION_CATALOG
from viewscribe.spark.session_catalog.session_url import (
    catalog_of_session,
    full_name,
    open_session_catalog,
)

__all__ = [
    "SESSION_CATALOG",
    "SessionCatalog",
    "catalog_of_session",
    "full_name",
    "open_session_catalog",
]
