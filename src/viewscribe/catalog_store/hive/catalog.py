"""A Hive metastore as a catalog: what viewscribe stores there, Spark reads, and vice versa.

Views, tables and databases are kept as Spark 4.3 keeps them, with our own document beside (see
``kept.py``). A replacement is one call that changes everything or nothing, and only what is still
as it was read (``guard.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    DamagedDocumentError,
    DatabaseNotFoundError,
)
from viewscribe.catalog_store.history import in_sequence
from viewscribe.catalog_store.hive.client import Client, NoSuchObjectError
from viewscribe.catalog_store.hive.connection import Connections
from viewscribe.catalog_store.hive.database_store import DatabaseStore, spelled
from viewscribe.catalog_store.hive.databases import read_database
from viewscribe.catalog_store.hive.function_store import FunctionStore
from viewscribe.catalog_store.hive.guard import LOCK_SECONDS, Guard
from viewscribe.catalog_store.hive.kinds import ViewsAmong, listed, with_kinds
from viewscribe.catalog_store.hive.locked_functions import LockedFunctions
from viewscribe.catalog_store.hive.records import DatabaseRecord, TableRecord
from viewscribe.catalog_store.hive.relation_store import RelationStore
from viewscribe.catalog_store.hive.server import told_by
from viewscribe.catalog_store.hive.states import kind_of, state_of
from viewscribe.catalog_store.hosted import texts
from viewscribe.catalog_store.hosted.names import place_of
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import no_object
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable
from viewscribe.catalog_store.renames import check_new_name, rename_change
from viewscribe.catalog_store.sealing import seal
from viewscribe.catalog_store.versions import Change, next_version


class HiveCatalog:
    """The catalog of a metastore.

    Args:
        host: where it runs.
        port: where it listens.
        timeout: how many seconds an answer may take.
        lock_timeout: how many seconds to wait for other writers where a lock is needed.
    """

    def __init__(
        self,
        host: str,
        port: int = 9083,
        *,
        timeout: float = 60.0,
        lock_timeout: float = LOCK_SECONDS,
    ) -> None:
        self._host, self._port = host, port
        self._client = Client(Connections(host, port, timeout))
        self._guard = Guard(self._client, lock_timeout)
        self._databases = DatabaseStore(self._client, self._guard, self.url)
        self._relations = RelationStore(
            self._client, self._guard, self._databases, self.url, self._missing
        )
        self._functions = LockedFunctions(
            FunctionStore(self._client), self._guard, self._databases, self.url, self._missing
        )

    @property
    def url(self) -> str:
        """``hive+thrift://`` and the address."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"hive+thrift://{host}:{self._port}"

    def __repr__(self) -> str:
        return f"HiveCatalog({self._host!r}, {self._port})"

    # --- databases ---

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with told_by(self.url):
            return self._databases.names()

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with told_by(self.url):
            return self._databases.get(name)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        with told_by(self.url):
            return self._databases.create(document)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        with told_by(self.url):
            return self._databases.replace(document, expected)

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds. Files stay."""
        with told_by(self.url):
            self._databases.drop(name, cascade=cascade, ids=self._ids)

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        with told_by(self.url):
            return self._state(kind, database, name).stored()

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        written = texts.write(document, next_version(None, change, "create"))
        with told_by(self.url):
            if isinstance(written.document, FunctionDocument):
                self._functions.create(written)
            else:
                self._relations.create(written)
        return written.token

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with all its versions, in one call."""
        before: State | None = None
        *earlier, last = (texts.write(*each) for each in in_sequence(versions))
        for each in earlier:
            before = State(each, {} if before is None else before.with_itself())
        with told_by(self.url):
            self._relations.create(last, before)
        return last.token

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed = seal(document)
        with told_by(self.url):
            if isinstance(sealed, FunctionDocument):
                return self._functions.replace(sealed, expected, change)
            return self._relations.replace(sealed, expected, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state. Files stay."""
        with told_by(self.url):
            if kind == "function":
                self._functions.drop(database, name, expected)
            else:
                self._relations.delete(kind, database, name, expected)

    def rename(
        self,
        kind: ObjectKind,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None = None,
        change: Change | None = None,
    ) -> Token:
        """Give the object another database and name."""
        place_of(kind, database, name)
        check_new_name(kind, to)
        place_of(kind, *to)
        told = rename_change(change, database, name)
        with told_by(self.url):
            if kind == "function":
                return self._functions.rename(database, name, to, expected=expected, change=told)
            return self._relations.rename(kind, database, name, to, expected=expected, change=told)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """The versions of the object that are kept, the oldest first."""
        with told_by(self.url):
            return self._state(kind, database, name).history(kind, self._path(database, name))

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with told_by(self.url):
            return self._ids(database, kind)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with told_by(self.url):
            homes = self._client.databases() if database is None else [fold(database)]
            views = listed(self._client)
            for home in homes:
                try:
                    record = self._client.database(home)
                except NoSuchObjectError:
                    continue
                yield from self._load(record, home, views)

    # --- inside ---

    def _path(self, *names: str) -> str:
        return "/".join((self.url, *names))

    def _state(self, kind: ObjectKind, database: str, name: str) -> State:
        if kind == "function":
            return self._functions.state(database, name)
        return self._relations.state(kind, database, name)

    def _missing(self, kind: ObjectKind, database: str, name: str) -> CatalogError:
        try:
            return no_object(kind, database, name, self._ids(database))
        except DatabaseNotFoundError as error:
            return error

    def _ids(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        record = self._databases.record(database)
        home = record.name or ""
        called = spelled(record, home)
        found: list[tuple[str, ObjectKind]] = []
        if kind != "function":
            found += self._relations.names(record, kind)
        if kind in (None, "function"):
            found += [(name, "function") for name in self._functions.names(home)]
        chosen = [ObjectId(called, name, type_) for name, type_ in found if kind in (None, type_)]
        return sorted(chosen, key=lambda each: (fold(each.name), each.kind))

    def _load(
        self, record: DatabaseRecord, home: str, views: ViewsAmong
    ) -> Iterator[Loaded | Unreadable]:
        called = spelled(record, home)
        path = self._path(called)
        try:
            found = read_database(record, path)
            yield Loaded(ObjectId(called, called, "database"), path, found.document, found.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(called, called, "database"), path, error)
        for table in self._relations.records(home):
            yield self._loaded_relation(called, table, views)
        for name, state in self._functions.all(home, called):
            yield self._loaded(ObjectId(called, name, "function"), state)

    def _loaded_relation(
        self, database: str, record: TableRecord, views: ViewsAmong
    ) -> Loaded | Unreadable:
        id_ = ObjectId(database, record.name or "", kind_of(record.type))
        try:
            state = state_of(record, self._path(database, id_.name))
            return self._loaded(id_, with_kinds(state, views))
        except DamagedDocumentError as error:
            return self._loaded(id_, error)

    def _loaded(self, id_: ObjectId, state: State | DamagedDocumentError) -> Loaded | Unreadable:
        path = self._path(id_.database, id_.name)
        if isinstance(state, DamagedDocumentError):
            return Unreadable(id_, path, state)
        document = state.written.document
        named = ObjectId(id_.database, document.name, id_.kind)
        return Loaded(named, path, document, state.token, state.version)
