"""``viewscribe verify``: proof, in Spark, that views mean what their plans mean."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.cli.catalogs import (
    all_objects,
    catalog_and_names,
    environment_at,
    find_view,
    full_name,
)
from viewscribe.cli.command import command
from viewscribe.cli.commands.verify_environment import Wishes, verify_environment
from viewscribe.cli.environments import config_option, environments, find_environment
from viewscribe.cli.junit import write_junit
from viewscribe.cli.output.pages import Block, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import PermissionOptions, permission_options
from viewscribe.cli.python_modules import PythonOptions, python_options
from viewscribe.cli.terminal import Terminal
from viewscribe.cli.verification import (
    Outcome,
    cases,
    counted_statuses,
    exit_code,
    problems_told,
    verified_blocks,
    verified_data,
    verify_each,
)

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.spark.report import VerificationReport

_CHECKS = ("schema", "plan", "rows", "read_back")


@command("verify")
@click.argument("arguments", nargs=-1, metavar="[CATALOG] [NAME]...")
@click.option("--master", default="local[*]", show_default=True, help="Spark's master.")
@click.option(
    "--conf", metavar="KEY=VALUE", multiple=True, help="A setting of Spark; can be repeated."
)
@click.option("--rows", is_flag=True, help="Of an environment: compare the rows with its source's.")
@click.option("--source", metavar="A", help="The environment the views come from.")
@click.option("--junit", metavar="FILE", help="Write a report for continuous integration.")
@python_options
@permission_options
@config_option
def verify(
    terminal: Terminal,
    arguments: Sequence[str],
    master: str,
    conf: Sequence[str],
    rows: bool,
    source: str | None,
    junit: str | None,
    python_modules: Sequence[str],
    changed_functions: Literal["refuse", "warn"] | None,
    allowed: PermissionOptions,
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

    settings, python = spark_settings(conf), PythonOptions(python_modules, changed_functions)
    file = environments(config)
    named = file is not None and bool(arguments) and arguments[0] in file
    if arguments and (named or rows or source is not None):
        wishes = Wishes(
            rows or source is not None, source, junit, master, settings, python, allowed
        )
        there = find_environment(arguments[0], config)
        return verify_environment(terminal, there, arguments[1:], wishes, file)
    place, names = catalog_and_names(arguments)
    environment = environment_at(place)
    catalogs = CatalogManager(environment.open())
    if names:
        views = list(dict.fromkeys(find_view(catalogs, name) for name in names))
    else:
        views = all_objects(catalogs, "view")
    with python.of(environment).in_force(), allowed.of(environment).in_force():
        outcomes = _verify_all(terminal, catalogs, views, master, settings) if views else []
    if junit is not None:
        write_junit(junit, "viewscribe verify", cases(outcomes))
    terminal.output.show(_page(outcomes, catalogs.catalog().url))
    return exit_code(outcomes)


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

    terminal.note("Starting Spark ...")
    with local_session(master=master, settings=settings) as spark:
        return verify_each(terminal, views, _CHECKS, lambda view: _report(catalogs, view, spark))


def _report(catalogs: CatalogManager, view: ObjectId, spark: Any) -> VerificationReport:
    name = (view.database, view.name)
    document = catalogs.get("view", name).document

    from viewscribe.spark.verify import verify as verify_document
    from viewscribe.spark.views import open_view

    open_view(catalogs, name, spark)
    return verify_document(document, spark)


def _page(outcomes: Sequence[Outcome], url: str) -> Page:
    data = {"catalog": url, **verified_data(outcomes)}
    return Page(data, list(_blocks(outcomes, url)))


def _blocks(outcomes: Sequence[Outcome], url: str) -> Iterator[Block]:
    if not outcomes:
        yield Paragraph(f"{url} holds no views.")
        return
    yield from verified_blocks(outcomes)
    equal = counted_statuses(outcomes)["equal"]
    text = (
        f"{equal:,} of {describe_count(len(outcomes), 'view')} verified{problems_told(outcomes)}."
    )
    if equal < len(outcomes):
        first = next(each for each in outcomes if each.status != "equal")
        step = shlex.join(["viewscribe", "show", url, full_name(first.id)])
        text = f"{text} Look at the first with: {step}"
    yield Paragraph(text)
