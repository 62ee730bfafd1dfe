"""The pictures of README.md and the documentation, made anew: ``make pictures``.

The recording of a terminal is a real run of commands over the catalog of ``examples/shop_project``,
with a few rows for Spark to compare. The page is one of the site of that catalog, as Chromium shows
it.
"""

from __future__ import annotations

import os
import pty
import re
import runpy
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from fcntl import ioctl
from io import StringIO
from pathlib import Path
from termios import TIOCSWINSZ

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from viewscribe.spark.local import local_session

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "examples" / "shop_project"
PICTURES = ROOT / "docs" / "pictures"

COMMANDS = (
    "viewscribe list ./views",
    "viewscribe sql ./views sales.customer_revenue --style pipe",
    "viewscribe lineage ./views sales.order_totals.total",
    "viewscribe verify ./views",
)
"""What the terminal shows."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAGE = "site/lineage.html#object=view/sales/customer_revenue"
WINDOW = "1200,640"

ROWS = {
    "customers": "(1, 'Ada', 'GB'), (2, 'Grace', 'US'), (3, 'Alan', 'GB')",
    "orders": (
        "(10, 1, DATE'2026-01-03', 'paid'), (11, 2, DATE'2026-01-05', 'open'), "
        "(12, 2, DATE'2026-02-01', 'paid')"
    ),
    "order_lines": (
        "(10, 'pen', 2, 1.50), (10, 'ink', 1, 7.25), (11, 'pen', 1, 1.50), (12, 'ink', 4, 7.25)"
    ),
}

_WIDTH = 92
_DECIDING = ("CI", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR")
"""Variables that decide how commands write."""
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def record_terminal(directory: Path) -> str:
    """Returns the commands and what they write, as an SVG picture.

    Args:
        directory: an empty one to run them in.
    """
    _make_catalog(directory)
    console = Console(record=True, width=_WIDTH, file=StringIO(), force_terminal=True)
    for number, command in enumerate(COMMANDS):
        blank = "\n" if number else ""
        console.print(f"{blank}[bold green]$[/] [bold]{command}[/]", highlight=False)
        console.print(Text.from_ansi(_run_in_terminal(command, directory)))
    svg = console.export_svg(title="viewscribe", theme=MONOKAI, unique_id="terminal")
    return without_fonts(svg)


def photograph_page(directory: Path) -> bytes:
    """Returns the page of the project's site with the lineage of a view, as a PNG picture.

    Args:
        directory: an empty one for the site.

    Raises:
        SystemExit: there is no Chromium, or it fails.
    """
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit(f"found none of {', '.join(BROWSERS)}: apt-get install chromium")
    _run_in_terminal(f"viewscribe site ./views --title Shop -o {directory}/site", PROJECT)
    page, picture = f"file://{directory}/{PAGE}", directory / "page.png"
    options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=5000")
    done = subprocess.run(
        [chromium, *options, f"--window-size={WINDOW}", f"--screenshot={picture}", page],
        capture_output=True,
        text=True,
        check=False,
    )
    if not picture.exists():
        raise SystemExit(f"{chromium}: {done.stderr[-500:]}")
    return picture.read_bytes()


def without_fonts(svg: str) -> str:
    """Returns a picture of rich with the reader's own font: rich's is on a network."""
    return _FONT_FACE.sub("", svg).replace("Fira Code", "ui-monospace, Menlo, Consolas")


def _make_catalog(directory: Path) -> None:
    """Stores the views of the project, and files with the rows of their tables."""
    project = runpy.run_path(str(PROJECT / "pipelines.py"))
    project["store"](f"file:{directory}/views", f"{directory}/data")
    with local_session(master="local[1]") as spark:
        for name, rows in ROWS.items():
            schema = spark.createDataFrame([], project["TABLES"][name]).schema
            frame = spark.sql(f"SELECT * FROM VALUES {rows}").toDF(*schema.names)
            frame.selectExpr(
                *(f"CAST({each.name} AS {each.dataType.simpleString()})" for each in schema)
            ).write.parquet(f"{directory}/data/{name}")


def _run_in_terminal(command: str, directory: Path) -> str:
    """Returns what a command writes to a terminal; its progress is left out.

    Raises:
        SystemExit: it failed.
    """
    outer, inner = pty.openpty()
    ioctl(inner, TIOCSWINSZ, struct.pack("HHHH", 40, _WIDTH, 0, 0))
    name, *arguments = shlex.split(command)
    environment = {key: value for key, value in os.environ.items() if key not in _DECIDING}
    running = subprocess.Popen(
        [Path(sys.executable).parent / name, *arguments],
        cwd=directory,
        env={**environment, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=subprocess.PIPE,
    )
    os.close(inner)
    written = b"".join(iter(lambda: _read(outer), b""))
    os.close(outer)
    _, errors = running.communicate()
    if running.returncode:
        raise SystemExit(f"{command}: {errors.decode()[-500:]}")
    return written.decode().replace("\r\n", "\n").rstrip("\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so where the last writer has gone
        return b""


def main() -> None:
    """Writes the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        picture = record_terminal(Path(directory))
    (PICTURES / "terminal.svg").write_text(picture, encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        (PICTURES / "lineage.png").write_bytes(photograph_page(Path(directory)))


if __name__ == "__main__":
    main()
