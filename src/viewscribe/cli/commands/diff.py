"""``viewscribe diff``: what differs between two environments."""

from __future__ import annotations

from collections.abc import Sequence

import click

from viewscribe.cli.command import DIFFERENT, DONE, command
from viewscribe.cli.environments import config_option, find_environment
from viewscribe.cli.plans import plan_page
from viewscribe.cli.terminal import Terminal


@command("diff")
@click.argument("source", metavar="A")
@click.argument("target", metavar="B")
@click.option(
    "--select", metavar="PATTERN", multiple=True, help="Only these of A's names, as sales.*"
)
@config_option
def diff(
    terminal: Terminal, source: str, target: str, select: Sequence[str], config: str | None
) -> int:
    """Show what would have to happen for B to hold what A holds.

    A and B are environments of viewscribe.yaml, or catalogs. Views, functions, their SQL and their
    columns are compared, with A's names translated into B's. Nothing is written.
    """
    return diff_environments(terminal, source, target, select, config)


def diff_environments(
    terminal: Terminal, source: str, target: str, select: Sequence[str], config: str | None
) -> int:
    """What differs between two environments; ``DIFFERENT`` where something does."""
    from viewscribe.catalog_store.migration import make_plan

    plan = make_plan(
        find_environment(source, config),
        find_environment(target, config),
        select=select,
        watch=terminal.progress,
    )
    terminal.output.show(plan_page(plan, details=True))
    return DIFFERENT if plan.steps or plan.extra or plan.blocking else DONE
