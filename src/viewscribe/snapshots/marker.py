"""The first line of an approved file: which snapshot it is and which test wrote it.

Other tools keep SQL under ``snapshots/``, too (dbt does). A file is ours only when its first line
says so, and it may go only when this run of the tests could tell that nothing needs it any more.
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


@dataclass(frozen=True)
class Marker:
    """Which snapshot a file holds, and the test that wrote it.

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
        """The marker in the first line of a file; None where another hand wrote it."""
        found = _LINE.fullmatch(text.partition("\n")[0])
        if found is None:
            return None
        module, _, function = found["test"].partition("::")
        return Marker(found["name"], module, function)


def split_marker(text: str) -> tuple[Marker | None, str]:
    """The marker of a file and the text below it."""
    marker = Marker.of(text)
    return marker, text.partition("\n")[2] if marker else text


def read_marker(path: Path, root: Path) -> Marker | None:
    """The marker of a file below ``root``; None where it is not ours, whatever it is instead.

    The copy of a snapshot under another name is not ours either.
    """
    try:
        with path.open(encoding="utf-8") as file:
            marker = Marker.of(file.readline(10_000))
    except (OSError, UnicodeError):
        return None
    return marker if marker and marker.name == snapshot_name(path, root) else None


def snapshot_name(path: Path, root: Path) -> str:
    """The name of the snapshot that a file below ``snapshots/`` holds."""
    return path.relative_to(root).with_suffix("").as_posix()


def function_of(item: pytest.Item) -> str:
    """The test in its file, without its parameters: ``TestYoung::test_named``."""
    return item.nodeid.partition("::")[2].partition("[")[0]


def note_comparison(location: PyTestLocation) -> None:
    """Keep in mind that a test came as far as comparing with a snapshot."""
    location.item.session.stash.setdefault(_COMPARED, set()).add(location.nodeid)


def may_be_unused(marker: Marker, root: Path, location: PyTestLocation) -> bool:
    """Whether this run can tell if a file is still needed.

    It can when the test is gone, or when it ran in all its parameters. A test that was skipped,
    deselected, ignored or not collected keeps its files.
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
    of_test = [item.nodeid for item in collected if function_of(item) == marker.function]
    if of_test:
        return compared.issuperset(of_test)
    return not _has_function(collected[0], marker.function)


def _has_function(item: pytest.Item, function: str) -> bool:
    """Whether the module of a test still has a function, be it deselected in this run."""
    found = getattr(item, "module", None)
    for part in function.split("::"):
        found = getattr(found, part, None)
    return found is not None
