"""``viewscribe test``: runs the tests that lie beside the views of a catalog."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.cli import junit as reports
from viewscribe.cli.catalogs import catalog_and_names, environment_at
from viewscribe.cli.command import DIFFERENT, DONE, FAILED, as_viewscribe_error, command
from viewscribe.cli.completion import PLACE, VIEW
from viewscribe.cli.output.pages import Block, Cell, Code, Grid, Heading, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import (
    PermissionOptions,
    PythonOptions,
    permission_options,
    python_options,
)
from viewscribe.cli.progress import Terminal
from viewscribe.cli.spark_options import SparkOptions, spark_options
from viewscribe.errors import ViewscribeError
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.snapshots.rows.case_files import BrokenFile, Case
    from viewscribe.table_api.environment import TableEnvironment

Status = Literal["passed", "failed", "error"]


@command("test")
@click.argument("arguments", nargs=-1, type=VIEW, metavar="[CATALOG] [NAME]...")
@click.option("-k", "pattern", metavar="TEXT", help="Only tests with this in view or name.")
@click.option(
    "--engine",
    type=click.Choice(("spark", "duckdb")),
    default="spark",
    show_default=True,
    help="Where the views run. DuckDB takes milliseconds, and refuses what may differ there.",
)
@spark_options("local[2]")
@click.option(
    "--junit", type=PLACE, metavar="FILE", help="Write a report for continuous integration."
)
@python_options
@permission_options
def test(
    terminal: Terminal,
    arguments: Sequence[str],
    pattern: str | None,
    engine: Literal["spark", "duckdb"],
    junit: str | None,
    python_modules: Sequence[str],
    changed_functions: Literal["refuse", "warn"] | None,
    allowed: PermissionOptions,
    spark_as: SparkOptions,
) -> int:
    """Run the tests of the views NAME (by default all) of CATALOG, a catalog of files.

    The tests of the view sales.young are in young.test.yaml beside young.view.yaml: rows of the
    tables that the view reads, and the rows that it must give. No table is read.

    Ends with 3 where a view gives other rows, and with 1 where a test cannot be run.
    """
    from viewscribe.snapshots.rows.case_files import find_cases, is_selected, require_known
    from viewscribe.table_api.environment import TableEnvironment

    place, names = catalog_and_names(arguments)
    environment = environment_at(place)
    wanted = [tuple(parse_name(name)) for name in names]
    catalog = environment.open()
    cases = list(find_cases(catalog))
    require_known(catalog, cases, names)
    chosen = [each for each in cases if is_selected(each, wanted)]
    if pattern is not None:
        chosen = [each for each in chosen if pattern.casefold() in _label(each).casefold()]
    python = PythonOptions(python_modules, changed_functions)
    with python.of(environment).in_force(), allowed.of(environment).in_force():
        results = _run_all(terminal, chosen, TableEnvironment(catalog), engine, spark_as)
    if junit is not None:
        reports.write_junit(junit, "viewscribe test", [each.as_case() for each in results])
    terminal.output.show(Page(_data(catalog.url, results), list(_blocks(catalog.url, results))))
    statuses = {each.status for each in results}
    return FAILED if "error" in statuses else DIFFERENT if "failed" in statuses else DONE


@dataclass(frozen=True)
class _Result:
    """What came of a test."""

    case: Case | BrokenFile
    status: Status
    seconds: float = 0.0
    message: str = ""
    lines: Sequence[str] = field(default=())

    def as_case(self) -> reports.Case:
        """The test in a report for continuous integration."""
        name = f"{self.case.view}: {getattr(self.case, 'name', 'file')}"
        return reports.Case(
            self.case.database, name, self.seconds, self.status, self.message, self.lines
        )


def _label(case: Case | BrokenFile) -> str:
    view = quote_name((case.database, case.view))
    name = getattr(case, "name", None)
    return view if name is None else f"{view}: {name}"


def _run_all(
    terminal: Terminal,
    cases: Sequence[Case | BrokenFile],
    env: TableEnvironment,
    engine: Literal["spark", "duckdb"],
    spark_as: SparkOptions,
) -> list[_Result]:
    from viewscribe.snapshots.rows.case_files import Case

    in_spark = engine == "spark" and any(isinstance(each, Case) for each in cases)
    if in_spark:
        terminal.note(spark_as.note)
    with (
        spark_as.session(_SETTINGS) if in_spark else nullcontext() as spark,
        terminal.progress("Testing", len(cases)) as progress,
    ):
        results = []
        for each in cases:
            progress.start(_label(each))
            results.append(_run(each, env, engine, spark))
            progress.done(_label(each), results[-1].status)
        return results


_SETTINGS = {"spark.sql.shuffle.partitions": "1"}


def _run(
    case: Case | BrokenFile, env: TableEnvironment, engine: Literal["spark", "duckdb"], spark: Any
) -> _Result:
    from viewscribe.snapshots.rows.case_files import BrokenFile
    from viewscribe.snapshots.rows.comparison import RowsDifferError

    if isinstance(case, BrokenFile):
        return _failed(case, case.error, 0.0)
    started = time.monotonic()
    try:
        case.run(env, engine, spark)
    except RowsDifferError as error:
        took = time.monotonic() - started
        difference = error.difference
        return _Result(case, "failed", took, difference.summary(), difference.lines())
    except Exception as error:  # whatever it is, the other tests are run
        return _failed(case, as_viewscribe_error(error), time.monotonic() - started)
    return _Result(case, "passed", time.monotonic() - started)


def _failed(case: Case | BrokenFile, error: ViewscribeError, seconds: float) -> _Result:
    lines = [error.hint] if error.hint else []
    return _Result(case, "error", seconds, f"{error.code}: {error.message}", lines)


def _data(url: str, results: Sequence[_Result]) -> dict[str, Any]:
    return {
        "catalog": url,
        "counts": {
            status: sum(each.status == status for each in results)
            for status in ("passed", "failed", "error")
        },
        "tests": [
            {
                "database": each.case.database,
                "view": each.case.view,
                "test": getattr(each.case, "name", None),
                "path": each.case.path,
                "status": each.status,
                "seconds": round(each.seconds, 3),
                "message": each.message or None,
                "details": list(each.lines),
            }
            for each in results
        ],
    }


_STYLES: dict[Status, Literal["good", "bad"]] = {"passed": "good", "failed": "bad", "error": "bad"}


def _blocks(url: str, results: Sequence[_Result]) -> Iterator[Block]:
    if not results:
        yield Paragraph(f"{url} has no such tests: the tests of a view are in NAME.test.yaml.")
        return
    yield Grid(
        ("view", "test", "result"),
        [
            (
                Cell(quote_name((each.case.database, each.case.view)), "name"),
                Cell(getattr(each.case, "name", "")),
                Cell(each.status, _STYLES[each.status]),
            )
            for each in results
        ],
    )
    for each in results:
        if each.status != "passed":
            yield Heading(_label(each.case), 2)
            yield Paragraph(f"{each.case.path}: {each.message}", "bad")
            if each.lines:
                yield Code("\n".join(each.lines), "text")
    counts = [
        describe_count(sum(each.status == "failed" for each in results), "failure"),
        describe_count(sum(each.status == "error" for each in results), "error"),
    ]
    told = ", ".join(each for each in counts if not each.startswith("0 "))
    passed = sum(each.status == "passed" for each in results)
    ended = f"; {told}" if told else ""
    yield Paragraph(f"{passed:,} of {describe_count(len(results), 'test')} passed{ended}.")
