"""Drift: objects of the target that no plan created, and manual edits to those that one did.

Every version that a plan writes carries a stamp (``model.stamp``). An object without a stamped
version was not created by a plan; one whose current version is not the last stamped one was edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from viewscribe.catalog_store.documents import ObjectKind
from viewscribe.catalog_store.migration.model import Drift, Problem, Step, origin_of
from viewscribe.catalog_store.migration.snapshot import Key, Snapshot, content, key_of
from viewscribe.catalog_store.migration.steps import column_changes_of, name_of, place_of, sql_diff
from viewscribe.catalog_store.protocol import Catalog, Loaded, Stored
from viewscribe.catalog_store.versions import Version


class Deliveries:
    """The objects that plans have delivered to a target.

    Args:
        catalog: the target; None if it does not exist yet.
        targets: its documents.
    """

    def __init__(self, catalog: Catalog | None, targets: Snapshot) -> None:
        self._catalog = catalog
        self._targets = targets
        self._known: dict[Key, Stored[Any] | None] = {}

    def are_of(self, key: Key) -> bool:
        """Returns whether a plan delivered the object; False if its history is unreadable."""
        return self._last(key) is not None

    def drift(self, step: Step) -> Drift | None:
        """Returns the manual edit of the object that a step changes, or None."""
        former = step.former or (step.database, step.name)
        if step.kind == "database" or step.operation == "create":
            return None
        key = key_of(step.kind, *former)
        entry, last = self._targets.loaded.get(key), self._last(key)
        if entry is None or last is None or content(last.document) == content(entry.document):
            return None
        version = entry.version
        name = name_of(entry)
        return Drift(
            author=None if version is None else version.author,
            reason=None if version is None else version.reason,
            sql_diff=sql_diff(last.document, entry.document, (name, f"{name} (edited)")),
            columns=tuple(column_changes_of(last.document, entry.document)),
        )

    def _last(self, key: Key) -> Stored[Any] | None:
        """Returns the last version of an object that a plan wrote."""
        if key not in self._known:
            self._known[key] = self._find(self._targets.loaded.get(key))
        return self._known[key]

    def _find(self, entry: Loaded | None) -> Stored[Any] | None:
        if entry is None or self._catalog is None:
            return None
        if _is_of_plan(entry.version):
            return Stored(cast("Any", entry.document), entry.token, entry.version)
        if entry.version is None or entry.version.number == 1:
            return None
        history = self._catalog.history(cast(ObjectKind, entry.id.kind), *place_of(entry))
        return next((each for each in reversed(history) if _is_of_plan(each.version)), None)


def _is_of_plan(version: Version | None) -> bool:
    return version is not None and origin_of(version.source) is not None


def drift_problems(steps: list[Step]) -> Iterator[Problem]:
    """Yields a problem for each step that would overwrite a manual edit."""
    for step in steps:
        if step.drift is not None:
            yield Problem(
                code="drift",
                object=step.target,
                message=f"{step.drift}; the plan would {_UNDOING[step.operation]} that",
                hint="bring the edit into the source, or overwrite it: --overwrite-drift, "
                "overwrite_drift=True",
            )


_UNDOING = {"change": "overwrite", "rename": "overwrite", "delete": "delete", "create": "overwrite"}
