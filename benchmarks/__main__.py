"""``python -m benchmarks``: time to build and serialize, side by side with other tools."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from rich.console import Console

from benchmarks import asynchronous, capturing, files, migration, report, startup
from benchmarks.rows import ROWS, VIEWSCRIBE, Jobs, Row, check, contestants, jobs_of
from benchmarks.timing import Failure, attempt, interleaved

IMPORT = "import"
CAPTURE = "capture"
MIGRATION = "migration"
FILES = "files"
WAITING = "asynchronous"
OTHERS = (IMPORT, CAPTURE, MIGRATION, FILES, WAITING)
_MARKED = re.compile(r"(?<=<!-- results -->\n).*(?=<!-- end of results -->)", re.DOTALL)


def main(arguments: list[str] | None = None) -> int:
    """Runs the rows asked for and prints the results."""
    options = _options(arguments)
    progress = Console(stderr=True)
    wanted = options.only or [*[row.name for row in ROWS], *OTHERS]
    tools = contestants()
    rows = []
    for row in ROWS:
        if row.name in wanted:
            progress.print(f"measuring {row.title} …", style="dim")
            rows.append(run(row, jobs_of(row, tools), options.rounds))
    started = None
    if IMPORT in wanted:
        progress.print("measuring the import …", style="dim")
        started = startup.measure(options.rounds)
    captured = None
    if CAPTURE in wanted:
        progress.print("measuring captures …", style="dim")
        captured = capturing.measure(options.rounds)
    moved = None
    if MIGRATION in wanted:
        progress.print("measuring the migration …", style="dim")
        moved = migration.measure()
    read = None
    if FILES in wanted:
        progress.print("measuring a catalog of files …", style="dim")
        read = files.measure()
    waited = None
    if WAITING in wanted:
        progress.print("measuring asynchronous calls …", style="dim")
        waited = asynchronous.measure()
    results = report.Results(rows, started, captured, moved, read, waited)
    if options.json:
        print(report.as_json(results))
    else:
        report.show(results, Console())
    if options.write is not None:
        _write(options.write, report.as_markdown(results))
    return 0


def run(row: Row, jobs: Jobs, rounds: int) -> report.RowResult:
    """One row: every contestant's SQL is checked first, then all are timed in turns."""
    outcomes: dict[str, float | Failure] = {}
    able: Jobs = {}
    for tool, job in jobs.items():
        made = attempt(job)
        if isinstance(made, Failure):
            outcomes[tool] = made
        else:
            check(row, tool, made)
            able[tool] = job
    failed = outcomes.get(VIEWSCRIBE)
    if isinstance(failed, Failure):
        raise SystemExit(f"viewscribe itself cannot do {row.title}: {failed.reason}")
    outcomes.update(interleaved(able, rounds))
    return report.RowResult(row, outcomes)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=40, help="turns each contestant gets")
    parser.add_argument(
        "--only",
        action="append",
        choices=[*[row.name for row in ROWS], *OTHERS],
        help="measure this row alone (may be repeated)",
    )
    parser.add_argument("--write", type=Path, help="replace the results in this Markdown file")
    return parser.parse_args(arguments)


def _write(path: Path, table: str) -> None:
    text, count = _MARKED.subn(lambda match: f"\n{table}\n\n", path.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{path} has no place for results: the two marks are missing")
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
