"""Drift: objects of the target that no plan created, and manual edits to those that one did.

Every version that a plan writes says so (``model.stamp``): an object without such a version came
another way, and one whose present state is not the last of them was edited since. So was a view
or function whose fingerprint does not fit: somebody changed its file, and the version there is the
plan's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from viewscribe.catalog_store.documents.model import Document, ObjectKind, ViewDocument
from viewscribe.catalog_store.documents.normalization import is_edited
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.protocol import Catalog, Loaded, Stored
from viewscribe.catalog_store.view_checks import print_plan, prints, read_plan
from viewscribe.environments.migration.fields import field_changes
from viewscribe.environments.migration.model import Drift, Problem, Step, origin_of
from viewscribe.environments.migration.snapshot import Key, Snapshot, content, key_of
from viewscribe.environments.migration.steps import column_changes_of, name_of, place_of, sql_diff
from viewscribe.errors import ViewscribeError
from viewscribe.types.policy import coercion, coercion_of


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
        """Returns the manual edit of the object that a step changes, or who made it; or None."""
        former = step.former or (step.database, step.name)
        if step.kind == "database" or step.operation == "create":
            return None
        key = key_of(step.kind, *former)
        entry, last = self._targets.loaded.get(key), self._last(key)
        if entry is None:
            return None
        if last is None:
            made = entry.version
            return Drift(
                author=None if made is None else made.author,
                reason=None if made is None else made.reason,
                foreign=True,
            )
        in_place = _is_edited_in_place(entry.document)
        if not in_place and content(last.document) == content(entry.document):
            return None
        before = last.document
        if before is entry.document:
            before = _as_planned(entry.document)
        version = None if in_place else entry.version  # which is not the edit's
        name = name_of(entry)
        return Drift(
            author=None if version is None else version.author,
            reason=None if version is None else version.reason,
            sql_diff=sql_diff(before, entry.document, (name, f"{name} (edited)")),
            columns=tuple(column_changes_of(before, entry.document)),
            fields=field_changes(before, entry.document),
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


def _is_edited_in_place(document: Document) -> bool:
    """Whether a document was changed by something else than viewscribe."""
    unsealed = isinstance(document, ViewDocument) and not document.fingerprint
    return unsealed or is_edited(document)


def _as_planned(document: Document) -> Document:
    """An edited view with the text and columns that its plan has, as far as that can be read."""
    if not isinstance(document, ViewDocument) or document.plan is None:
        return document
    try:
        with coercion(coercion_of(document.settings)):
            tree = read_plan(document)
            if prints(tree, document):
                return document
            text = print_plan(tree, document)
    except ViewscribeError:
        return document
    return msgspec.structs.replace(document, sql=text)


def _is_of_plan(version: Version | None) -> bool:
    return version is not None and origin_of(version.source) is not None


def drift_problems(steps: list[Step]) -> Iterator[Problem]:
    """Yields a problem for each step that would overwrite a manual edit."""
    for step in steps:
        if step.drift is not None and not step.drift.foreign:
            yield Problem(
                code="drift",
                object=step.target,
                message=f"{step.drift}; the plan would {_UNDOING[step.operation]} that",
                hint="bring the edit into the source, or overwrite it: --overwrite-drift, "
                "overwrite_drift=True",
            )


_UNDOING = {"change": "overwrite", "rename": "overwrite", "delete": "delete", "create": "overwrite"}
