"""Views in the form of other tools: dbt, SQLMesh, Spark's pipelines, SQL scripts, OpenLineage,
DataHub."""

from __future__ import annotations

from viewscribe.export.exporting import export_catalog
from viewscribe.export.folder import ExportRefusedError, ForeignFilesError, Written
from viewscribe.export.model import Refusal
from viewscribe.export.targets import TARGETS

__all__ = [
    "TARGETS",
    "ExportRefusedError",
    "ForeignFilesError",
    "Refusal",
    "Written",
    "export_catalog",
]
