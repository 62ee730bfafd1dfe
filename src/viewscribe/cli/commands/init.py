"""``viewscribe init``: the first files of a project."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from viewscribe.cli.command import DONE, command
from viewscribe.cli.output.pages import Block, Cell, Grid, Page, Paragraph
from viewscribe.cli.progress import Terminal
from viewscribe.cli.starter import FILES
from viewscribe.errors import ViewscribeError


@command("init")
@click.argument("folder", required=False, default=".", type=click.Path(file_okay=False))
def init(terminal: Terminal, folder: str) -> int:
    """Begin a project in FOLDER, by default here: settings, a first view and its tests.

    Files that are there already are left as they are.
    """
    root = Path(folder)
    rows, data = [], []
    for name, text in FILES.items():
        written = _write(root, name, text)
        told = Cell("written", "good") if written else Cell("left as it is", "warning")
        rows.append((Cell(str(root / name), "name"), told))
        data.append({"path": str(root / name), "written": written})
    steps = ["python pipelines.py", "viewscribe sql dev shop.top_customers"]
    steps += ["pytest --snapshot-update", "pytest"]
    if folder != ".":
        steps.insert(0, shlex.join(["cd", folder]))
    blocks: list[Block] = [
        Grid(("file", ""), rows),
        Paragraph("\n".join(["Next:", *(f"  {step}" for step in steps)])),
    ]
    terminal.output.show(Page({"files": data, "next": steps}, blocks))
    return DONE


def _write(root: Path, name: str, text: str) -> bool:
    """Writes a file unless it is there."""
    from viewscribe.catalog_store.whole_files import Folder

    try:
        if os.path.lexists(root / name):
            return False
        root.mkdir(parents=True, exist_ok=True)
        Folder(root).write(name, text.encode())
    except OSError as error:
        raise ViewscribeError(f"{root / name} cannot be written: {error.strerror}") from None
    return True
