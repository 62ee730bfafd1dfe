"""``viewscribe diff``: what differs between two environments, or two versions of an object."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from viewscribe.cli.command import DIFFERENT, DONE, command
from viewscribe.cli.commands.versions import diff_versions, mean_versions
from viewscribe.cli.completion import VIEW
from viewscribe.cli.environments import config_option, environments, find_environment
from viewscribe.cli.plans import plan_page, verdicts_of
from viewscribe.cli.progress import Terminal


@command("diff")
@click.argument(
    "arguments", nargs=-1, type=VIEW, metavar="A B | [CATALOG] NAME[@VERSION] [NAME@VERSION]"
)
@click.option(
    "--select", metavar="PATTERN", multiple=True, help="Only these of A's names, as sales.*"
)
@config_option
def diff(
    terminal: Terminal, arguments: Sequence[str], select: Sequence[str], config: str | None
) -> int:
    """Show what would have to happen for B to hold what A holds.

    A and B are environments of viewscribe.yaml, or catalogs. Views, functions, their SQL and their
    columns are compared, with A's names translated into B's. Nothing is written.

    Or show what differs between two versions of the object NAME: its SQL, its columns, its
    settings. Without a second version the first is compared with the present one; without any,
    the present one with the one before.
    """
    if _are_versions(arguments, config):
        return diff_versions(terminal, arguments)
    source, target = arguments
    return diff_environments(terminal, source, target, select, config)


def _are_versions(arguments: Sequence[str], config: str | None) -> bool:
    """Whether the arguments name an object; two may be environments, or a catalog and a name."""
    if len(arguments) != 2 or mean_versions(arguments):
        return True
    last = arguments[1]
    if ":" in last or os.sep in last or os.path.isdir(last) or "." not in last:
        return False
    file = environments(config)
    return file is None or last not in file


def diff_environments(
    terminal: Terminal, source: str, target: str, select: Sequence[str], config: str | None
) -> int:
    """What differs between two environments; ``DIFFERENT`` where something does."""
    from viewscribe.environments.migration import make_plan

    there = find_environment(target, config)
    plan = make_plan(
        find_environment(source, config),
        there,
        select=select,
        processes=os.cpu_count() or 1,
        watch=terminal.progress,
    )
    terminal.output.show(plan_page(plan, details=True, verdicts=verdicts_of(plan, there)))
    return DIFFERENT if plan.steps or plan.extra or plan.blocking else DONE
