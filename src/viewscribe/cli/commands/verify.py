"""``viewscribe verify``: proof, in Spark, that views mean what their plans mean."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.cli.catalogs import (
    all_objects,
    catalog_and_names,
    find_view,
    full_name,
    open_catalog,
)
from viewscribe.cli.command import DIFFERENT, DONE, FAILED, as_viewscribe_error, command
from viewscribe.cli.commands.verify_environment import Wishes, verify_environment
from viewscribe.cli.environments import config_option, environments, find_environment
from viewscribe.cli.junit import Case, write_junit
from viewscribe.cli.output.pages import Block, Cell, Grid, Heading, Page, Paragraph, Style
from viewscribe.cli.output.texts import counted
from viewscribe.cli.terminal import Terminal
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.spark.report import Check, VerificationReport

Status = Literal["equal", "different", "unproven", "failed"]
_PROBLEMS: tuple[Status, ...] = ("different", "unproven", "failed")
_CHECKS = ("schema", "plan", "rows")
_STYLES: dict[str, Style] = {
    "equal": "good",
    "different": "bad",
    "unproven": "warning",
    "failed": "bad",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one view: a report, or the error that prevented it."""

    id: ObjectId
    seconds: float
    report: VerificationReport | None = None
    error: ViewscribeError | None = None

    @property
    def status(self) -> Status:
        """``unproven`` where nothing differs, but neither plans nor rows can be compared."""
        if self.report is None:
            return "failed"
        if self.report.ok:
            return "equal"
        checks = (self.report.schema, self.report.plan, self.report.rows)
        return "different" if any(c.status == "different" for c in checks) else "unproven"


@command("verify")
@click.argument("arguments", nargs=-1, metavar="[CATALOG] [NAME]...")
@click.option("--master", default="local[*]", show_default=True, help="Spark's master.")
@click.option(
    "--conf", metavar="KEY=VALUE", multiple=True, help="A setting of Spark; can be repeated."
)
@click.option("--rows", is_flag=True, help="Of an environment: compare the rows with its source's.")
@click.option("--source", metavar="A", help="The environment the views come from.")
@click.option("--junit", metavar="FILE", help="Write a report for continuous integration.")
@config_option
def verify(
    terminal: Terminal,
    arguments: Sequence[str],
    master: str,
    conf: Sequence[str],
    rows: bool,
    source: str | None,
    junit: str | None,
    config: str | None,
) -> int:
    """Open the views NAME (by default all) of CATALOG in Spark and verify them.

    Each view is opened from what is stored alone; its SQL, its plan and its columns are compared
    by schema, by Spark's plan and by rows. A view that fails does not stop the others.

    Where CATALOG is an environment of viewscribe.yaml, or --rows or --source is given, every view
    is opened under the environment's settings and must have its columns and, with --rows, the rows
    that it has in the environment it comes from.
    """
    from viewscribe.catalog_store import CatalogManager

    settings = spark_settings(conf)
    file = environments(config)
    named = file is not None and bool(arguments) and arguments[0] in file
    if arguments and (named or rows or source is not None):
        wishes = Wishes(rows or source is not None, source, junit, master, settings)
        there = find_environment(arguments[0], config)
        return verify_environment(terminal, there, arguments[1:], wishes, file)
    place, names = catalog_and_names(arguments)
    catalogs = CatalogManager(open_catalog(place))
    if names:
        views = list(dict.fromkeys(find_view(catalogs, name) for name in names))
    else:
        views = all_objects(catalogs, "view")
    outcomes = _verify_all(terminal, catalogs, views, master, settings) if views else []
    if junit is not None:
        write_junit(junit, "viewscribe verify", [_case(each) for each in outcomes])
    terminal.output.show(_page(outcomes, catalogs.catalog().url))
    return _exit_code(outcomes)


