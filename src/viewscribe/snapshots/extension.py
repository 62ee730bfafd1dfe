"""The syrupy extension that keeps SQL snapshots in files to read, run and review."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.exceptions import TaintedSnapshotError
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.terminal import context_style, received_style, snapshot_style

from viewscribe.catalog_store.whole_files import write_whole
from viewscribe.errors import ValidationError, ViewscribeError, printable
from viewscribe.snapshots.file_names import differs_in_case, file_name
from viewscribe.snapshots.marker import (
    Marker,
    function_of,
    is_of_another_test,
    may_be_unused,
    note_comparison,
    read_marker,
    snapshot_name,
    split_marker,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.location import PyTestLocation
    from syrupy.types import SerializedData, SnapshotIndex

_ROOT_MARKS = ("pyproject.toml", "pytest.ini", "setup.cfg", ".git")


class SqlSnapshotExtension(SingleFileSnapshotExtension):
    """Stores one ``.sql`` file per snapshot, under ``snapshots/`` at the repository root.

    ``table == snapshot(name="sales/young")`` compares with ``snapshots/sales/young.sql``; without
    a name the file is ``snapshots/<module>/<test>.sql``. The value is SQL text or anything with
    ``to_sql()``, such as a ``Table``.

    The first line of a file names the test that wrote it. Files without such a line belong to
    other tools: they are never reported or removed, and never overwritten.
    """

    snapshot_dirname = "snapshots"
    file_extension = "sql"
    _write_mode = WriteMode.TEXT
    _location = "approved"

    def serialize(self, data: Any, **filters: Any) -> SerializedData:
        """Returns the SQL with a single newline at its end."""
        text = data if isinstance(data, str) else data.to_sql()
        # Line ends are what git makes of them on the machine that the file is read on.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
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
        """Returns the path of the snapshot below ``snapshots/``, without its extension."""
        if isinstance(index, str):
            parts = [file_name(part) for part in index.split("/") if part.strip(".")]
            if not parts:
                raise ValidationError(
                    f"{index!r} names no snapshot", hint='write name="sales/young"'
                )
            return "/".join(parts)
        suffix = f".{index}" if index else ""
        module = file_name(test_location.basename.removeprefix("test_"))
        test = test_location.snapshot_name.removeprefix("test_") + suffix
        return f"{module}/{file_name(test, clashes=differs_in_case(test_location.item))}"

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        root = cls.dirname(test_location=test_location)
        return Path(snapshot_location).is_relative_to(root)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Returns our files whose use this test run can decide."""
        root = Path(self.dirname(test_location=test_location))
        found = SnapshotCollections()
        for path in sorted(root.rglob(f"*.{self.file_extension}")):
            marker = read_marker(path, root)
            if marker and may_be_unused(marker, root.parent, test_location):
                collection = SnapshotCollection(location=str(path))
                collection.add(Snapshot(name=marker.name))
                found.add(collection)
        return found

    def read_snapshot(
        self, *, test_location: PyTestLocation, index: SnapshotIndex, session_id: str
    ) -> SerializedData:
        """Returns the approved SQL, without the marker line above it.

        Raises:
            TaintedSnapshotError: the marker line is out of date and an update may rewrite it.
            TakenSnapshotError: another test or file has this name.
        """
        note_comparison(test_location)
        self._location = self.get_location(test_location=test_location, index=index)
        _refuse_twins(Path(self._location), Path(self.dirname(test_location=test_location)))
        text = super().read_snapshot(
            test_location=test_location, index=index, session_id=session_id
        )
        marker, sql = split_marker(str(text))
        root = Path(self.dirname(test_location=test_location))
        if marker and not isinstance(index, str):
            _refuse_taken(marker, test_location, root)
        updating = test_location.item.config.getoption("update_snapshots", False)
        if updating and not _is_up_to_date(marker, Path(self._location), root):
            raise TaintedSnapshotError(snapshot_data=sql)
        return sql

    @classmethod
    def write_snapshot(cls, *, snapshot_location: str, snapshots: Any, **options: Any) -> None:
        """Writes the SQL below its marker line.

        Raises:
            ForeignSnapshotError: the file belongs to another tool.
        """
        path = Path(snapshot_location)
        marked: list[tuple[SerializedData, PyTestLocation, SnapshotIndex]] = []
        for sql, location, index in snapshots:
            root = Path(cls.dirname(test_location=location))
            _refuse_foreign(path, root, str(sql))
            module = Path(os.path.relpath(location.filepath, root.parent)).as_posix()
            marker = Marker(snapshot_name(path, root), module, function_of(location.item))
            marked.append((f"{marker}{sql}", location, index))
        with warnings.catch_warnings():
            # syrupy expects snapshot names to start with the test name, but ours are paths.
            warnings.filterwarnings("ignore", message=r"\s*Can not relate snapshot name")
            super().write_snapshot(snapshot_location=snapshot_location, snapshots=marked, **options)

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, **options: Any
    ) -> None:
        """Writes the file of a snapshot as a whole; the tests can make it again."""
        (snapshot,) = snapshot_collection
        write_whole(snapshot_collection.location, str(snapshot.data).encode(), durable=False)

    def diff_lines(
        self, serialized_data: SerializedData, snapshot_data: SerializedData
    ) -> Iterator[str]:
        """Yields a unified diff from the approved file to the received SQL."""
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
            yield style(printable(line))  # what another tool stored could steer the terminal


