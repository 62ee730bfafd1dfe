"""The tests of a room and of the rooms that stand on it, by the layers of ``pyproject.toml``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).parent

BY_THEMSELVES = (
    *(
        f"tests/catalog_store/{name}.py"
        for name in (
            "test_crashes",
            "test_files",
            "test_foreign",
            "test_model",
            "test_names",
            "test_races",
            "test_regular_yaml",
            "test_sql",
            "test_yaml",
        )
    ),
    *(f"tests/cli/{name}.py" for name in ("test_app", "test_migration_processes", "test_progress")),
    "tests/environments/test_names.py",
    "tests/environments/migration/test_applying.py",
    "tests/snapshots/test_extension.py",
)
"""Tests of files, locks, processes and terminals, in which no room below has a part."""


def layers() -> list[str]:
    """The rooms, from the top down."""
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    return [name.strip("()") for name in contracts[0]["layers"]]


def arguments(what: str) -> list[str]:
    """The folders of a room's tests and of those above it, and what is left out; a path is itself.

    Raises:
        SystemExit: it is neither a room nor a path.
    """
    rooms = layers()
    if what in rooms:
        above = rooms[: rooms.index(what) + 1]
        folders = [f"tests/{room}" for room in reversed(above) if (TESTS / room).is_dir()]
        others = tuple(f"{folder}/" for folder in folders if folder != f"tests/{what}")
        return folders + [f"--ignore={each}" for each in BY_THEMSELVES if each.startswith(others)]
    if Path(what.partition("::")[0]).exists():
        return [what]
    raise SystemExit(f"{what} is neither a path nor a room; the rooms are {', '.join(rooms)}")


def main() -> None:
    """Prints what to give pytest for the rooms and paths of the command line."""
    print(*dict.fromkeys(each for what in sys.argv[1:] for each in arguments(what)))


if __name__ == "__main__":
    main()
