"""The order in which pytest collects the files of its command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Orders what is to be collected, so that no test loses the fixtures of its ``conftest.py``.

    pytest 9.1 forgets those of a directory when a file of one of its parents comes in between:
    pytest-dev/pytest#14971. Tests then end in errors, or miss a fixture that they do not name.
    """
    config.args.sort(key=_files_first)


def _files_first(argument: str) -> list[tuple[bool, str]]:
    """Sorts a directory's own files before the directories in it."""
    path = Path(argument.partition("::")[0]).absolute()
    return [(True, part) for part in path.parts[:-1]] + [(not path.is_file(), path.name)]
