"""``viewscribe verify ENVIRONMENT``: every view opens, has its columns, gives the wanted rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewscribe.cli.catalogs import find_view, full_name
from viewscribe.cli.junit import write_junit
from viewscribe.cli.output.pages import Block, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import PermissionOptions, PythonOptions
from viewscribe.cli.progress import Terminal
from viewscribe.cli.spark_options import SparkOptions
from viewscribe.cli.verification import (
    Outcome,
    cases,
    exit_code,
    statuses_told,
    verified_blocks,
    verified_data,
    verify_each,
)
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.environments import Environment, EnvironmentFile
    from viewscribe.spark.environments import OpenedView, Rows

_CHECKS = ("opens", "schema", "rows")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for: the options of the command."""

    rows: bool
    source: str | None
    junit: str | None
    spark_as: SparkOptions
    python: PythonOptions
    allowed: PermissionOptions


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
    wanted = (
        _list_wanted(terminal, catalogs, environment, views, wishes, file) if wishes.rows else None
    )
    outcomes = _all(terminal, catalogs, environment, views, wishes, wanted) if views else []
    if wishes.junit is not None:
        write_junit(wishes.junit, f"viewscribe verify {environment.name}", cases(outcomes))
    terminal.output.show(_page(outcomes, environment))
    return exit_code(outcomes)


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


def _list_wanted(
    terminal: Terminal,
    catalogs: CatalogManager,
    environment: Environment,
    views: Sequence[ObjectId],
    wishes: Wishes,
    file: EnvironmentFile | None,
) -> dict[ObjectId, Rows]:
    """The rows of each view in the environment that it came from."""
    from viewscribe.environments import Translation
    from viewscribe.spark.environments import Rows, catalogs_of, rows_of

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
        with (
            wishes.spark_as.session(source.spark_settings()) as spark,
            terminal.progress(f"Reading rows of {source.name}", len(mine)) as progress,
            wishes.python.of(source).in_force(),
            wishes.allowed.of(source).in_force(),
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
    from viewscribe.environments.migration.model import origin_of

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
    from viewscribe.spark.environments import check_view

    terminal.note(f"Starting Spark for {environment.name} ...")
    with (
        wishes.python.of(environment).in_force(),
        wishes.allowed.of(environment).in_force(),
        wishes.spark_as.session(environment.spark_settings()) as spark,
    ):

        def check(view: ObjectId) -> OpenedView:
            rows = None if wanted is None else wanted[view]
            return check_view(catalogs, (view.database, view.name), spark, rows)

        return verify_each(terminal, views, _CHECKS, check)


def _page(outcomes: Sequence[Outcome], environment: Environment) -> Page:
    place = {"environment": environment.name, "catalog": environment.shown_url}
    return Page({**place, **verified_data(outcomes)}, list(_blocks(outcomes, environment)))


def _blocks(outcomes: Sequence[Outcome], environment: Environment) -> Iterator[Block]:
    if not outcomes:
        yield Paragraph(f"{environment.name} holds no views.")
        return
    yield from verified_blocks(outcomes)
    views = describe_count(len(outcomes), "view")
    yield Paragraph(f"{views} of {environment.name}: {statuses_told(outcomes)}.")
