"""``viewscribe apply``: carries a plan out; ``viewscribe rollback`` takes it back."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from viewscribe.cli.command import DONE, command
from viewscribe.cli.commands.versions import roll_back_object
from viewscribe.cli.completion import OBJECT_OR_FILE
from viewscribe.cli.environments import config_option, plan_and_target
from viewscribe.cli.output.pages import Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.plans import plan_page
from viewscribe.cli.progress import Terminal

if TYPE_CHECKING:
    from viewscribe.environments import Environment
    from viewscribe.environments.migration import Outcome, Plan

_author_option = click.option(
    "--author", help="Who does it; by default VIEWSCRIBE_AUTHOR, else the user."
)


_yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask in a terminal.")


@command("apply")
@click.argument("path", type=click.Path(), metavar="PLAN")
@click.option("--target", metavar="B", help="The target, where the plan cannot say how to open it.")
@click.option("--allow-breaking", is_flag=True, help="Even where views of the target break.")
@click.option("--reason", metavar="TEXT", help="Why; goes into the histories.")
@_author_option
@click.option("--dry-run", is_flag=True, help="Only check whether the plan fits; write nothing.")
@_yes_option
@config_option
def apply(
    terminal: Terminal,
    path: str,
    target: str | None,
    allow_breaking: bool,
    reason: str | None,
    author: str | None,
    dry_run: bool,
    yes: bool,
    config: str | None,
) -> int:
    """Carry out the plan of a file.

    Nothing is written where the plan has problems or no longer fits the target. Where a step fails,
    what was done is taken back. A run that was cut off is continued by running it again.
    """
    from viewscribe.environments.migration import apply_plan, journal_of, open_to_apply

    plan, environment = plan_and_target(path, target, config)
    if dry_run:
        _check(terminal, plan, environment, allow_breaking)
        return DONE
    _confirm(terminal, plan, yes=yes)
    catalog = open_to_apply(plan, environment, allow_breaking=allow_breaking)
    outcome = apply_plan(
        plan,
        catalog,
        journal=journal_of(path),
        allow_breaking=allow_breaking,
        author=author,
        reason=reason,
        watch=terminal.progress,
    )
    back = shlex.join(["viewscribe", "rollback", path])
    next_step = f" Take it back with: {back}" if outcome.done else ""
    terminal.output.show(_page(plan, outcome, "carried out", next_step))
    return DONE


@command("rollback")
@click.argument("arguments", nargs=-1, type=OBJECT_OR_FILE, metavar="PLAN | [CATALOG] NAME")
@click.option("--to", type=click.IntRange(min=1), help="The version of NAME to go back to.")
@click.option("--target", metavar="B", help="The target, where the plan cannot say how to open it.")
@click.option("--allow-breaking", is_flag=True, help="Even where others read what goes.")
@click.option("--reason", metavar="TEXT", help="Why; goes into the histories.")
@_author_option
@_yes_option
@config_option
def rollback(
    terminal: Terminal,
    arguments: Sequence[str],
    to: int | None,
    target: str | None,
    allow_breaking: bool,
    reason: str | None,
    author: str | None,
    yes: bool,
    config: str | None,
) -> int:
    """Take back what applying the plan of a file did.

    Nothing is written where something was changed since, or where others read what would go.

    With --to, make an earlier version of the object NAME the present one, as a new version.
    """
    from viewscribe.environments.migration import journal_of, rollback_plan

    if to is not None:
        return roll_back_object(
            terminal, arguments, to, allow_breaking=allow_breaking, reason=reason, author=author
        )
    if len(arguments) != 1:
        raise click.UsageError(
            "name the file of one plan, or an object and --to", click.get_current_context()
        )
    plan, environment = plan_and_target(arguments[0], target, config)
    terminal.confirm(f"Take back what the plan did in {plan.target.name}?", yes=yes)
    outcome = rollback_plan(
        plan,
        environment.open(),
        journal=journal_of(arguments[0]),
        allow_breaking=allow_breaking,
        author=author,
        reason=reason,
        watch=terminal.progress,
    )
    terminal.output.show(_page(plan, outcome, "taken back", ""))
    return DONE


def _confirm(terminal: Terminal, plan: Plan, *, yes: bool) -> None:
    """Asks where the plan deletes, or breaks views that stay."""
    deleted = sum(step.operation == "delete" for step in plan.steps)
    broken = {view for step in plan.steps for view in step.breaks}
    told = [f"deletes {describe_count(deleted, 'object')}"] if deleted else []
    told += [f"breaks {describe_count(len(broken), 'view')}"] if broken else []
    if told:
        terminal.confirm(f"The plan {' and '.join(told)} in {plan.target.name}. Go on?", yes=yes)


def _check(terminal: Terminal, plan: Plan, environment: Environment, allow_breaking: bool) -> None:
    """What ``--dry-run`` does."""
    from viewscribe.catalog_store import MemoryCatalog
    from viewscribe.environments.migration import check_plan, open_if_there

    catalog = open_if_there(environment)
    there = MemoryCatalog() if catalog is None else catalog
    check_plan(plan, there, allow_breaking=allow_breaking, watch=terminal.progress)
    terminal.output.show(plan_page(plan, details=False, next_step="It fits. Nothing written."))


def _page(plan: Plan, outcome: Outcome, what: str, next_step: str) -> Page:
    data = {
        "plan": plan.id,
        "source": plan.source.name,
        "target": plan.target.name,
        "done": list(outcome.done),
        "already": list(outcome.already),
    }
    if what == "taken back" and not outcome.done:
        told = f"Nothing to do in {plan.target.name}: all of it was taken back before."
        return Page(data, [Paragraph(told)])
    text = f"{describe_count(len(outcome.done), 'step')} {what} in {plan.target.name}"
    if outcome.already:
        text += f", {len(outcome.already):,} done already"
    return Page(data, [Paragraph(f"{text}.{next_step}")])
