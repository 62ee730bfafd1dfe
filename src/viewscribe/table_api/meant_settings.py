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
    here, there = one.settings, other.settings
    if here == there:
        return
    differing = [
        name
        for name in {*here, *there}
        if _is_meaning(name) and _folded(here.get(name)) != _folded(there.get(name))
    ]
    if not differing:
        return
    name = min(differing)
    raise ValidationError(
        f"one table is meant for {_shown(name, here)}, and the other for {_shown(name, there)}",
        hint="give both environments the same settings, or save one table as a view, which keeps "
        "its own, and read it by its name: env.from_path(…)",
    )


def _is_meaning(name: str) -> bool:
    """Whether a pipeline means something else under another value.

    How asynchronous calls are made is a matter of a run; with TIME on, Spark only takes more.
    """
    from viewscribe.expressions.functions.asynchronous.options import PREFIXES
    from viewscribe.operations.required_settings import TIME_TYPE

    return not name.startswith(PREFIXES) and name != TIME_TYPE


def _folded(value: str | None) -> str | None:
    return None if value is None else value.strip().lower()


def _shown(name: str, settings: Mapping[str, str]) -> str:
    return f"{name} = {settings[name]}" if name in settings else f"Spark's default of {name}"
