"""A Hive metastore as a catalog: what viewscribe stores there, Spark reads, and vice versa.

Views, tables and databases are kept as Spark 4.3 keeps them, with our own document beside (see
``kept.py``). A replacement is one call that changes everything or nothing, and only what is still
as it was read (``guard.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedCatalog
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable
from viewscribe.catalog_store.stores.hive.client import Client, NoSuchObjectError
from viewscribe.catalog_store.stores.hive.concurrency import LOCK_SECONDS, Guard
from viewscribe.catalog_store.stores.hive.connection import Connections
from viewscribe.catalog_store.stores.hive.database_store import DatabaseStore, spell
from viewscribe.catalog_store.stores.hive.databases import read_database
from viewscribe.catalog_store.stores.hive.function_store import FunctionStore
from viewscribe.catalog_store.stores.hive.home import HiveHome, Stores
from viewscribe.catalog_store.stores.hive.kinds import ViewsAmong, list_views, with_kinds
from viewscribe.catalog_store.stores.hive.locked_functions import LockedFunctions
from viewscribe.catalog_store.stores.hive.records import DatabaseRecord, TableRecord
from viewscribe.catalog_store.stores.hive.relation_store import RelationStore
from viewscribe.catalog_store.stores.hive.server import translate_errors
from viewscribe.catalog_store.stores.hive.states import kind_of, state_of


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
        written = document_texts.write(document)
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
