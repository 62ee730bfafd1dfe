"""Folders of ``.sql`` files: checked without Spark, and made views of a catalog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from viewscribe.table_api.sql_files.folder import SqlFinding, SqlFolder, text_of
from viewscribe.table_api.sql_files.storage import store_folder

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

__all__ = ["SqlFinding", "SqlFolder", "open_folder", "store_folder", "text_of"]


def open_folder(env: TableEnvironment, place: Path, dialect: str | None = None) -> SqlFolder:
    """Returns a folder of files of SQL, or one that dbt compiled, before it is read."""
    from viewscribe.table_api.sql_files.dbt import DbtFolder, is_dbt

    return (DbtFolder if is_dbt(place) else SqlFolder)(env, place, dialect)
