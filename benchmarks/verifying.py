"""``python -m benchmarks.verifying``: ``viewscribe verify`` of a catalog of 1,000 views.

The views are generated over the tables of TPC-H and stored under several groups of settings. One
warm session verifies them one after the other, four at a time, and again with ``--changed``; a
process of its own is interrupted in the middle and goes on with ``--resume``. Times are of the
processor, those of Python and of Spark apart, and of the clock on the wall.
"""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import click
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.conf import RuntimeConfig
from rich.console import Console
from rich.table import Table as Lines

from benchmarks.generated_views import DATABASE, GROUPS, make_catalog, view_name
from benchmarks.processes import cpu_seconds, java_process
from examples.tpch import data
from viewscribe.cli.app import app
from viewscribe.spark.catalog_verification import CatalogVerifier
from viewscribe.spark.local import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PYTHON_MS, JVM_MS, COLLECTS = 25.0, 100.0, 2.1
"""What a view may take that plans prove, and how often rows are asked for where they do not."""

_SCALE_FACTOR = 0.001
_WARM_UP = 100


@dataclass
class Cost:
    """What some views took.

    Args:
        views: how many.
        python: seconds of the processor of this process.
        jvm: seconds of the processor of Spark.
        wall: seconds on the wall.
        counts: how often something was done, by its name.
    """

    views: int = 0
    python: float = 0.0
    jvm: float = 0.0
    wall: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    def per_view(self, seconds: float) -> float:
        """Milliseconds for each view."""
        return 1000 * seconds / max(self.views, 1)

    def often(self, what: str) -> float:
        """How often something was done for each view."""
        return self.counts.get(what, 0) / max(self.views, 1)

    def __iadd__(self, other: Cost) -> Cost:
        self.views += other.views
        self.python += other.python
        self.jvm += other.jvm
        self.wall += other.wall
        for what, count in other.counts.items():
            self.counts[what] = self.counts.get(what, 0) + count
        return self


@click.command()
@click.option("--views", default=1000, show_default=True, help="How many views are verified.")
@click.option("--seed", default=1, show_default=True, help="Other views for another seed.")
def main(views: int, seed: int) -> None:
    """Measures and prints."""
    progress = Console(stderr=True)
    with tempfile.TemporaryDirectory() as home:
        tables = data.generate(Path(home, "tables"), _SCALE_FACTOR)
        url = f"file:{home}/views"
        progress.print(f"storing {views:,} views …", style="dim")
        make_catalog(url, tables, views, seed)
        record = str(Path(home, "seen.jsonl"))
        show_runs(_runs(url, views, record, progress))


def _runs(url: str, views: int, record: str, progress: Console) -> dict[str, Cost]:
    found: dict[str, Cost] = {}
    with local_session(master="local[2]") as spark:
        meter = Meter(spark)
        progress.print("warming up …", style="dim")
        few = [f"{DATABASE}.{view_name(number)}" for number in range(min(views, _WARM_UP))]
        meter.run([url, *few])
        progress.print("verifying one at a time …", style="dim")
        found["one at a time"] = meter.run([url, "--record", record])
        found |= meter.parts
        progress.print("verifying four at a time …", style="dim")
        found["--jobs 4"] = meter.run([url, "--jobs", "4"])
        found["--changed"] = meter.run([url, "--record", record, "--changed"])
        progress.print("interrupting …", style="dim")
        seen = _interrupt(url, f"{record}.half", views // 2)
        if not 0 < seen < views:
            raise SystemExit(f"the run was not interrupted in the middle: {seen} of {views}")
        resumed = meter.run([url, "--record", f"{record}.half", "--resume"])
        found[f"--resume after {seen:,}"] = resumed
    return found


class Meter:
    """Runs the command in this process and measures it, and each of its views.

    Args:
        spark: the running session, which the command takes.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._java = java_process(spark)
        self.parts: dict[str, Cost] = {}
        self._counts: dict[str, int] = {}

    def run(self, arguments: Sequence[str]) -> Cost:
        """What ``viewscribe verify`` takes with these arguments; all views must be equal."""
        self.parts = {"by plans": Cost(), "by rows": Cost()}
        shown = io.StringIO()
        with ExitStack() as inside:
            inside.enter_context(patch.object(CatalogVerifier, "verify", self._measured()))
            inside.enter_context(self._counted(DataFrame, "collect", "collects"))
            inside.enter_context(self._counted(RuntimeConfig, "set", "settings"))
            inside.enter_context(redirect_stdout(shown))
            inside.enter_context(redirect_stderr(io.StringIO()))
            with self._cost() as cost, suppress(SystemExit):
                app(["verify", *arguments, "--json"])
        counts = json.loads(shown.getvalue())["counts"]
        if counts["equal"] != counts["views"]:
            raise SystemExit(f"views are not verified: {counts}")
        cost.views = counts["views"]
        return cost

    @contextmanager
    def _cost(self) -> Iterator[Cost]:
        cost, before = Cost(1), dict(self._counts)
        began = time.perf_counter(), time.process_time(), cpu_seconds(self._java)
        yield cost
        cost.wall = time.perf_counter() - began[0]
        cost.python = time.process_time() - began[1]
        cost.jvm = cpu_seconds(self._java) - began[2]
        cost.counts = {what: n - before.get(what, 0) for what, n in self._counts.items()}

    def _measured(self) -> Any:
        verify, meter = CatalogVerifier.verify, self

        def measured(verifier: CatalogVerifier, database: str, name: str) -> Any:
            with meter._cost() as cost:
                report = verify(verifier, database, name)
            meter.parts["by plans" if report.plan.status == "equal" else "by rows"] += cost
            return report

        return measured

    def _counted(self, of: type, method: str, name: str) -> Any:
        plain = getattr(of, method)

        def counted(*arguments: Any, **options: Any) -> Any:
            self._counts[name] = self._counts.get(name, 0) + 1
            return plain(*arguments, **options)

        return patch.object(of, method, counted)


def _interrupt(url: str, record: str, after: int) -> int:
    """Stops a run with Ctrl-C once it has noted so many views; how many it noted in the end."""
    command = [sys.executable, "-m", "viewscribe", "verify", url, "--record", record, "-q"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        while run.poll() is None and _count_lines(record) < after:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
    return _count_lines(record)


def _count_lines(path: str) -> int:
    try:
        return Path(path).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def show_runs(found: dict[str, Cost]) -> None:
    """Prints what the runs took, and whether that is as little as it shall be."""
    titles = ("", "views", "ms of Python", "ms of the JVM", "ms in all", "collects", "settings set")
    lines = Lines(*titles, title=f"Verifying a catalog, for each view; {len(GROUPS)} groups")
    for name, cost in found.items():
        times = [f"{cost.per_view(each):.1f}" for each in (cost.python, cost.jvm, cost.wall)]
        often = [f"{cost.often(each):.2f}" for each in ("collects", "settings")]
        lines.add_row(name, f"{cost.views:,}", *times, *often)
    console = Console()
    console.print(lines)
    plans, rows = found["by plans"], found["by rows"]
    for what, value, most in (
        ("ms of Python, schema and plan", plans.per_view(plans.python), PYTHON_MS),
        ("ms of the JVM, schema and plan", plans.per_view(plans.jvm), JVM_MS),
        ("collects where rows are needed", rows.often("collects"), COLLECTS),
    ):
        reached = "yes" if value <= most else "NO"
        console.print(f"{what}: {value:.1f}, at most {most:g}: {reached}")


if __name__ == "__main__":
    main()
