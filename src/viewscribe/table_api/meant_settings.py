"""The settings that a pipeline is meant for: those of its environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from viewscribe.errors import ValidationError

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def in_settings(env: TableEnvironment, meant: Mapping[str, str]) -> TableEnvironment:
    """The environment, or one over the same catalogs where it was not given these settings.

    Args:
        env: an environment.
        meant: settings of a stored view.
    """
    return env if meant.items() <= env.given_settings.items() else env.with_settings(meant)


def require_same_settings(one: TableEnvironment, other: TableEnvironment) -> None:
    """Refuses to make one pipeline of two that are meant for different settings.

    Raises:
        ValidationError: names the first setting that differs.
    """
    if one.settings == other.settings:
        return
    here, there = one.settings, other.settings
    differing = [name for name in here if name in there and not _is_same(here[name], there[name])]
    if not differing:
        return
    name = min(differing)
    raise ValidationError(
        f"one table is meant for {name} = {here[name]}, and the other for {there[name]}",
        hint="give both environments the same settings, or save one table as a view, which keeps "
        "its own, and read it by its name: env.from_path(…)",
    )


def _is_same(one: str, other: str) -> bool:
    return one.strip().lower() == other.strip().lower()
