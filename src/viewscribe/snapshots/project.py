"""Where the project is whose tests run: relative catalogs start there."""

from __future__ import annotations

from pathlib import Path

_ROOTS: list[Path] = []


def enter_project(root: Path) -> None:
    """Records pytest's rootdir; a run within a run has its own."""
    _ROOTS.append(root)


def leave_project() -> None:
    """Forgets the rootdir of a run that is over."""
    if _ROOTS:
        _ROOTS.pop()


def project_root() -> Path:
    """Returns pytest's rootdir, or the working directory outside of pytest."""
    return _ROOTS[-1] if _ROOTS else Path.cwd()
