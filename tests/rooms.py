"""The tests of a room and of the rooms that stand on it, by the layers of ``pyproject.toml``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).parent


def layers() -> list[str]:
    """The rooms, from the top down."""
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    return [name.strip("()") for name in contracts[0]["layers"]]


def folders(what: str) -> list[str]:
    """The folders of a room's tests and of those above it; a path is itself.

    Raises:
        SystemExit: it is neither a room nor a path.
    """
    rooms = layers()
    if what in rooms:
        above = rooms[: rooms.index(what) + 1]
        return [f"tests/{room}" for room in reversed(above) if (TESTS / room).is_dir()]
    if Path(what.partition("::")[0]).exists():
        return [what]
    raise SystemExit(f"{what} is neither a path nor a room; the rooms are {', '.join(rooms)}")


def main() -> None:
    """Prints what to give pytest for the rooms and paths of the command line."""
    print(*dict.fromkeys(folder for what in sys.argv[1:] for folder in folders(what)))


if __name__ == "__main__":
    main()