class ForeignSnapshotError(ViewscribeError):
    """The snapshot file of a test already exists, and viewscribe did not write it."""


class TakenSnapshotError(ViewscribeError):
    """The file of a snapshot is that of another one, on this system or on others."""


def _refuse_taken(marker: Marker, location: PyTestLocation, root: Path) -> None:
    """Raises if two modules of one name, in two directories, have tests of one name."""
    if is_of_another_test(marker, location, root.parent):
        raise TakenSnapshotError(
            f"the snapshot {marker.name} is that of {marker.module}::{marker.function}: "
            'name this one, view_snapshot(name="…")'
        )


def _refuse_twins(path: Path, root: Path) -> None:
    """Raises if a file or directory has its name, or that of one it is in, in other letters."""
    while path != root and path.parent != path:
        names = _names_in(str(path.parent)).get(path.name.casefold(), ())
        other = next((each for each in names if each != path.name), None)
        if other is not None:
            raise TakenSnapshotError(
                f"{os.path.relpath(path)} and {other} are one file on Windows and macOS: "
                "name one of them otherwise"
            )
        path = path.parent


def _names_in(directory: str) -> Mapping[str, Sequence[str]]:
    """The names in a directory by what they are in small letters."""
    try:
        return _list_names(directory, os.stat(directory).st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=100)
def _list_names(directory: str, changed: int) -> Mapping[str, Sequence[str]]:
    """The same, listed once for each change of the directory."""
    found: dict[str, list[str]] = {}
    for name in os.listdir(directory):
        found.setdefault(name.casefold(), []).append(name)
    return found


def _is_up_to_date(marker: Marker | None, path: Path, root: Path) -> bool:
    """Returns whether a marker names its own file and a test that still exists."""
    if marker is None or marker.name != snapshot_name(path, root):
        return False
    return (root.parent / marker.module).is_file()


def _refuse_foreign(path: Path, root: Path, sql: str) -> None:
    """Raises if something else would be lost in a file without a marker, or behind a link."""
    if any(each.is_symlink() for each in (path, *path.parents) if root in each.parents):
        what = "is a link: remove it, or name this snapshot otherwise"
    elif path.exists() and _is_foreign(path.read_text(encoding="utf-8", errors="replace"), sql):
        what = "was not written by viewscribe: remove it, or name this snapshot otherwise"
    else:
        return
    # syrupy shows the last line of an error first, and often only that.
    raise ForeignSnapshotError(f"{os.path.relpath(path)} {what}")


def _is_foreign(text: str, sql: str) -> bool:
    return Marker.of(text) is None and text.strip() != sql.strip()