def spark_settings(pairs: Sequence[str]) -> dict[str, str]:
    """``KEY=VALUE`` arguments as settings."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            context = click.get_current_context()
            raise click.BadParameter(f"'{pair}' is not KEY=VALUE", context, param_hint="'--conf'")
        found[key.strip()] = value
    return found


def _verify_all(
    terminal: Terminal,
    catalogs: CatalogManager,
    views: Sequence[ObjectId],
    master: str,
    settings: dict[str, str],
) -> list[Outcome]:
    from viewscribe.spark.local import local_session

    outcomes = []
    terminal.note("Starting Spark ...")
    with (
        local_session(master=master, settings=settings) as spark,
        terminal.progress("Verifying", len(views)) as progress,
    ):
        for view in views:
            progress.start(full_name(view))
            outcome = _verify_one(catalogs, view, spark)
            took = f" in {outcome.seconds:.1f} s" if terminal.verbose else ""
            progress.done(full_name(view), f"{outcome.status}{took}")
            outcomes.append(outcome)
    return outcomes


def _verify_one(catalogs: CatalogManager, view: ObjectId, spark: Any) -> Outcome:
    started = time.monotonic()
    report, problem = None, None
    try:
        report = _report(catalogs, view, spark)
    except Exception as error:  # whatever it is, the other views have their turn
        problem = as_viewscribe_error(error)
    return Outcome(view, round(time.monotonic() - started, 3), report, problem)


def _report(catalogs: CatalogManager, view: ObjectId, spark: Any) -> VerificationReport:
    name = (view.database, view.name)
    document = catalogs.get("view", name).document

    from viewscribe.spark.verify import verify as verify_document
    from viewscribe.spark.views import open_view

    open_view(catalogs, name, spark)
    return verify_document(document, spark)


_CASES: dict[Status, Any] = {
    "equal": "passed",
    "different": "failed",
    "unproven": "skipped",
    "failed": "error",
}


def _case(outcome: Outcome) -> Case:
    if outcome.error is not None:
        lines = [f"{outcome.error.code}: {outcome.error}"]
    else:
        lines = list(_differences(outcome.report))
    status = _CASES[outcome.status]
    first = lines[0] if lines else ""
    return Case(outcome.id.database, outcome.id.name, outcome.seconds, status, first, lines)


def _exit_code(outcomes: Sequence[Outcome]) -> int:
    found = {outcome.status for outcome in outcomes}
    if "failed" in found:
        return FAILED
    return DIFFERENT if found - {"equal"} else DONE


def _page(outcomes: Sequence[Outcome], url: str) -> Page:
    counts = Counter(outcome.status for outcome in outcomes)
    problems = {str(status): counts[status] for status in _PROBLEMS}
    data = {
        "catalog": url,
        "ok": counts["equal"] == len(outcomes),
        "counts": {"views": len(outcomes), "equal": counts["equal"], **problems},
        "views": [_data(each) for each in outcomes],
    }
    return Page(data, list(_blocks(outcomes, counts, url)))


def _data(outcome: Outcome) -> dict[str, Any]:
    from viewscribe.cli.output.as_json import error_data

    return {
        "database": outcome.id.database,
        "name": outcome.id.name,
        "status": outcome.status,
        "seconds": outcome.seconds,
        "report": None if outcome.report is None else outcome.report.to_json(),
        "error": None if outcome.error is None else error_data(outcome.error),
    }


def _blocks(outcomes: Sequence[Outcome], counts: Counter[Status], url: str) -> Iterator[Block]:
    if not outcomes:
        yield Paragraph(f"{url} holds no views.")
        return
    yield Grid(("view", *_CHECKS, "verified"), [_row(each) for each in outcomes])
    for outcome in outcomes:
        yield from _details(outcome)
    yield Paragraph(_summary(outcomes, counts, url))


def _row(outcome: Outcome) -> tuple[Cell, ...]:
    checks = [_check_cell(outcome, name) for name in _CHECKS]
    status = Cell(outcome.status, _STYLES[outcome.status])
    return Cell(full_name(outcome.id), "name"), *checks, status


def _check_cell(outcome: Outcome, name: str) -> Cell:
    if outcome.report is None:
        return Cell("")
    status = getattr(outcome.report, name).status
    return Cell(status, _STYLES.get(status, "faint"))


def _details(outcome: Outcome) -> Iterator[Block]:
    """What is different, what is not proven, or why there is no report."""
    if outcome.status == "equal":
        return
    yield Heading(full_name(outcome.id), 2)
    if outcome.error is not None:
        yield Paragraph(f"{outcome.error.code}: {outcome.error}")
    else:
        yield Paragraph("\n".join(_differences(outcome.report)))


def _differences(report: VerificationReport | None) -> Iterator[str]:
    for name in _CHECKS:
        check: Check = getattr(report, name)
        if check.status != "equal":
            yield f"{name} {check.status}: {check.detail}" if check.detail else f"{name} differs"
            yield from (f"  {each}" for each in check.differences)


def _summary(outcomes: Sequence[Outcome], counts: Counter[Status], url: str) -> str:
    text = f"{counts['equal']:,} of {counted(len(outcomes), 'view')} verified"
    problems = [f"{counts[each]:,} {each}" for each in _PROBLEMS if counts[each]]
    if not problems:
        return f"{text}."
    first = next(each for each in outcomes if each.status != "equal")
    step = shlex.join(["viewscribe", "show", url, full_name(first.id)])
    return f"{', '.join([text, *problems])}. Look at the first with: {step}"
