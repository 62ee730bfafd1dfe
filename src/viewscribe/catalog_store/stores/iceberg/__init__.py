"""Views as Iceberg view metadata and back, with their whole history."""

from __future__ import annotations

from viewscribe.catalog_store.stores.iceberg.types import (
    ImportedVersion,
    export_view,
    import_view,
    store_view,
)

__all__ = ["ImportedVersion", "export_view", "import_view", "store_view"]
