"""Folders of ``.sql`` files: checked without Spark, and made views of a catalog."""

from __future__ import annotations

from viewscribe.table_api.sql_files.files import text_of
from viewscribe.table_api.sql_files.findings import SqlFinding
from viewscribe.table_api.sql_files.folder import SqlFolder
from viewscribe.table_api.sql_files.storage import store_folder

__all__ = ["SqlFinding", "SqlFolder", "store_folder", "text_of"]
