"""The Spark settings that views are made under, as statements.

Spark keeps with a view the settings of the session that made it. So each view is made under its
own, and what the session had before does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from viewscribe.catalog_store.settings import DEFAULT_SETTINGS, is_allowed
from viewscribe.errors import ValidationError
from viewscribe.export.model import ExportedView


def settings_of(view: ExportedView) -> dict[str, str]:
    """The settings that the meaning of a view depends on, by name.

    Raises:
        ValidationError: one is none that a view may have.
    """
    found = {**DEFAULT_SETTINGS, **view.document.settings}
    for name, value in found.items():
        if not is_allowed(name, value):
            raise ValidationError(f"the view {view.name} may not set {name} = {value!r}")
    return dict(sorted(found.items()))


def set_statements(settings: Mapping[str, str]) -> list[str]:
    """A SET for each setting."""
    return [f"SET {name} = {value}" for name, value in settings.items()]


def reset_statements(settings: Iterable[str]) -> list[str]:
    """A RESET for each setting: the session has its own values again."""
    return [f"RESET {name}" for name in settings]


class SharedSettings:
    """The settings of views that are made in one session.

    Args:
        views: the views.
    """

    def __init__(self, views: Iterable[ExportedView]) -> None:
        every = [settings_of(view) for view in views]
        names = sorted({name for each in every for name in each})
        values = {name: {each.get(name) for each in every} for name in names}
        self.differing = [name for name in names if len(values[name]) > 1]
        """The names of those in which the views differ."""
        first = every[0] if every else {}
        self.common = {name: first[name] for name in names if len(values[name]) == 1}
        """Those that all views have with one value."""

    def own_statements(self, view: ExportedView) -> list[str]:
        """What sets for a view all settings in which the views differ."""
        own = settings_of(view)
        return [
            f"SET {name} = {own[name]}" if name in own else f"RESET {name}"
            for name in self.differing
        ]


def most_common_settings(views: Iterable[ExportedView]) -> dict[str, str]:
    """The settings that most views have."""
    counts: Counter[tuple[tuple[str, str], ...]] = Counter()
    for view in views:
        try:
            counts[tuple(settings_of(view).items())] += 1
        except ValidationError:  # the view is refused for that
            continue
    most = max(counts.values(), default=0)
    return dict(min((each for each in counts if counts[each] == most), default=()))


def other_setting(view: ExportedView, settings: Mapping[str, str]) -> str | None:
    """What a view does with the first setting that it has not like these; None where it has."""
    own = settings_of(view)
    for name in sorted({*own, *settings}):
        if name not in own:
            return f"does not set {name}"
        if name not in settings:
            return f"has {name} = {own[name]}"
        if own[name] != settings[name]:
            return f"has {name} = {own[name]}, not {settings[name]}"
    return None
