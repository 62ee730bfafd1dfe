"""The marker, the first line of a snapshot file: its name and the test that wrote it.

Other tools, such as dbt, also keep SQL under ``snapshots/``. A file is ours only if it has a
marker, and it is removed only if this test run can tell that it is no longer needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from syrupy.location import PyTestLocation

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
