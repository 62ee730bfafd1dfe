"""``viewscribe plan``: a file that says what has to happen in an environment."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from viewscribe.cli.command import DIFFERENT, DONE, command
from viewscribe.cli.completion import CATALOG, PLACE
from viewscribe.cli.environments import config_option, find_environment
from viewscribe.cli.plans import plan_page
from viewscribe.cli.progress import Terminal

if TYPE_CHECKING:
    from viewscribe.environments.migration import Plan


@command("plan")
@click.argument("source", type=CATALOG, metavar="A")
@click.argument("target", type=CATALOG, metavar="B")
@click.option(
    "--select", metavar="PATTERN", multiple=True, help="Only these of A's names, as sales.*"
)
@click.option("--delete", is_flag=True, help="Also delete what A has not, of what plans brought.")
@click.option("--delete-foreign", is_flag=True, help="Also delete what came to B another way.")
@click.option("--overwrite-drift", is_flag=True, help="Also overwrite edits by hand in B.")
@click.option(
    "-o", "--output", type=PLACE, metavar="FILE", help="Where the plan goes, JSON or .yaml."
)
@click.option(
    "--html", type=PLACE, metavar="FILE", help="Also write the plan as a page to read in a browser."
)
@click.option("--exit-code", is_flag=True, help="End with 3 where there is something to do.")
@config_option
def plan(
    terminal: Terminal,
    source: str,
    target: str,
    select: Sequence[str],
    delete: bool,
    delete_foreign: bool,
    overwrite_drift: bool,
    output: str | None,
    html: str | None,
    exit_code: bool,
    config: str | None,
) -> int:
    """Plan what has to happen for B to hold what A holds.

    The plan lists every step in order, what it breaks and what it needs that is missing. Read it,
    then carry it out with viewscribe apply. Ends with 3 where it has problems.
    """
    from viewscribe.environments.migration import make_plan, write_plan

    if output and html and Path(output).resolve() == Path(html).resolve():
        raise click.UsageError("-o and --html name the same file")
    made = make_plan(
        find_environment(source, config),
        find_environment(target, config),
        select=select,
        delete=delete,
        delete_foreign=delete_foreign,
        overwrite_drift=overwrite_drift,
        processes=os.cpu_count() or 1,
        watch=terminal.progress,
    )
    if html is not None:
        _write_page(made, html)
    next_step = None
    if output is not None:
        write_plan(made, output)
        if made.steps and not made.blocking:
            next_step = f"Next: {shlex.join(['viewscribe', 'apply', output])}"
        elif made.blocking:
            next_step = "Solve the problems, then plan again."
    terminal.output.show(plan_page(made, details=output is None, next_step=next_step))
    if made.blocking or (exit_code and made.steps):
        return DIFFERENT
    return DONE


def _write_page(made: Plan, path: str) -> None:
    from viewscribe.catalog_store.whole_files import replace_own
    from viewscribe.environments.migration import PlanFileError
    from viewscribe.site.pages.plan import plan_html

    try:
        replace_own(path, plan_html(made).encode(), b'name="generator" content="viewscribe"')
    except OSError as error:
        raise PlanFileError(f"{path} cannot be written: {error.strerror}") from None
