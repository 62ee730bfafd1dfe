"""The syrupy extension that keeps SQL snapshots in files to read, run and review."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category

import pytest
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.exceptions import TaintedSnapshotError
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.terminal import context_style, received_style, snapshot_style

from viewscribe.catalog_store.whole_files import write_whole
from viewscribe.errors import ValidationError, ViewscribeError, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.location import PyTestLocation
    from syrupy.types import SerializedData, SnapshotIndex


# The marker, the first line of a snapshot file: its name and the test that wrote it.
#
# Other tools, such as dbt, also keep SQL under ``snapshots/``. A file is ours only if it has a
# marker, and it is removed only if this test run can tell that it is no longer needed.

_LINE = re.compile(r"-- Snapshot (?P<name>.+) of (?P<test>.+), written by viewscribe\n?")
_COMPARED = pytest.StashKey[set[str]]()
_UNFINISHED = pytest.StashKey[set[str]]()


@dataclass(frozen=True)
class Marker:
    """The snapshot that a file holds, and the test that wrote it.

    Attributes:
        name: the path of the file below ``snapshots/``, without its extension.
        module: the file of the test, relative to the root that ``snapshots/`` lies in.
        function: the test in it, without its parameters.
    """

    name: str
    module: str
    function: str

    def __str__(self) -> str:
        return f"-- Snapshot {self.name} of {self.module}::{self.function}, written by viewscribe\n"

    @staticmethod
    def of(text: str) -> Marker | None:
        """Parses the first line of a file; None if it is not a marker."""
        found = _LINE.fullmatch(text.partition("\n")[0])
        if found is None:
            return None
        module, _, function = found["test"].partition("::")
        return Marker(found["name"], module, function)


def split_marker(text: str) -> tuple[Marker | None, str]:
    """Splits the text of a file into its marker and the SQL below it."""
    marker = Marker.of(text)
    return marker, text.partition("\n")[2] if marker else text


def read_marker(path: Path, root: Path) -> Marker | None:
    """Reads the marker of a file below ``root``; None if the file is not ours.

    A copy of a snapshot under another name is not ours either.
    """
    try:
        with path.open(encoding="utf-8") as file:
            marker = Marker.of(file.readline(10_000))
    except (OSError, UnicodeError):
        return None
    return marker if marker and marker.name == snapshot_name(path, root) else None


def snapshot_name(path: Path, root: Path) -> str:
    """Returns the snapshot name of a file below ``snapshots/``."""
    return path.relative_to(root).with_suffix("").as_posix()


def function_of(item: pytest.Item) -> str:
    """Returns the test within its file, without parameters: ``TestYoung::test_named``."""
    return item.nodeid.partition("::")[2].partition("[")[0]


def note_comparison(location: PyTestLocation) -> None:
    """Records that a test got as far as comparing with a snapshot."""
    location.item.session.stash.setdefault(_COMPARED, set()).add(location.nodeid)


def note_outcome(item: pytest.Item, report: pytest.TestReport) -> None:
    """Records a test that did not come to its end, and so may not have come to all its files."""
    if not report.passed:
        item.session.stash.setdefault(_UNFINISHED, set()).add(item.nodeid)


def is_of_another_test(marker: Marker, location: PyTestLocation, root: Path) -> bool:
    """Returns whether a marker names a test of another module, and that test is still there."""
    module = root / marker.module
    name = marker.function.rpartition("::")[2]
    if module == Path(location.filepath):
        return False
    try:
        text = module.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"\bdef {re.escape(name)}\b", text) is not None


def may_be_unused(marker: Marker, root: Path, location: PyTestLocation) -> bool:
    """Returns whether this test run can tell that a file is no longer needed.

    It can if the test is gone, or ran to its end with all its parameters. A test that failed, was
    skipped, deselected, ignored or not collected keeps its files.
    """
    module = root / marker.module
    if not module.is_file():
        return True
    session = getattr(location.item, "session", None)
    if session is None or session.config.getoption("keyword", None):
        return False
    collected = [item for item in session.items if item.path == module]
    if not collected:
        return False
    compared: set[str] = session.stash.get(_COMPARED, set())
    unfinished: set[str] = session.stash.get(_UNFINISHED, set())
    of_test = [item.nodeid for item in collected if function_of(item) == marker.function]
    if of_test:
        return (compared - unfinished).issuperset(of_test)
    return not _has_function(collected[0], marker.function)


def _has_function(item: pytest.Item, function: str) -> bool:
    """Returns whether the test module still has a function, even if it is deselected."""
    found = getattr(item, "module", None)
    for part in function.split("::"):
        found = getattr(found, part, None)
    return found is not None


# Names of snapshot files that Linux, macOS and Windows keep apart.
#
# A name stays as it is where every system takes it. Otherwise what is left of it gets a mark, by
# which it differs from every other name: ``a/b`` and ``ab`` are two files, and so are two
# parameters ``DE`` and ``de``.

_FORBIDDEN = frozenset('\\/?*:|"<>')
_RESERVED = frozenset(
    (
        *("con", "prn", "aux", "nul", "conin$", "conout$", "clock$"),
        *(f"{device}{number}" for device in ("com", "lpt") for number in "0123456789¹²³"),
    )
)
_MOST_BYTES = 240
_NAMES = pytest.StashKey[Counter[str]]()


def file_name(text: str, *, clashes: bool = False) -> str:
    """Returns the name of a file or directory for a part of the name of a snapshot.

    Args:
        text: the part.
        clashes: whether another one differs from it in the case of letters alone.
    """
    name = "".join(each for each in text if each not in _FORBIDDEN and category(each)[0] != "C")
    name = name.rstrip(". ")
    if name.partition(".")[0].rstrip().casefold() in _RESERVED:
        name = f"_{name}"
    if len(name.encode()) > _MOST_BYTES:
        name = name.encode()[: _MOST_BYTES - 10].decode(errors="ignore")
    if name == text and not clashes:
        return name
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{name}~{mark}"


def note_names(
    collector: pytest.Collector, found: Sequence[pytest.Item | pytest.Collector]
) -> None:
    """Records the names in a module or class, those of tests that will not run included."""
    collector.stash[_NAMES] = Counter(each.name.casefold() for each in found)


def differs_in_case(item: pytest.Item) -> bool:
    """Whether another test has the name of this one in small letters, or both have large ones.

    The one in small letters keeps its name.
    """
    for node in item.listchain():
        names = node.parent.stash.get(_NAMES, None) if node.parent is not None else None
        folded = node.name.casefold()
        if names is not None and names[folded] > 1 and node.name != folded:
            return True
    return False


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
