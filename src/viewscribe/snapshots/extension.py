"""The syrupy extension that keeps SQL in files one can read, run and review."""

from __future__ import annotations

import difflib
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.terminal import context_style, received_style, snapshot_style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.location import PyTestLocation
    from syrupy.types import SerializedData, SnapshotIndex

_ROOT_MARKS = ("pyproject.toml", "pytest.ini", "setup.cfg", ".git")


class SqlSnapshotExtension(SingleFileSnapshotExtension):
    """One ``.sql`` file a snapshot, under ``snapshots/`` at the root of the repository.

    ``table == snapshot(name="sales/young")`` compares with ``snapshots/sales/young.sql``; without
    a name the file is ``snapshots/<module>/<test>.sql``. What is compared is SQL text, or anything
    with ``to_sql()``, such as a ``Table``.
    """

    snapshot_dirname = "snapshots"
    file_extension = "sql"
    _write_mode = WriteMode.TEXT
    _location = "approved"

    def serialize(self, data: Any, **filters: Any) -> SerializedData:
        """Return the SQL with one newline at its end."""
        text = data if isinstance(data, str) else data.to_sql()
        return text.rstrip("\n") + "\n"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        test = Path(test_location.filepath)
        marked = (
            parent
            for parent in test.parents
            if any((parent / mark).exists() for mark in _ROOT_MARKS)
        )
        return str(next(marked, test.parent) / cls.snapshot_dirname)

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        return cls.dirname(test_location=test_location)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """Return the path of the snapshot below ``snapshots/``, without its extension."""
        if isinstance(index, str):
            parts = index.split("/")
        else:
            suffix = f".{index}" if index else ""
            parts = [
                test_location.basename.removeprefix("test_"),
                test_location.snapshot_name.removeprefix("test_") + suffix,
            ]
        return "/".join(cls._sanitize_filename(part) for part in parts if part.strip("."))

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        root = cls.dirname(test_location=test_location)
        return Path(snapshot_location).is_relative_to(root)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        root = Path(self.dirname(test_location=test_location))
        found = SnapshotCollections()
        for path in sorted(root.rglob(f"*.{self.file_extension}")):
            collection = SnapshotCollection(location=str(path))
            collection.add(Snapshot(name=path.relative_to(root).with_suffix("").as_posix()))
            found.add(collection)
        return found

    def read_snapshot_data_from_location(self, **where: Any) -> SerializedData | None:
        self._location = where["snapshot_location"]
        return super().read_snapshot_data_from_location(**where)

    @classmethod
    def write_snapshot(cls, **what: Any) -> None:
        with warnings.catch_warnings():
            # syrupy expects names to start with the test's; ours are paths.
            warnings.filterwarnings("ignore", message=r"\s*Can not relate snapshot name")
            super().write_snapshot(**what)

    def diff_lines(
        self, serialized_data: SerializedData, snapshot_data: SerializedData
    ) -> Iterator[str]:
        """Yield a unified diff from the approved file to the SQL received."""
        approved, received = str(snapshot_data), str(serialized_data)
        diff = difflib.unified_diff(
            approved.splitlines(),
            received.splitlines(),
            fromfile=os.path.relpath(self._location),
            tofile="received",
            lineterm="",
        )
        for line in diff:
            style = {"-": snapshot_style, "+": received_style}.get(line[0], context_style)
            yield style(line)
