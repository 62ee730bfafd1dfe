"""``viewscribe verify ENVIRONMENT``: every view opens, has its columns, gives the wanted rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from viewscribe.cli.catalogs import find_view, full_name
from viewscribe.cli.command import DIFFERENT, DONE, FAILED, as_viewscribe_error
from viewscribe.cli.junit import Case, write_junit
from viewscribe.cli.output.pages import Block, Cell, Grid, Heading, Page, Paragraph, Style
from viewscribe.cli.output.texts import counted
from viewscribe.cli.terminal import Terminal
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.catalog_store.environments import Environment, EnvironmentFile
    from viewscribe.spark.environments import OpenedView, Rows
    from viewscribe.spark.report import Check

Status = Literal["equal", "different", "unproven", "failed"]
_CHECKS = ("opens", "schema", "rows")
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
    report: OpenedView | None = None
    error: ViewscribeError | None = None

    @property
    def status(self) -> Status:
        """``unproven`` where rows were asked for and could not be compared."""
        if self.report is None:
            return "failed"
        if self.report.ok:
            return "equal"
        return "different" if self.report.different else "unproven"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for: the options of the command."""

    rows: bool
    source: str | None
    junit: str | None
    master: str
    settings: Mapping[str, str]


def verify_environment(
    terminal: Terminal,
    environment: Environment,
    names: Sequence[str],
    wishes: Wishes,
    file: EnvironmentFile | None,
) -> int:
    """Open the views of an environment and compare them; writes the reports that are wanted."""
    from viewscribe.spark.environments import catalogs_of

    catalogs = catalogs_of(environment, environment.open())
    views = _views(catalogs, names)
    wanted = _wanted(terminal, catalogs, environment, views, wishes, file) if wishes.rows else None
    outcomes = _all(terminal, catalogs, environment, views, wishes, wanted) if views else []
    if wishes.junit is not None:
        write_junit(wishes.junit, f"viewscribe verify {environment.name}", _cases(outcomes))
    terminal.output.show(_page(outcomes, environment))
    found = {outcome.status for outcome in outcomes}
    if "failed" in found:
        return FAILED
    return DIFFERENT if found - {"equal"} else DONE


def _views(catalogs: CatalogManager, names: Sequence[str]) -> list[ObjectId]:
    if names:
        return list(dict.fromkeys(find_view(catalogs, name) for name in names))
    # Not the manager's list of databases, which always has one called default.
    catalog = catalogs.catalog()
    return [
        each
        for database in catalog.list_databases()
        for each in catalog.list_objects(database, "view")
    ]


def _wanted(
    terminal: Terminal,
    catalogs: CatalogManager,
    environment: Environment,
    views: Sequence[ObjectId],
    wishes: Wishes,
    file: EnvironmentFile | None,
) -> dict[ObjectId, Rows]:
    """The rows of each view in the environment that it came from."""
    from viewscribe.catalog_store.environments import Translation
    from viewscribe.spark.environments import Rows, catalogs_of, rows_of
    from viewscribe.spark.local import local_session

    origins = {view: wishes.source or _origin(catalogs, view) for view in views}
    found = {
        view: Rows(problem="nothing says where the view comes from: name it with --source")
        for view in views
    }
    for name in dict.fromkeys(filter(None, origins.values())):
        source = _source(name, file)
        mine = [view for view in views if origins[view] == name]
        back = Translation(environment.names, source.names)
        there = catalogs_of(source, source.open())
        terminal.note(f"Starting Spark for {source.name} ...")
        spark_settings = {**source.spark_settings(), **wishes.settings}
        with (
            local_session(master=wishes.master, settings=spark_settings) as spark,
            terminal.progress(f"Reading rows of {source.name}", len(mine)) as progress,
        ):
            for view in mine:
                progress.start(full_name(view))
                try:
                    path = back((environment.catalog_name, view.database, view.name))
                    found[view] = rows_of(there, path[1:], spark)
                except ViewscribeError as error:
                    found[view] = Rows(problem=error.message)
                progress.done(full_name(view))
    return found


def _source(name: str, file: EnvironmentFile | None) -> Environment:
    from viewscribe.cli.environments import find_environment

    if file is not None and name in file:
        return file[name]
    return find_environment(name, None)


def _origin(catalogs: CatalogManager, view: ObjectId) -> str | None:
    """The environment that a migration brought the view from, as its version tells."""
    from viewscribe.catalog_store.migration.model import origin_of

    try:
        version = catalogs.get("view", (view.database, view.name)).version
    except ViewscribeError:
        return None
    return None if version is None else origin_of(version.source)


