"""The state of a step: whether it is still to be done, done already, or impossible by now."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, cast

import msgspec

from viewscribe.catalog_store.documents.model import DocumentKind, ObjectDocument, ObjectKind
from viewscribe.catalog_store.documents.plain import from_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import DamagedDocumentError, ObjectNotFoundError
from viewscribe.catalog_store.protocol import NAMESPACE, Catalog, Stored, Token
from viewscribe.environments.migration.model import Expected, Step
from viewscribe.environments.migration.snapshot import Snapshot, content, key_of

_FEW = 200
"""Up to how many objects are read one by one instead of all at once."""


class Found(NamedTuple):
    """An object of the target as it is now."""

    document: Any
    token: Token
    version: Version | None


class Reader:
    """Reads single objects of a catalog, all at once where there are many to read.

    Args:
        catalog: the catalog.
        count: about how many objects will be asked for.
    """

    def __init__(self, catalog: Catalog, count: int = 0) -> None:
        self._catalog = catalog
        self._snapshot = Snapshot(catalog.load_all()) if count > _FEW else None

    def find(self, kind: DocumentKind, database: str, name: str) -> Found | None:
        """The object of that name, of a view or table whichever there is; None for none.

        Raises:
            DamagedDocumentError: it cannot be read.
        """
        if self._snapshot is not None:
            return self._in_snapshot(self._snapshot, kind, database, name)
        if kind == "database":
            return self._database(database)
        for each in NAMESPACE[kind]:
            try:
                stored = self._catalog.get(each, database, name)
            except ObjectNotFoundError:
                continue
            return Found(stored.document, stored.token, stored.version)
        return None

    def _database(self, name: str) -> Found | None:
        try:
            stored: Stored[Any] = self._catalog.get_database(name)
        except ObjectNotFoundError:
            return None
        return Found(stored.document, stored.token, None)

    def _in_snapshot(
        self, snapshot: Snapshot, kind: DocumentKind, database: str, name: str
    ) -> Found | None:
        key = key_of(kind, database, name)
        if key in snapshot.unreadable:
            raise snapshot.unreadable[key].error
        loaded = snapshot.loaded.get(key)
        return None if loaded is None else Found(loaded.document, loaded.token, loaded.version)


class State(NamedTuple):
    """What is to be said of a step.

    Args:
        is_: ``todo``; ``half``, a rename whose change is to follow; ``done``; ``conflict``.
        found: what is there now.
        why: what is in the way.
    """

    is_: Literal["todo", "half", "done", "conflict"]
    found: Found | None = None
    why: str = ""


def state_of(step: Step, reader: Reader) -> State:
    """The state of a step. Raises ``CatalogError`` where the catalog cannot be read."""
    try:
        found = reader.find(step.kind, step.database, step.name)
        if step.kind == "database":
            return State("todo" if found is None else "done", found)
        if found is not None and found.document.kind != step.kind:
            return State("conflict", found, f"is a {found.document.kind} now")
        if step.operation == "rename":
            return _of_rename(step, found, reader)
    except DamagedDocumentError as error:
        return State("conflict", None, f"cannot be read: {error.message}")
    return _HANDLERS[step.operation](step, found)


GOING = "viewscribe.going"
"""The property of an object that is about to be taken back."""


def without_mark(document: Any) -> Any:
    """The document as it was before it was marked as going."""
    kept = {key: value for key, value in document.properties.items() if key != GOING}
    return msgspec.structs.replace(document, properties=kept)


def _of_create(step: Step, found: Found | None) -> State:
    if found is None:
        return State("todo")
    if content(found.document) == desired_content(step):
        return State("done", found)
    if content(without_mark(found.document)) == desired_content(step):
        return State("todo", found)  # somebody is about to take it back: whoever is first wins
    return State("conflict", found, f"is there by now{_by(found)}")


def _of_change(step: Step, found: Found | None) -> State:
    if found is None:
        return State("conflict", None, "is not there any more")
    # What is wanted comes first: a plan may be applied twice.
    if content(found.document) == desired_content(step):
        return State("done", found)
    if _as_expected(step.expected, found):
        return State("todo", found)
    return State("conflict", found, f"was changed since the plan was made{_by(found)}")


def _of_delete(step: Step, found: Found | None) -> State:
    if found is None:
        return State("done")
    if _as_expected(step.expected, found):
        return State("todo", found)
    return State("conflict", found, f"was changed since the plan was made{_by(found)}")


def _of_rename(step: Step, found: Found | None, reader: Reader) -> State:
    assert step.former is not None
    former = reader.find(step.kind, *step.former)
    if found is None:
        if former is None:
            return State("conflict", None, f"`{'.'.join(step.former)}` is not there any more")
        if _as_expected(step.expected, former):
            return State("todo", former)
        why = f"`{'.'.join(step.former)}` was changed since the plan was made{_by(former)}"
        return State("conflict", former, why)
    if former is not None:
        return State("conflict", found, f"is there by now{_by(found)}")
    if content(found.document) == desired_content(step):
        return State("done", found)
    back = msgspec.structs.replace(found.document, database=step.former[0], name=step.former[1])
    if step.expected is not None and content(back) == step.expected.content:
        return State("half", found)
    return State("conflict", found, f"is there by now{_by(found)}")


_HANDLERS = {"create": _of_create, "change": _of_change, "delete": _of_delete}


def _as_expected(expected: Expected | None, found: Found) -> bool:
    """By token, or by content where somebody changed it and took that back."""
    if expected is None:
        return False
    return found.token == expected.token or content(found.document) == expected.content


def make_desired(step: Step) -> ObjectDocument:
    """The document that a step writes."""
    assert step.document is not None
    return cast(ObjectDocument, from_plain(step.document))


def desired_content(step: Step) -> str | None:
    """What the object's content is to be; None where it is to be gone."""
    return None if step.document is None else content(make_desired(step))


def object_kind(step: Step) -> ObjectKind:
    """The kind of a step that is not of a database."""
    assert step.kind != "database"
    return step.kind


def _by(found: Found) -> str:
    author = found.version.author if found.version is not None else None
    return f" by {author}" if author else ""
