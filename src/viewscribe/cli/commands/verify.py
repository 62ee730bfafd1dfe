"""``viewscribe verify``: proof, in Spark, that views mean what their plans mean."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.catalog_store import CatalogManager
from viewscribe.cli.catalogs import (
    all_objects,
    catalog_and_names,
    environment_at,
    find_view,
    full_name,
)
from viewscribe.cli.command import command
from viewscribe.cli.commands.verify_environment import Wishes, verify_environment
from viewscribe.cli.completion import PLACE, VIEW
from viewscribe.cli.environments import config_option, environments, find_environment
from viewscribe.cli.junit import write_junit
from viewscribe.cli.output.pages import Block, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import (
    PermissionOptions,
    PythonOptions,
    permission_options,
    python_options,
)
from viewscribe.cli.progress import Terminal
from viewscribe.cli.spark_options import SparkOptions, spark_options
from viewscribe.cli.verification import (
    DEFAULT_PATH,
    Outcome,
    ProofRecord,
    Reused,
    ViewStates,
    cases,
    exit_code,
    statuses_told,
    verified_blocks,
    verified_data,
    verify_each,
)
from viewscribe.spark.report import CHECKS

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.spark.catalog_verification import CatalogVerifier


@command("verify")
@click.argument("arguments", nargs=-1, type=VIEW, metavar="[CATALOG] [NAME]...")
@spark_options()
@click.option("--rows", is_flag=True, help="Of an environment: compare the rows with its source's.")
@click.option("--source", metavar="A", help="The environment the views come from.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many views are verified at the same time.",
)
@click.option(
    "--all-rows", is_flag=True, help="Compare the rows of views that equal plans prove, too."
)
@click.option(
    "--record",
    type=PLACE,
    metavar="FILE",
    help=f"Note each outcome in FILE when it is there. [default with the next two: {DEFAULT_PATH}]",
)
@click.option("--resume", is_flag=True, help="Go on with the run that FILE is of.")
@click.option(
    "--changed",
    is_flag=True,
    help="Leave out views that FILE has as proven, or equal in rows, where nothing that they "
    "depend on has changed.",
)
@click.option(
    "--junit", type=PLACE, metavar="FILE", help="Write a report for continuous integration."
)
@python_options
@permission_options
@config_option
def verify(
    terminal: Terminal,
    arguments: Sequence[str],
    rows: bool,
    source: str | None,
    jobs: int,
    all_rows: bool,
    record: str | None,
    resume: bool,
    changed: bool,
    junit: str | None,
    python_modules: Sequence[str],
    changed_functions: Literal["refuse", "warn"] | None,
    allowed: PermissionOptions,
    config: str | None,
    spark_as: SparkOptions,
) -> int:
    """Open the views NAME (by default all) of CATALOG in Spark and verify them.

    Each view is opened from what is stored alone; its SQL, its plan and its columns are compared
    by schema and by Spark's plan and, where plans prove nothing, by rows. A view that fails does
    not stop the others.

    Where CATALOG is an environment of viewscribe.yaml, or --rows or --source is given, every view
    is opened under the environment's settings and must have its columns and, with --rows, the rows
    that it has in the environment it comes from.
    """
    python = PythonOptions(python_modules, changed_functions)
    file = environments(config)
    named = file is not None and bool(arguments) and arguments[0] in file
    if arguments and (named or rows or source is not None):
        given = {"--jobs": jobs > 1, "--all-rows": all_rows, "--record": record is not None}
        _refuse_with_environment({**given, "--resume": resume, "--changed": changed})
        wishes = Wishes(rows or source is not None, source, junit, spark_as, python, allowed)
        there = find_environment(arguments[0], config)
        return verify_environment(terminal, there, arguments[1:], wishes, file)
    place, names = catalog_and_names(arguments)
    environment = environment_at(place)
    catalogs = CatalogManager(environment.open())
    if names:
        views = list(dict.fromkeys(find_view(catalogs, name) for name in names))
    else:
        views = all_objects(catalogs, "view")
    reused: Reused = "all" if resume else "proven" if changed else "nothing"
    noted = record or (DEFAULT_PATH if reused != "nothing" else None)
    known = None if noted is None else ProofRecord(noted, reused)
    run = _Run(terminal, catalogs, jobs, all_rows, known)
    with python.of(environment).in_force(), allowed.of(environment).in_force():
        outcomes = run.verify_all(views, spark_as)
    if junit is not None:
        write_junit(junit, "viewscribe verify", cases(outcomes))
    terminal.output.show(_page(outcomes, catalogs.catalog().url))
    return exit_code(outcomes)


def _refuse_with_environment(given: Mapping[str, bool]) -> None:
    """Refuses options that say nothing about the views of an environment."""
    wrong = [option for option, is_given in given.items() if is_given]
    if wrong:
        raise click.UsageError(
            f"{', '.join(wrong)}: only for the views of a catalog, and this is an environment; "
            "name its catalog instead",
            click.get_current_context(),
        )


@dataclass(frozen=True)
class _Run:
    """A run over the views of a catalog.

    Args:
        terminal: shows the progress.
        catalogs: where the views are.
        jobs: how many are verified at the same time.
        all_rows: whether rows are compared where plans prove that they are equal.
        record: outcomes of earlier runs, and of this one; None where nobody asked for one.
    """

    terminal: Terminal
    catalogs: CatalogManager
    jobs: int
    all_rows: bool
    record: ProofRecord | None

    def verify_all(self, views: Sequence[ObjectId], spark_as: SparkOptions) -> list[Outcome]:
        """Verifies the views that the record does not know; the outcomes of all, in order."""
        known, states = self._recorded(views)
        left = [view for view in views if view not in known]
        if left:
            made = self._verify(left, states, spark_as)
            known |= {each.id: each for each in made}
        return [known[view] for view in views]

    def _recorded(
        self, views: Sequence[ObjectId]
    ) -> tuple[dict[ObjectId, Outcome], dict[ObjectId, str]]:
        if self.record is None:
            return {}, {}
        states = ViewStates(self.catalogs)
        found = {view: states.state_of(view) for view in views}
        outcomes = {view: self.record.find(view, state) for view, state in found.items()}
        return {view: each for view, each in outcomes.items() if each is not None}, found

    def _verify(
        self,
        views: Sequence[ObjectId],
        states: Mapping[ObjectId, str],
        spark_as: SparkOptions,
    ) -> list[Outcome]:
        def note(outcome: Outcome) -> None:
            if self.record is not None:
                self.record.add(outcome, states[outcome.id])

        self.terminal.note(spark_as.note)
        with (
            self._told_when_stopped(),
            spark_as.session() as spark,
            _verifier(self.catalogs, spark, self.all_rows) as verifier,
        ):
            return verify_each(
                self.terminal,
                views,
                CHECKS,
                lambda view: verifier.verify(view.database, view.name),
                jobs=self.jobs,
                then=note,
                in_turns=verifier.in_turns,
            )

    @contextmanager
    def _told_when_stopped(self) -> Iterator[None]:
        """Says, when somebody presses Ctrl-C, how to go on."""
        try:
            yield
        except KeyboardInterrupt:
            if self.record is None:
                self.terminal.note("Nothing was noted: with --record FILE, a run can be resumed.")
            else:
                self.terminal.note(f"Go on with: --record {shlex.quote(str(self.record))} --resume")
            raise


def _verifier(catalogs: CatalogManager, spark: Any, all_rows: bool) -> CatalogVerifier:
    from viewscribe.spark.catalog_verification import CatalogVerifier

    return CatalogVerifier(catalogs, spark, all_rows=all_rows)


def _page(outcomes: Sequence[Outcome], url: str) -> Page:
    data = {"catalog": url, **verified_data(outcomes)}
    return Page(data, list(_blocks(outcomes, url)))


def _blocks(outcomes: Sequence[Outcome], url: str) -> Iterator[Block]:
    if not outcomes:
        yield Paragraph(f"{url} holds no views.")
        return
    yield from verified_blocks(outcomes)
    text = f"{describe_count(len(outcomes), 'view')}: {statuses_told(outcomes)}."
    recorded = sum(each.is_recorded for each in outcomes)
    if recorded:
        text += f" {recorded:,} of them earlier, and nothing they depend on has changed."
    first = next((each for each in outcomes if not each.ok), None)
    if first is not None:
        step = shlex.join(["viewscribe", "show", url, full_name(first.id)])
        text = f"{text} Look at the first with: {step}"
    yield Paragraph(text)