def _all(
    terminal: Terminal,
    catalogs: CatalogManager,
    environment: Environment,
    views: Sequence[ObjectId],
    wishes: Wishes,
    wanted: Mapping[ObjectId, Rows] | None,
) -> list[Outcome]:
    from viewscribe.spark.local import local_session

    outcomes = []
    terminal.note(f"Starting Spark for {environment.name} ...")
    spark_settings = {**environment.spark_settings(), **wishes.settings}
    with (
        local_session(master=wishes.master, settings=spark_settings) as spark,
        terminal.progress("Verifying", len(views)) as progress,
    ):
        for view in views:
            progress.start(full_name(view))
            outcome = _one(catalogs, view, spark, None if wanted is None else wanted[view])
            progress.done(full_name(view), outcome.status)
            outcomes.append(outcome)
    return outcomes


def _one(catalogs: CatalogManager, view: ObjectId, spark: Any, wanted: Rows | None) -> Outcome:
    from viewscribe.spark.environments import check_view

    started = time.monotonic()
    report, problem = None, None
    try:
        report = check_view(catalogs, (view.database, view.name), spark, wanted)
    except Exception as error:  # whatever it is, the other views have their turn
        problem = as_viewscribe_error(error)
    return Outcome(view, round(time.monotonic() - started, 3), report, problem)


def _page(outcomes: Sequence[Outcome], environment: Environment) -> Page:
    counts = Counter(outcome.status for outcome in outcomes)
    numbers: dict[str, int] = {status: counts[status] for status in _COUNTED}
    data = {
        "environment": environment.name,
        "catalog": environment.shown_url,
        "ok": counts["equal"] == len(outcomes),
        "counts": {"views": len(outcomes), **numbers},
        "views": [_data(each) for each in outcomes],
    }
    return Page(data, list(_blocks(outcomes, counts, environment)))


_COUNTED: tuple[Status, ...] = ("equal", "different", "unproven", "failed")


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


def _blocks(
    outcomes: Sequence[Outcome], counts: Counter[Status], environment: Environment
) -> Iterator[Block]:
    if not outcomes:
        yield Paragraph(f"{environment.name} holds no views.")
        return
    yield Grid(("view", *_CHECKS, "verified"), [_row(each) for each in outcomes])
    for outcome in outcomes:
        lines = list(_lines(outcome))
        if lines:
            yield Heading(full_name(outcome.id), 2)
            yield Paragraph("\n".join(lines))
    problems = [f"{counts[each]:,} {each}" for each in _COUNTED[1:] if counts[each]]
    text = f"{counts['equal']:,} of {counted(len(outcomes), 'view')} of {environment.name} verified"
    yield Paragraph(f"{', '.join([text, *problems])}.")


def _row(outcome: Outcome) -> tuple[Cell, ...]:
    checks = [_check(outcome, name) for name in _CHECKS]
    cells = [
        Cell("" if c is None else c.status, _STYLES.get(c.status, "faint") if c else "plain")
        for c in checks
    ]
    return (
        Cell(full_name(outcome.id), "name"),
        *cells,
        Cell(outcome.status, _STYLES[outcome.status]),
    )


def _check(outcome: Outcome, name: str) -> Check | None:
    return None if outcome.report is None else getattr(outcome.report, name)


def _lines(outcome: Outcome) -> Iterator[str]:
    """What is different, what is not proven, or why there is no report."""
    if outcome.status == "equal":
        return
    if outcome.error is not None:
        yield f"{outcome.error.code}: {outcome.error}"
    for name in _CHECKS:
        check = _check(outcome, name)
        if check is not None and check.status != "equal":
            yield f"{name} {check.status}: {check.detail}"
            yield from (f"  {each}" for each in check.differences)


_CASES: dict[Status, Any] = {
    "equal": "passed",
    "different": "failed",
    "unproven": "skipped",
    "failed": "error",
}


def _cases(outcomes: Sequence[Outcome]) -> list[Case]:
    cases = []
    for outcome in outcomes:
        lines = list(_lines(outcome))
        first = next((each for each in lines if " different: " in each), lines[0] if lines else "")
        status = _CASES[outcome.status]
        home = outcome.id.database
        cases.append(Case(home, outcome.id.name, outcome.seconds, status, first, lines))
    return cases
