"""TPC-H as stored views: build the 22 pipelines, save them, reopen them in Spark, prove them equal.

Run it with ``make demo`` or ``python -m examples.tpch.demo``. The result goes to stdout, progress
to stderr. Every number shown is measured in this run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlglot
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from sqlglot import exp

from examples.tpch import data
from examples.tpch.queries import QUERIES, tables, title
from viewscribe import TableEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / ".data" / "tpch"
CATALOG: Final = ROOT / ".data" / "tpch-catalog"
SCALE_FACTOR: Final = 0.01


@dataclass
class Line:
    """One line of the final table: a query, its SQL and what Spark said about it."""

    name: str
    blocks: int
    lines: int
    rows: int | None = None
    verified: bool = False
    problem: str = "not reached"


class Reporter:
    """Progress on stderr: a bar on a terminal, a line a step elsewhere."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self._animated = self.console.is_terminal and not (
            os.environ.get("CI") or os.environ.get("NO_COLOR")
        )
        columns = (TextColumn("{task.description:<42}"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(
            *columns, TimeElapsedColumn(), console=self.console, disable=not self._animated
        )

    def __enter__(self) -> Reporter:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def steps(self, description: str, total: int) -> Any:
        """Begin a stage; call what is returned after each of its ``total`` steps."""
        task = self._progress.add_task(description, total=total)
        if not self._animated:
            self.console.print(f"{description} ...", highlight=False)

        def step(text: str) -> None:
            self._progress.advance(task)
            if not self._animated:
                self.console.print(f"  {text}", highlight=False)

        return step


def main() -> int:
    """Run the demo; 0 when all 22 views verify, else 1."""
    started = time.monotonic()
    with Reporter() as reporter:
        step = reporter.steps(f"Generating TPC-H at scale factor {SCALE_FACTOR}", 1)
        data.generate(DATA, SCALE_FACTOR)
        step(os.path.relpath(DATA))
        lines = {line.name: line for line in save_views(reporter)}
        verify_views(lines, reporter)
    show(list(lines.values()), time.monotonic() - started)
    return 0 if all(line.verified for line in lines.values()) else 1


def save_views(reporter: Reporter) -> Iterator[Line]:
    """Build every pipeline and save it as a view in a catalog of files."""
    shutil.rmtree(CATALOG, ignore_errors=True)
    env = TableEnvironment.open(f"file:{CATALOG}")
    tables(env, DATA)
    step = reporter.steps("Building, serializing and saving the views", len(QUERIES))
    for name, pipeline in QUERIES.items():
        env.create_view(name, pipeline(env), comment=title(name), or_replace=True)
        sql = env.get_view(name).sql
        step(f"{name} {title(name)}")
        yield Line(name, blocks=count_blocks(sql), lines=len(sql.splitlines()))


def count_blocks(sql: str) -> int:
    """Return how many SELECT blocks the text has."""
    return len(list(sqlglot.parse_one(sql, read="spark").find_all(exp.Select)))


def verify_views(lines: dict[str, Line], reporter: Reporter) -> None:
    """Reopen the views in a new process, which gets nothing but the directory of the catalog."""
    step = reporter.steps("Verifying them in a new Spark session", len(lines))
    command = [sys.executable, "-m", "examples.tpch.reopen", str(CATALOG)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for text in process.stdout:
            found = json.loads(text)
            line = lines[found["name"]]
            line.rows, line.problem = found["rows"], found["problem"]
            line.verified = not line.problem
            step(f"{line.name} {'verified' if line.verified else 'does not verify'}")
    if process.returncode:
        reporter.console.print(f"the verifying process ended with {process.returncode}")


def show(lines: list[Line], seconds: float) -> None:
    """Print the result: a line a query, what went wrong, the counts, the next step."""
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    grid.add_column("query")
    grid.add_column("")
    for heading in ("blocks", "lines of SQL", "rows"):
        grid.add_column(heading, justify="right")
    grid.add_column("verified")
    for line in lines:
        grid.add_row(
            line.name,
            title(line.name).lower(),
            str(line.blocks),
            str(line.lines),
            "" if line.rows is None else str(line.rows),
            "[green]yes[/green]" if line.verified else "[red]no[/red]",
        )
    console.print(grid)
    for line in lines:
        if not line.verified:
            console.print(f"\n{line.name}: {line.problem}", markup=False)
    verified = sum(line.verified for line in lines)
    console.print(f"\n{verified} of {len(lines)} views verified in {seconds:.0f} s.")
    viewscribe = os.path.relpath(Path(sys.executable).with_name("viewscribe"))
    console.print(f"Read one: {viewscribe} sql {os.path.relpath(CATALOG)} {lines[0].name}")


if __name__ == "__main__":
    sys.exit(main())
