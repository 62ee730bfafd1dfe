"""Resolving the arguments ENVIRONMENT and PLAN."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import url_of
from viewscribe.cli.completion import PLACE

if TYPE_CHECKING:
    from viewscribe.environments import Environment, EnvironmentFile
    from viewscribe.environments.migration import Plan


def config_option(function: Any) -> Any:
    """Adds ``--config``."""
    return click.option(
        "--config",
        type=PLACE,
        metavar="FILE",
        help="The environments file; by default viewscribe.yaml here or above.",
    )(function)


def find_environment(place: str, config: str | None) -> Environment:
    """Returns a named environment of the file, or an ad-hoc one over a catalog.

    Raises:
        EnvironmentFileError: the file is invalid.
        UnknownEnvironmentError: it is neither an environment of the file nor a catalog.
    """
    from viewscribe.environments import environment_of

    file = environments(config)
    if file is not None and place in file:
        return file[place]
    if ":" in place or os.sep in place or os.path.isdir(place):
        return environment_of(url_of(place))
    if file is not None:
        return file[place]
    raise click.UsageError(
        f"'{place}' is neither a catalog nor an environment: there is no viewscribe.yaml here",
        click.get_current_context(silent=True),
    )


def environments(config: str | None) -> EnvironmentFile | None:
    """Returns the environments file; None if none was given and none exists."""
    from viewscribe.environments import find_environments, load_environments

    return find_environments() if config is None else load_environments(config)


def plan_and_target(path: str, target: str | None, config: str | None) -> tuple[Plan, Environment]:
    """Returns a saved plan and its target environment."""
    from viewscribe.environments.migration import read_plan, target_of

    plan = read_plan(path)
    if target is not None:
        return plan, find_environment(target, config)
    return plan, target_of(plan, config)
