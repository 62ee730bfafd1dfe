"""All documents of a catalog at once, found by name, and what tells whether two are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.catalog_store.documents.model import (
    SCHEMA_VERSION,
    Document,
    DocumentKind,
    FunctionDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Catalog, Loaded, Unreadable
from viewscribe.catalog_store.view_checks import read_plan
from viewscribe.environments.migration.progress import Watch, silent
from viewscribe.errors import ViewscribeError
from viewscribe.types.policy import coercion, coercion_of

D = TypeVar("D", bound=Document)


class Key(NamedTuple):
    """An object by its namespace and its folded names; of a database the name is empty."""

    space: Literal["relation", "function", "database"]
    database: str
    name: str


def key_of(kind: DocumentKind, database: str, name: str) -> Key:
    """The key of an object of a kind."""
    if kind == "database":
        return Key("database", fold(database), "")
    space: Literal["relation", "function"] = "function" if kind == "function" else "relation"
    return Key(space, fold(database), fold(name))


class Snapshot:
    """What a catalog holds.

    Args:
        entries: what was loaded, and what could not be.
    """

    def __init__(self, entries: Iterator[Loaded | Unreadable] | tuple[()] = ()) -> None:
        self.loaded: dict[Key, Loaded] = {}
        self.unreadable: dict[Key, Unreadable] = {}
        self.clashes: list[tuple[Loaded, Loaded]] = []
        for entry in entries:
            key = key_of(entry.id.kind, entry.id.database, entry.id.name)
            if isinstance(entry, Unreadable):
                self.unreadable[key] = entry
            elif key in self.loaded:
                self.clashes.append((self.loaded[key], entry))
            else:
                self.loaded[key] = entry

    def __contains__(self, key: Key) -> bool:
        return key in self.loaded or key in self.unreadable

    def document(self, key: Key) -> Document | None:
        """The document of a key, where there is one that can be read."""
        found = self.loaded.get(key)
        return None if found is None else found.document

    def entry(self, key: Key) -> Loaded | Unreadable | None:
        """What is there, whether it can be read or not."""
        return self.loaded.get(key) or self.unreadable.get(key)

    def of_kind(self, *kinds: DocumentKind) -> list[Loaded]:
        """The entries of some kinds, sorted by name."""
        found = [each for each in self.loaded.values() if each.id.kind in kinds]
        return sorted(found, key=lambda each: key_of(each.id.kind, each.id.database, each.id.name))


def read(catalog: Catalog, what: str, watch: Watch = silent) -> Snapshot:
    """Everything a catalog holds, in one pass. Raises ``CatalogError`` where it goes away."""
    with watch(what, None) as progress:

        def entries() -> Iterator[Loaded | Unreadable]:
            for entry in catalog.load_all():
                progress.done(str(entry.id))
                yield entry

        return Snapshot(entries())


_OWN = ("fingerprint", "viewscribe_version", "spark_version")
"""Fields that say how a document was stored and not what it means."""


def same(one: Document, other: Document) -> bool:
    """Whether two documents mean the same, whoever stored them."""
    if type(one) is not type(other):
        return False
    return _bare(one) == _bare(other) or _differ_in_plans_alone(one, other)


def _differ_in_plans_alone(one: Document, other: Document) -> bool:
    """Whether views with one text have plans that mean the same: its names may be read anew."""
    if not isinstance(one, ViewDocument) or not isinstance(other, ViewDocument):
        return False
    if one.plan is None or other.plan is None:
        return False
    if _bare(msgspec.structs.replace(one, plan=other.plan)) != _bare(other):
        return False
    try:
        with coercion(coercion_of(one.settings)):
            return mean_the_same(read_plan(one), read_plan(other), one.settings)
    except ViewscribeError:
        return False


def as_plain(document: Document) -> dict[str, Any]:
    """What ``to_plain`` gives of a document that was read or made from one, and faster."""
    fields = msgspec.to_builtins(document)
    return {"schema_version": SCHEMA_VERSION, "kind": document.kind, **fields}


def content(document: Document) -> str:
    """A hash of what a document means."""
    plain = as_plain(_bare(document))
    return content_hash({key: value for key, value in plain.items() if key not in _OWN})


def _bare(document: D) -> D:
    fields: dict[str, Any] = {"viewscribe_version": None}
    if isinstance(document, ViewDocument | FunctionDocument):
        fields.update(fingerprint="")
    if isinstance(document, ViewDocument):
        fields.update(spark_version=None, source=None)  # the same query in other words
    return msgspec.structs.replace(document, **fields)


def owner_kept(document: D, current: Document) -> D:
    """``document`` with the owner that the target has: owners do not travel."""
    return msgspec.structs.replace(document, owner=current.owner)
