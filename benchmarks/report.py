"""The results as a table on the console, as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from platform import python_version
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.asynchronous import OVERHEAD_SECONDS, Waiting
from benchmarks.asynchronous import REACH as SOONER
from benchmarks.capturing import NODE_SECONDS, TOTAL_SECONDS, Captured
from benchmarks.files import CHECK_SECONDS, LIST_SECONDS, LOAD_SECONDS, Reading
from benchmarks.migration import LIMIT_BYTES as MOST_BYTES
from benchmarks.migration import LIMIT_SECONDS as MOST_SECONDS
from benchmarks.migration import Migration
from benchmarks.rows import VIEWSCRIBE, Row
from benchmarks.startup import LIMIT_SECONDS, Startup
from benchmarks.timing import Failure

REACH = 10.0
"""How many times faster than the fastest other tool viewscribe means to be, on every row."""

OTHERS = ("sqlframe", "ibis", "sqlglot")


@dataclass(frozen=True)
class RowResult:
    """What one row gave: the best seconds of each tool, or why there are none."""

    row: Row
    outcomes: dict[str, float | Failure]

    @property
    def own(self) -> float:
        """The seconds of viewscribe."""
        outcome = self.outcomes[VIEWSCRIBE]
        assert isinstance(outcome, float)
        return outcome

    @property
    def ratios(self) -> dict[str, float]:
        """How many times slower each of the others is."""
        return {
            tool: outcome / self.own
            for tool, outcome in self.outcomes.items()
            if tool != VIEWSCRIBE and isinstance(outcome, float)
        }

    @property
    def smallest(self) -> float | None:
        """The ratio of the fastest of the others."""
        return min(self.ratios.values(), default=None)

    @property
    def reached(self) -> bool:
        """Whether the row is as fast as it means to be."""
        if self.row.seconds is not None:
            return self.own < self.row.seconds
        return self.smallest is not None and self.smallest >= REACH


@dataclass(frozen=True)
class Results:
    """A whole run."""

    rows: Sequence[RowResult]
    startup: Startup | None
    captured: Sequence[Captured] | None = None
    migration: Migration | None = None
    files: Reading | None = None
    waiting: Waiting | None = None

    @property
    def compared(self) -> list[RowResult]:
        """The rows that other tools take part in."""
        return [result for result in self.rows if result.row.seconds is None]

    @property
    def alone(self) -> list[RowResult]:
        """The rows that are held against a time."""
        return [result for result in self.rows if result.row.seconds is not None]


def show(results: Results, console: Console) -> None:
    """Prints the results for a reader at a terminal."""
    if results.compared or results.startup:
        table = Table(box=box.SIMPLE_HEAD, title="Times slower than viewscribe")
        table.add_column("build and serialize")
        for name in (*OTHERS, "fastest of them", f"≥ {REACH:.0f}×"):
            table.add_column(name, justify="right")
        for cells in _ratio_rows(results, str):
            table.add_row(*cells)
        console.print(table)
    for result in results.alone:
        limit = result.row.seconds
        console.print(
            f"{result.row.title}: {result.own:.3f} s ({_under(result.reached)} {limit:g} s)"
        )
    startup = results.startup
    if startup is not None:
        own = startup.seconds[VIEWSCRIBE]
        console.print(
            f"import viewscribe: {own * 1000:.0f} ms beyond the interpreter's own start "
            f"({_under(own < LIMIT_SECONDS)} {LIMIT_SECONDS * 1000:.0f} ms), "
            f"pyspark {'not ' if startup.without_pyspark else ''}imported"
        )
    for each in results.captured or ():
        console.print(
            f"capturing {each.title}: {each.ratio:.1f} times the {each.handed_out:.3f} s in which "
            f"Spark hands out the plan, {each.beyond / each.nodes * 1e6:.0f} µs for each of "
            f"{each.nodes:,} nodes beyond it ({_under(each.reached)} {NODE_SECONDS * 1e3:g} ms "
            f"each and {TOTAL_SECONDS:g} s in all)"
        )
    if results.migration is not None:
        for line in _of_migration(results.migration):
            console.print(line)
    if results.files is not None:
        console.print(_of_files(results.files))
    if results.waiting is not None:
        console.print(_of_waiting(results.waiting))
    for note in _notes(results):
        console.print(note)


def _of_migration(moved: Migration) -> list[str]:
    seconds, peak = moved.seconds, moved.peak
    return [
        f"planning a migration of {moved.views:,} views: {seconds:.1f} s "
        f"({_under(seconds < MOST_SECONDS)} {MOST_SECONDS:g} s), {peak >> 20} MiB "
        f"({_under(peak < MOST_BYTES)} {MOST_BYTES >> 20} MiB)",
        f"sqlglot renames the tables in their texts, and does no more, in "
        f"{_times(moved.rival / seconds)} the time",
    ]


def _of_files(read: Reading) -> str:
    return (
        f"{read.views:,} views in files: listed in {read.listed:.2f} s "
        f"({_under(read.listed < LIST_SECONDS)} {LIST_SECONDS:g} s), loaded in "
        f"{read.loaded:.1f} s ({_under(read.loaded < LOAD_SECONDS)} {LOAD_SECONDS:g} s), checked "
        f"in {read.checked:.1f} s of the clock "
        f"({_under(read.checked < CHECK_SECONDS)} {CHECK_SECONDS:g} s)"
    )


def _of_waiting(found: Waiting) -> str:
    return (
        f"{found.rows:,} asynchronous calls that wait: done {found.ratio:.1f} times sooner than "
        f"plain ones ({'at least' if found.ratio >= SOONER else 'NOT'} {SOONER:g} times), "
        f"{found.overhead * 1e6:.0f} µs of the processor for each that does not wait "
        f"({_under(found.overhead < OVERHEAD_SECONDS)} {OVERHEAD_SECONDS * 1e6:g} µs)"
    )


def as_json(results: Results) -> str:
    """The results for a program; times are seconds."""
    rows: list[dict[str, Any]] = []
    for result in results.rows:
        outcomes = result.outcomes.items()
        rows.append(
            {
                "row": result.row.name,
                "title": result.row.title,
                "seconds": {tool: each for tool, each in outcomes if isinstance(each, float)},
                "failures": {tool: e.reason for tool, e in outcomes if isinstance(e, Failure)},
                "ratios": result.ratios,
                "smallest": result.smallest,
                "reached": result.reached,
            }
        )
    document: dict[str, Any] = {"python": python_version(), "versions": versions(), "rows": rows}
    if results.startup is not None:
        document["import"] = {
            "seconds": results.startup.seconds,
            "reached": results.startup.seconds[VIEWSCRIBE] < LIMIT_SECONDS,
            "without_pyspark": results.startup.without_pyspark,
        }
    if results.captured is not None:
        document["capture"] = [
            {
                "title": each.title,
                "nodes": each.nodes,
                "handed_out": each.handed_out,
                "whole": each.whole,
                "ratio": each.ratio,
                "reached": each.reached,
            }
            for each in results.captured
        ]
    if results.migration is not None:
        moved = results.migration
        document["migration"] = {**asdict(moved), "reached": moved.reached}
    if results.files is not None:
        document["files"] = {**asdict(results.files), "reached": results.files.reached}
    if results.waiting is not None:
        waiting = results.waiting
        document["asynchronous"] = {**asdict(waiting), "reached": waiting.reached}
    return json.dumps(document, indent=2)


def as_markdown(results: Results) -> str:
    """The ratios as a Markdown table: no times, which say more about the machine."""
    head = ["build and serialize", *OTHERS, "fastest of them"]
    lines = [_line(head), _line(["---", *["---:"] * (len(head) - 1)])]
    lines += [_line(cells[:-1]) for cells in _ratio_rows(results, _bold)]
    if results.captured:
        lines += ["", _line(["capture", "nodes", "times the handing out", "as fast as it shall"])]
        lines.append(_line(["---", "---:", "---:", "---"]))
        lines += [
            _line([each.title, f"{each.nodes:,}", _times(each.ratio), _yes(each.reached)])
            for each in results.captured
        ]
    known = ", ".join(f"{tool} {number}" for tool, number in versions().items())
    lines += ["", f"Python {python_version()}; {known}."]
    notes = _notes(results)
    return "\n".join([*lines, *([""] if notes else []), *(f"- {note}" for note in notes)])


def versions() -> dict[str, str]:
    """The versions of the contestants."""
    return {tool: version(_DISTRIBUTIONS.get(tool, tool)) for tool in OTHERS}


_DISTRIBUTIONS = {"ibis": "ibis-framework"}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bold(text: str) -> str:
    return f"**{text}**"


def _under(reached: bool) -> str:
    return "under" if reached else "NOT under"


def _yes(reached: bool) -> str:
    return "yes" if reached else "no"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 20 else f"{ratio:.1f}×"


def _ratio_rows(results: Results, emphasized: Callable[[str], str]) -> list[list[str]]:
    rows = []
    for result in results.compared:
        cells = [_times(result.ratios[t]) if t in result.ratios else "cannot" for t in OTHERS]
        smallest = result.smallest
        shown = "none" if smallest is None else emphasized(_times(smallest))
        rows.append([result.row.title, *cells, shown, "yes" if result.reached else "no"])
    if results.startup is not None:
        seconds = results.startup.seconds
        ratios = [seconds[tool] / seconds[VIEWSCRIBE] for tool in OTHERS]
        cells = [_times(ratio) for ratio in ratios]
        rows.append(["import", *cells, emphasized(_times(min(ratios))), ""])
    return rows


def _notes(results: Results) -> list[str]:
    return [
        f"{tool} cannot do {result.row.title}: {outcome.reason}"
        for result in results.rows
        for tool, outcome in result.outcomes.items()
        if isinstance(outcome, Failure)
    ]
