"""``viewscribe environments``: what the environments file defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.command import DONE, command
from viewscribe.cli.environments import config_option
from viewscribe.cli.environments import environments as find_file
from viewscribe.cli.output.pages import Cell, Grid, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.progress import Terminal
from viewscribe.secrets import mask_settings, mask_value

if TYPE_CHECKING:
    from viewscribe.environments import Environment


@command("environments")
@config_option
def environments(terminal: Terminal, config: str | None) -> int:
    """List the environments of viewscribe.yaml: their catalogs and settings.

    Nothing is opened. Secrets are never shown.
    """
    file = find_file(config)
    if file is None:
        raise click.UsageError(
            "there is no viewscribe.yaml here or above; viewscribe init writes one",
            click.get_current_context(),
        )
    found = [file[name] for name in file.names]
    rows = [
        (
            Cell(each.name, "name"),
            Cell(each.shown_url),
            Cell(each.catalog_name),
            Cell("; ".join(_features(each))),
        )
        for each in found
    ]
    grid = Grid(("name", "catalog", "called", "more"), rows)
    data = {"file": file.path, "environments": [_data(each) for each in found]}
    count = describe_count(len(found), "environment")
    terminal.output.show(Page(data, [grid, Paragraph(f"{count} in {file.path}.")]))
    return DONE


def _features(environment: Environment) -> list[str]:
    """What an environment has besides its catalog, in a few words."""
    reached = [each for every in _allowed(environment).values() for each in every]
    counted = [
        (len(environment.spark), "Spark setting"),
        (len(environment.python_modules), "Python module"),
        (len(reached), "permission"),
    ]
    return [describe_count(count, noun) for count, noun in counted if count]


def _data(environment: Environment) -> dict[str, Any]:
    return {
        "name": environment.name,
        "catalog": environment.shown_url,
        "catalog_name": environment.catalog_name,
        "spark": mask_settings(environment.spark),
        "python_modules": list(environment.python_modules),
        "changed_functions": environment.changed_functions,
        "allow": _allowed(environment),
    }


def _allowed(environment: Environment) -> dict[str, list[str]]:
    return {
        "formats": list(environment.formats),
        "locations": list(map(mask_value, environment.locations)),
        "functions": list(environment.functions),
        "opaque": list(environment.opaque),
    }
