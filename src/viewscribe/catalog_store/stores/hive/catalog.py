"""A Hive metastore as a catalog: what viewscribe stores there, Spark reads, and vice versa.

Views, tables and databases are kept as Spark 4.3 keeps them, with our own document beside (see
``kept.py``). A replacement is one call that changes everything or nothing, and only what is still
as it was read (``guard.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Dependency,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    DDL_TIME,
    HostedCatalog,
    HostedHome,
    State,
    whole_number,
)
from viewscribe.catalog_store.hosted.names import hive_name, is_ours, place_of
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    not_empty,
    not_found_error,
    taken_error,
)
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable, fold
from viewscribe.catalog_store.stores.hive.concurrency import (
    LOCK_SECONDS,
    ChangedError,
    DatabaseStore,
    GoneError,
    Guard,
    read_database,
    spell,
)
from viewscribe.catalog_store.stores.hive.connection import Connections
from viewscribe.catalog_store.stores.hive.functions import (
    FunctionStore,
    LockedFunctions,
    function_state,
)
from viewscribe.catalog_store.stores.hive.records import (
    Client,
    DatabaseRecord,
    FunctionRecord,
    InvalidOperationError,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
    ServerError,
    TableRecord,
)
from viewscribe.catalog_store.stores.hive.server import settle, translate_errors
from viewscribe.catalog_store.stores.hive.states import (
    fill,
    kind_of,
    new_record,
    next_stamp,
    state_of,
)
from viewscribe.catalog_store.stores.hive.view_tables import HOME, VIRTUAL_VIEW

# What kind the things are that a view of somebody else's reads.
#
# Its text names tables and views alike; the metastore knows. A state stays the same, and has the
# same token, when something that it reads becomes a view.

ViewsAmong = Callable[[str, Sequence[str]], Collection[str]]
"""Of the names in a database, those of views; all in lower case."""


def with_kinds(state: State, views_among: ViewsAmong) -> State:
    """The state with the kinds of what its view reads; what is not there stays a table."""
    document = state.written.document
    if not state.foreign or not isinstance(document, ViewDocument):
        return state
    named: dict[str, list[str]] = {}
    for each in document.dependencies:
        if _is_here(each):
            named.setdefault(fold(each.name[1]), []).append(fold(each.name[2]))
    views = {(home, name) for home, names in named.items() for name in views_among(home, names)}
    known = tuple(
        Dependency("view", each.name)
        if _is_here(each) and (fold(each.name[1]), fold(each.name[2])) in views
        else each
        for each in document.dependencies
    )
    told = msgspec.structs.replace(document, dependencies=known)
    return state._replace(written=state.written._replace(document=told))


def _is_here(dependency: Dependency) -> bool:
    return dependency.kind == "table" and len(dependency.name) == 3 and dependency.name[0] == HOME


def ask(client: Client) -> ViewsAmong:
    """Asks the metastore for these names: for a view by itself."""

    def views_among(home: str, names: Sequence[str]) -> Collection[str]:
        with suppress(NoSuchObjectError):
            found = client.tables(home, names)
            return [each.name or "" for each in found if kind_of(each.type) == "view"]
        return ()

    return views_among


def list_views(client: Client) -> ViewsAmong:
    """Asks the metastore once a database for all its views: for many views."""
    known: dict[str, frozenset[str]] = {}

    def views_among(home: str, names: Sequence[str]) -> Collection[str]:
        if home not in known:
            known[home] = frozenset(client.names_of_type(home, VIRTUAL_VIEW))
        return known[home].intersection(names)

    return views_among


# Storing tables and views: a replacement is one call, and only of what is still as it was read.

_BATCH = 200
_ATTEMPTS = 20
_ABANDONED = 60
"""After how many seconds a drop that was begun is taken for given up."""


class RelationStore:
    """The tables and views of a metastore.

    Args:
        client: the metastore.
        guard: changes what is still as it was read.
        databases: its databases.
        url: where it is, for messages.
    """

    def __init__(self, client: Client, guard: Guard, databases: DatabaseStore, url: str) -> None:
        self._client = client
        self._guard = guard
        self._databases = databases
        self._url = url

    # --- reading ---

    def find(
        self, kind: ObjectKind, place: tuple[str, str], *, to_alter: bool
    ) -> TableRecord | None:
        """What the metastore has of that kind under that name.

        Args:
            kind: a view or a table.
            place: its database and name, as the metastore has them.
            to_alter: it is read as ``Guard.alter`` needs it.
        """
        try:
            record = (self._guard.read if to_alter else self._client.table)(*place)
        except NoSuchObjectError:
            return None
        return record if kind_of(record.type) == kind else None

    def state(self, record: TableRecord, path: str) -> State:
        """The state that a record tells. Raises ``DamagedDocumentError``."""
        return with_kinds(state_of(record, path), ask(self._client))

    def names(
        self, database: DatabaseRecord, kind: ObjectKind | None
    ) -> list[tuple[str, ObjectKind]]:
        """Names and kinds; a name is spelled as its writer did, where that is in our document."""
        home = database.name or ""
        found: dict[str, ObjectKind] = dict.fromkeys(
            self._client.names_of_type(home, VIRTUAL_VIEW), "view"
        )
        if kind != "view":
            found = {each: found.get(each, "table") for each in self._client.table_names(home)}
        cased = []
        if embedded_document.CASED in database.parameters:
            cased = self._names_with_case(home)
        spelled = {record.name: self._spell(record) for record in self._records(home, cased)}
        return [
            (spelled.get(name, name), type_) for name, type_ in found.items() if not is_ours(name)
        ]

    def _names_with_case(self, home: str) -> list[str]:
        key = embedded_document.CASED
        try:
            return self._client.table_names_with(home, key, "true")
        except MetaError:  # of Hive 3 and 4 on Derby, which cannot compare parameters
            return [each.name or "" for each in self.records(home) if key in each.parameters]

    def records(self, home: str) -> Iterator[TableRecord]:
        """All of a database."""
        names = [each for each in self._client.table_names(home) if not is_ours(each)]
        return self._records(home, names)

    def _records(self, home: str, names: list[str]) -> Iterator[TableRecord]:
        for start in range(0, len(names), _BATCH):
            yield from self._client.tables(home, names[start : start + _BATCH])

    def _spell(self, record: TableRecord) -> str:
        name = record.name or ""
        try:
            state = state_of(record, self._path(record.database or "", name))
        except DamagedDocumentError:
            return name
        return str(state.written.document.name)

    def _path(self, database: str, name: str) -> str:
        return f"{self._url}/{database}/{name}"

    # --- writing ---

    def create(self, written: embedded_document.Written, before: State | None) -> None:
        """Store a new one: one call, which the metastore refuses where the name is taken."""
        document = written.document
        place_of(document.kind, document.database, document.name)  # which says what it cannot hold
        self._databases.note_case(document)
        record = new_record(document, default_author())
        path = self._path(document.database, document.name)
        fill(record, written, before, int(time.time()), path)
        try:
            self._client.create_table(record)
        except NameTakenError:
            self.require_free(document)
            raise taken_error(document) from None  # it was dropped meanwhile
        except MetaError:
            self.require_free(document)  # Hive 4 has no other error for the loser of a race
            raise
        except (InvalidOperationError, NoSuchObjectError):
            self._databases.record(document.database)  # which says that it is not there
            raise

    def change(
        self, record: TableRecord, before: State, written: embedded_document.Written
    ) -> None:
        """Make one hold ``written``, perhaps under another name, if it is as it was read.

        Raises:
            ConcurrentUpdateError: it is not.
        """
        document, what = written.document, label(before.written.document)
        place_of(document.kind, document.database, document.name)
        if _is_being_dropped(record):
            raise conflict(what, gone=True)
        new = record.copy()
        self._databases.note_case(document)
        fill(new, written, before, int(time.time()), self._path(document.database, document.name))
        try:
            self._guard.alter(record, new)
        except GoneError:
            raise conflict(what, gone=True) from None
        except ChangedError:
            raise conflict(what, gone=False) from None
        except InvalidOperationError:
            if (new.database, new.name) != (record.database, record.name):
                self.require_free(document)
            raise

    def drop(self, record: TableRecord, seen: State | None, what: str) -> None:
        """Drop one, where it was ``seen`` only in that state. Files stay.

        Raises:
            GoneError: it is gone by now.
            ConcurrentUpdateError: it is in another state, or somebody else drops it.
        """
        kind, place = kind_of(record.type), (record.database or "", record.name or "")
        for _ in range(_ATTEMPTS):
            if _is_being_dropped(record):
                raise conflict(what, gone=True)
            try:
                # Dropping has no condition: so the drop is announced under one.
                self._guard.alter(record, _mark(record))
            except GoneError:
                raise
            except ChangedError:
                again = self.find(kind, place, to_alter=True)
                if again is None:
                    raise GoneError from None
                record = again
                if seen is not None and state_of(record, what).token != seen.token:
                    raise conflict(what, gone=False) from None
                continue
            self._client.drop_table(*place)
            return
        raise conflict(what, gone=False)

    def require_free(self, document: ObjectDocument) -> None:
        """Raise ``AlreadyExistsError`` where something has the name."""
        place = place_of(document.kind, document.database, document.name)
        try:
            found = kind_of(self._client.table(*place).type)
        except NoSuchObjectError:
            return
        raise taken_error(document, found)


def _mark(record: TableRecord) -> TableRecord:
    """The record with a note that it is about to be dropped."""
    marked = record.copy()
    now = int(time.time())
    stamp = str(
        next_stamp(
            [record.parameters.get(key, "") for key in (DDL_TIME, embedded_document.STAMP)], now
        )
    )
    marked.parameters = {
        **record.parameters,
        DDL_TIME: stamp, embedded_document.STAMP: stamp, embedded_document.DROPPING: str(now),
    }  # fmt: skip
    return marked


def _is_being_dropped(record: TableRecord) -> bool:
    began = whole_number(record.parameters.get(embedded_document.DROPPING))
    return began is not None and began > time.time() - _ABANDONED


# A database of a metastore, as the algorithm of all stores works with it.


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

    def create(self, written: embedded_document.Written) -> None:
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

    def _make(self, written: embedded_document.Written, before: State | None) -> None:
        if isinstance(written.document, FunctionDocument):
            self._settle(lambda: self._stores.functions.create(written), written)
        else:
            self._settle(lambda: self._stores.relations.create(written, before), written)

    def _change(self, found: Any, before: State, written: embedded_document.Written) -> None:
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

    def _settle(self, write: Callable[[], None], written: embedded_document.Written) -> None:
        settle(write, lambda: self._was_written(written), label(written.document))


class HiveCatalog(HostedCatalog):
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
        self._client = client = Client(Connections(host, port, timeout))
        self._guard = guard = Guard(client, lock_timeout)
        databases = DatabaseStore(client, guard)
        self._stores = Stores(
            client,
            databases,
            RelationStore(client, guard, databases, self.url),
            LockedFunctions(FunctionStore(client), guard, databases, self.url),
        )

    @property
    def url(self) -> str:
        """``hive+thrift://`` and the address."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"hive+thrift://{host}:{self._port}"

    def __repr__(self) -> str:
        return f"HiveCatalog({self._host!r}, {self._port})"

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with translate_errors(self.url):
            return self._stores.databases.names()

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = embedded_document.write(document)
        with translate_errors(self.url):
            home = HiveHome(self._stores, written.document.name, self.url, writes=True)
            home.create(written)
        return written.token

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with translate_errors(self.url):
            homes = self._client.databases() if database is None else [fold(database)]
            views = list_views(self._client)
            for home in homes:
                try:
                    record = self._client.database(home)
                except NoSuchObjectError:
                    continue
                yield from self._load(record, home, views)

    # --- inside ---

    @contextmanager
    def _read_in(self, database: str) -> Iterator[HiveHome]:
        with translate_errors(self.url):
            yield HiveHome(self._stores, database, self.url, writes=False)

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[HiveHome]:
        with translate_errors(self.url):
            yield HiveHome(self._stores, database, self.url, writes=True)

    def _path(self, *names: str) -> str:
        return "/".join((self.url, *names))

    def _load(
        self, record: DatabaseRecord, home: str, views: ViewsAmong
    ) -> Iterator[Loaded | Unreadable]:
        called = spell(record, home)
        path = self._path(called)
        try:
            found = read_database(record, path)
            yield Loaded(ObjectId(called, called, "database"), path, found.document, found.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(called, called, "database"), path, error)
        for table in self._stores.relations.records(home):
            yield self._loaded_relation(called, table, views)
        for name, state in self._stores.functions.all(home, called):
            yield self._load_record(ObjectId(called, name, "function"), state)

    def _loaded_relation(
        self, database: str, record: TableRecord, views: ViewsAmong
    ) -> Loaded | Unreadable:
        id_ = ObjectId(database, record.name or "", kind_of(record.type))
        try:
            state = state_of(record, self._path(database, id_.name))
            return self._load_record(id_, with_kinds(state, views))
        except DamagedDocumentError as error:
            return self._load_record(id_, error)

    def _load_record(
        self, id_: ObjectId, state: State | DamagedDocumentError
    ) -> Loaded | Unreadable:
        path = self._path(id_.database, id_.name)
        if isinstance(state, DamagedDocumentError):
            return Unreadable(id_, path, state)
        document = state.written.document
        named = ObjectId(id_.database, document.name, id_.kind)
        return Loaded(named, path, document, state.token, state.version)
