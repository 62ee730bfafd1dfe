"""A database of a metastore, as the algorithm of all stores works with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import (
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedHome
from viewscribe.catalog_store.hosted.names import hive_name, place_of
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import label, not_empty
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import ObjectId
from viewscribe.catalog_store.stores.hive.client import Client, InvalidOperationError, ServerError
from viewscribe.catalog_store.stores.hive.concurrency import GoneError
from viewscribe.catalog_store.stores.hive.database_store import DatabaseStore, spell
from viewscribe.catalog_store.stores.hive.databases import read_database
from viewscribe.catalog_store.stores.hive.functions import function_state
from viewscribe.catalog_store.stores.hive.locked_functions import LockedFunctions
from viewscribe.catalog_store.stores.hive.records import DatabaseRecord, FunctionRecord
from viewscribe.catalog_store.stores.hive.relation_store import RelationStore
from viewscribe.catalog_store.stores.hive.server import settle
from viewscribe.catalog_store.versioned import not_found_error


class Stores(NamedTuple):
    """What a metastore keeps, by what it is."""

    client: Client
    databases: DatabaseStore
    relations: RelationStore
    functions: LockedFunctions


class HiveHome(HostedHome):
    """A database of a metastore.

    Args:
        stores: the metastore's.
        database: its name, as the caller spells it.
        url: where the metastore is, for messages.
        writes: what is read is going to be changed.
    """

    def __init__(self, stores: Stores, database: str, url: str, *, writes: bool) -> None:
        super().__init__(database, url)
        self._key = hive_name(database, "database")
        self._stores = stores
        self._writes = writes

    @property
    def name(self) -> str:
        return spell(self.found("database", self._database), self._key)

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        try:
            return self._list_ids(kind)
        except ServerError:
            self._stores.databases.record(self._database)  # which says that it is gone by now
            raise

    def _list_ids(self, kind: ObjectKind | None) -> list[ObjectId]:
        record, called = self.found("database", self._database), self.name
        found: list[tuple[str, ObjectKind]] = []
        if kind != "function":
            found += self._stores.relations.names(record, kind)
        if kind in (None, "function"):
            found += [(name, "function") for name in self._stores.functions.names(self._key)]
        chosen = [ObjectId(called, name, type_) for name, type_ in found if kind in (None, type_)]
        return sorted(chosen, key=lambda each: (fold(each.name), each.kind))

    def open_beside(self, database: str) -> HiveHome:
        self._stores.databases.record(database)
        return HiveHome(self._stores, database, self._url, writes=self._writes)

    def require_free(self, document: ObjectDocument) -> None:
        if document.kind != "function":  # whose store looks for itself, once nobody else writes
            self._stores.relations.require_free(document)

    def create(self, written: document_texts.Written) -> None:
        """Create it."""
        self._settle(lambda: self._stores.databases.create(written), written)

    def drop(self, *, cascade: bool) -> None:
        try:
            settle(
                lambda: self._stores.databases.drop(self._database, cascade=cascade),
                lambda: self._key not in self._stores.client.databases(),
                f"end of the database {self._database}",
            )
        except InvalidOperationError:
            objects = self.list_ids()
            if cascade or not objects:
                raise
            raise not_empty(self._database, objects) from None

    # --- what it is asked for ---

    def _find(self, kind: DocumentKind, name: str) -> Any:
        if kind == "database":
            return self._stores.databases.record(self._database)
        place = place_of(kind, self._database, name)
        found: Any
        if kind == "function":
            found = self._stores.functions.find(place)
        else:
            found = self._stores.relations.find(kind, place, to_alter=self._writes)
        if found is None:
            self.found("database", self._database)  # which says that it is not there
        return found

    def _state(self, found: Any, path: str) -> State:
        if isinstance(found, DatabaseRecord):
            return State(read_database(found, path), {})
        if isinstance(found, FunctionRecord):
            return function_state(found, path)
        return self._stores.relations.state(found, path)

    def _make(self, written: document_texts.Written, before: State | None) -> None:
        if isinstance(written.document, FunctionDocument):
            self._settle(lambda: self._stores.functions.create(written), written)
        else:
            self._settle(lambda: self._stores.relations.create(written, before), written)

    def _change(self, found: Any, before: State, written: document_texts.Written) -> None:
        if isinstance(found, DatabaseRecord):
            self._settle(lambda: self._stores.databases.change(before, written), written)
            return
        is_function = isinstance(found, FunctionRecord)
        store = self._stores.functions if is_function else self._stores.relations
        self._settle(lambda: store.change(found, before, written), written)

    def _drop(self, kind: ObjectKind, name: str, found: Any, seen: State | None) -> None:
        store = self._stores.functions if kind == "function" else self._stores.relations
        what = f"{kind} {self._database}.{name}"
        try:
            settle(
                lambda: store.drop(found, seen, what),
                lambda: self._find(kind, name) is None,
                f"end of the {what}",
            )
        except GoneError:
            del self._found[kind, fold(name)]
            raise not_found_error(self, kind, self._database, name) from None

    def _settle(self, write: Callable[[], None], written: document_texts.Written) -> None:
        settle(write, lambda: self._was_written(written), label(written.document))
