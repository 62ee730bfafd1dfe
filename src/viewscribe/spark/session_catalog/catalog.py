"""The catalog of a session: what viewscribe stores there is Spark's own, and vice versa.

Views, tables and functions are made by SQL statements and read by what Spark tells of them, with
our documents beside in properties, in the form of ``catalog_store/hosted/embedded_document.py``.
Nothing but ``session.sql`` is used, so a session of Spark Connect does as well as a classic one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import CatalogBusyError, CatalogNotFoundError, StorageError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import HostedCatalog, HostedHome, State
from viewscribe.catalog_store.hosted.names import LOCK
from viewscribe.catalog_store.messages import conflict, label, no_database, taken_error
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable, fold
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.catalog_functions import find_catalog_function
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session import current_namespace
from viewscribe.spark.session_catalog import creation, functions, states
from viewscribe.spark.session_catalog.functions import Reader
from viewscribe.spark.session_catalog.statements import (
    KIND,
    NO_DATABASE,
    TAKEN,
    Described,
    RefusedError,
    Statements,
    describe,
    no_views,
    pairs,
    settle,
    translate_errors,
)
from viewscribe.spark.session_catalog.states import SESSION_CATALOG, Names, Told, iceberg_catalog
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog


# Keeping writers apart. Spark's SQL has no compare-and-swap, so every writer takes a turn.
#
# Within a process a lock gives the turns. Where other processes reach the same catalog (a
# metastore, a Connect server), a view that only one of several creators can create stands for the
# turn.

LOCK_SECONDS = 30.0
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 0.5

_turns: dict[str, threading.RLock] = {}


class Guard:
    """The turns of one catalog's writers.

    Args:
        statements: to the catalog.
        timeout: how many seconds to wait for other processes.
        shared: whether other processes write there; by default they do unless it is in the memory
            of this process's own Spark.
    """

    def __init__(self, statements: Statements, timeout: float, shared: bool | None) -> None:
        self._statements = statements
        self._timeout = timeout
        self._shared = shared

    @contextmanager
    def writing(self, database: str) -> Iterator[None]:
        """The turn of a writer of that database.

        Raises:
            CatalogBusyError: another process has had it for too long.
            RefusedError: there is no such database.
        """
        with self.turn():
            if not self.shared:
                yield
                return
            self._take(database)
            try:
                yield
            finally:
                self._give_back(database)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The turn among the threads of this process; one session has one set of settings."""
        with _turns.setdefault(self._statements.catalog.lower(), threading.RLock()):
            yield

    @property
    def shared(self) -> bool:
        """Whether other processes write there."""
        if self._shared is None:
            self._shared = self._is_shared()
        return self._shared

    def _is_shared(self) -> bool:
        if not is_classic(self._statements.spark):
            return True
        return self._statements.spark.conf.get("spark.sql.catalogImplementation") != "in-memory"

    def _take(self, database: str) -> None:
        until, wait = time.monotonic() + self._timeout, _FIRST_WAIT
        while True:
            try:
                self._create(database)
            except RefusedError as error:
                if not error.is_one_of(TAKEN):
                    raise
                if time.monotonic() + wait > until:
                    raise self._busy(database) from None
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                return

    def _create(self, database: str) -> None:
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = {KIND: "note", "viewscribe_since": f"{default_author() or 'unknown'} {moment}"}
        name = self._statements.name(database, LOCK)
        settle(
            lambda: self._statements.execute(
                f"CREATE VIEW {name} TBLPROPERTIES {pairs(told)} AS SELECT 1 AS locked"
            ),
            lambda: describe(self._statements, database, LOCK).properties == told,
            f"lock of the database {database}",
        )

    def _give_back(self, database: str) -> None:
        name = self._statements.name(database, LOCK)
        # Whatever happened matters more; a lock that stays is told to the next writer.
        with suppress(RefusedError):
            self._statements.execute(f"DROP VIEW IF EXISTS {name}")

    def _busy(self, database: str) -> CatalogBusyError:
        try:
            since = describe(self._statements, database, LOCK).properties["viewscribe_since"]
        except (RefusedError, KeyError):
            since = "somebody"
        return CatalogBusyError(
            f"the database `{database}` is being written by another process: {since}",
            hint="try again; if that process was killed, run "
            f"DROP VIEW {self._statements.name(database, LOCK)}",
        )


# A database of a session's catalog, as the algorithm of all stores works with it.
#
# Every change is checked before, and looked at afterwards; the writer's turn is held meanwhile.

_FILES = {"parquet", "orc", "avro", "csv", "json", "text", "xml", "binaryfile", "delta", "hive"}


class SessionHome(HostedHome):
    """A database of a session's catalog.

    Args:
        statements: runs the SQL.
        reader: reads the catalog.
        database: its name, as the caller spells it.
    """

    def __init__(self, statements: Statements, reader: Reader, database: str) -> None:
        super().__init__(database, reader.url)
        self.key = reader.names.database(database)
        """How the session calls it."""
        self._statements = statements
        self._reader = reader

    @property
    def name(self) -> str:
        held = self.read("database", self._database)
        assert held is not None
        return str(held.data.written.document.name)

    def kind_of(self, name: str) -> ObjectKind | None:
        found = self._reader.kind_of(*self._place("view", name))
        if found is None and not self._reader.has_database(self.key):
            self.found("database", self._database)  # which says that it is not there
        return found

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        return self._reader.ids(self.key, self._database, kind)

    def open_beside(self, database: str) -> SessionHome:
        found = SessionHome(self._statements, self._reader, database)
        found.found("database", database)  # raises where there is none
        return found

    def require_free(self, document: ObjectDocument) -> None:
        home, name = self._place(document.kind, document.name)
        if isinstance(document, FunctionDocument):
            if functions.describe_function(self._statements, home, name) is not None:
                raise taken_error(document)
            return
        found = self._reader.table(home, name)
        if found is not None:
            raise taken_error(document, found.object_kind)

    def create(self, written: embedded_document.Written) -> None:
        """Create the database."""
        try:
            settle(
                lambda: states.create_database(self._statements, written),
                lambda: self._was_written(written),
                label(written.document),
            )
        except RefusedError as error:
            if error.is_one_of(("SCHEMA_ALREADY_EXISTS", "NAMESPACE_ALREADY_EXISTS")):
                raise taken_error(written.document) from None
            raise

    def drop(self, *, cascade: bool) -> None:
        """Drop the database with all it holds but tables whose rows would go."""
        for each in self.list_ids("table"):
            found = self._reader.table(self.key, fold(each.name))
            if found is not None:
                _refuse_rows(found)
        settle(
            lambda: self._statements.execute(
                f"DROP DATABASE {self._statements.name(self.key)} CASCADE"
            ),
            lambda: self.key not in self._reader.homes(),
            f"end of the database {self._database}",
        )

    # --- what it is asked for ---

    def _find(self, kind: DocumentKind, name: str) -> Any:
        if kind == "database":
            return self._reader.describe_database(self.key, self._database)
        found = self._reader.find(kind, *self._place(kind, name))
        if found is None:
            self.found("database", self._database)  # which says that it is not there
        return found

    def _state(self, found: Any, path: str) -> State:
        if isinstance(found, Told):
            return State(states.read_database(found, self.key, path), {})
        return self._reader.state_of(found, path)

    def _make(self, written: embedded_document.Written, before: State | None) -> None:
        document = written.document
        self._refuse_kind(document)
        if isinstance(document, FunctionDocument):
            self.require_free(document)  # which Spark itself does of tables and views
        else:
            self._place(document.kind, document.name)  # raises where Spark cannot hold the name

        def make() -> None:
            if isinstance(document, FunctionDocument):
                functions.create_function(self._statements, written, before)
            else:
                creation.create(self._statements, written, creation.properties_of(written, before))

        self._settle(make, written)

    def _change(self, found: Any, before: State, written: embedded_document.Written) -> None:
        document = written.document
        if isinstance(found, Told):
            self._settle(lambda: states.change_database(self._statements, found, written), written)
            return
        self._refuse_kind(document)
        home, name = self._reader.names.place(document.kind, document.database, document.name)
        is_function = isinstance(document, FunctionDocument)
        if home != self.key or (is_function and fold(name) != fold(found.name)):
            self.open_beside(document.database)._make(written, before)
            self._drop(document.kind, found.name, found, before)
            return

        def change() -> None:
            if isinstance(found, Described):
                if found.object_kind == "table" and document.format is not None:
                    _refuse_change(found, document)
                creation.change(self._statements, found, before, written)
            else:
                note = functions.read_note(self._statements, found.database, found.name)
                functions.change_function(self._statements, found, note, before, written)

        self._settle(change, written)
        if not self._was_written(written):  # somebody else wrote at the same time
            raise conflict(label(document), gone=False)

    def _drop(self, kind: ObjectKind, name: str, found: Any, seen: State | None) -> None:
        """Drop an object; rows stay."""
        home, low = self._place(kind, name)

        def drop() -> None:
            if isinstance(found, Described):
                _refuse_rows(found)
                creation.drop(self._statements, found)
            else:
                functions.drop_function(self._statements, home, low)

        settle(
            drop,
            lambda: self._reader.find(kind, home, low) is None,
            f"end of the {kind} {self._database}.{name}",
        )

    def _place(self, kind: DocumentKind, name: str) -> tuple[str, str]:
        return self._reader.names.place(kind, self._database, name)

    def _settle(self, write: Callable[[], None], written: embedded_document.Written) -> None:
        """Does ``write``, and says what a refusal of Spark's means."""
        document = written.document
        try:
            settle(write, lambda: self._was_written(written), label(document))
        except RefusedError as error:
            if error.is_one_of((*TAKEN, *functions.FUNCTION_TAKEN)):
                self.require_free(document)  # which says what has the name
                raise taken_error(document) from error
            raise

    def _refuse_kind(self, document: ObjectDocument) -> None:
        """Other catalogs of a session have tables, which are made in Spark."""
        if self._reader.names.is_own:
            return
        if isinstance(document, ViewDocument):
            raise no_views(self._url)
        raise StorageError(
            f"viewscribe does not make a {document.kind} in the catalog of {self._url}",
            hint="make it in Spark: its tables are read here",
        )


def _refuse_rows(found: Described) -> None:
    """Raise ``StorageError`` for a table whose rows would go with it."""
    if found.type == "MANAGED" and fold(found.provider or "hive") in _FILES:
        raise StorageError(
            f"dropping the table {found.database}.{found.name} would delete its rows",
            hint="viewscribe never does that: drop it in Spark, DROP TABLE",
        )


def _refuse_change(found: Described, document: Any) -> None:
    """A table that Spark keeps is not made anew."""
    if found.type == "MANAGED" and not creation.is_same_table(document, found):
        raise StorageError(
            f"the table {found.database}.{found.name} belongs to Spark with its rows",
            hint="change its columns in Spark: ALTER TABLE",
        )


class SessionCatalog(HostedCatalog):
    """A catalog that a running session knows.

    Args:
        spark: the session, classic or Connect.
        name: the catalog's name in the session; the current one by default.
        lock_timeout: how many seconds to wait for writers of other processes.
        shared: whether other processes write to the catalog; by default they do unless it is in
            the memory of this process's own Spark.
    """

    def __init__(
        self,
        spark: SparkSession,
        name: str | None = None,
        *,
        lock_timeout: float = LOCK_SECONDS,
        shared: bool | None = None,
    ) -> None:
        if name is None:
            name = current_namespace(spark)[0]
        self.name_in_session = name
        """What the session calls it, and so do the texts of views."""
        self._statements = Statements(spark, name)
        self._names = Names(self._statements)
        self._guard = Guard(self._statements, lock_timeout, shared)
        self._reader = Reader(self._statements, self._names, self.url)

    @property
    def url(self) -> str:
        """``spark:`` and the catalog's name in the session."""
        return f"spark:{self.name_in_session}"

    @property
    def session(self) -> SparkSession:
        """The session."""
        return self._statements.spark

    def __repr__(self) -> str:
        return f"SessionCatalog({self.name_in_session!r})"

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with translate_errors(self.url):
            return self._reader.list_databases()

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = embedded_document.write(document)
        with translate_errors(self.url):
            self._home(written.document.name).create(written)
        return written.token

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with translate_errors(self.url):
            homes = self._reader.homes() if database is None else [self._names.database(database)]
            for home in homes:
                try:
                    told = states.describe_database(self._statements, home)
                except RefusedError as error:
                    if error.is_one_of(NO_DATABASE):
                        continue
                    raise
                yield from self._reader.load(told, home)

    def own_function(self, path: tuple[str, str, str]) -> UserFunction | None:
        """Returns a function that a catalog beside Spark's own has itself: ``tools.fns.mask``."""
        if self._names.is_own:
            return None  # what it has was made by statements, and is described
        return find_catalog_function((self.name_in_session, *path[1:]), self.session)

    # --- inside ---

    def _home(self, database: str) -> SessionHome:
        return SessionHome(self._statements, self._reader, database)

    @contextmanager
    def _read_in(self, database: str) -> Iterator[SessionHome]:
        with translate_errors(self.url):
            yield self._home(database)

    @contextmanager
    def _create_in(self, document: ObjectDocument) -> Iterator[SessionHome]:
        """Spark gives a name to one of several writers; what takes one statement needs no turn."""
        if not creation.takes_one_statement(document):
            with self._write_in(document.database) as home:
                yield home
            return
        with self._in_turn(document.database, self._guard.turn()) as home:
            yield home

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[SessionHome]:
        with self._in_turn(database, self._guard.writing(self._names.database(database))) as home:
            yield home

    @contextmanager
    def _in_turn(
        self, database: str, turn: AbstractContextManager[None, bool | None]
    ) -> Iterator[SessionHome]:
        with translate_errors(self.url):
            home = self._home(database)
            try:
                with turn:
                    yield home
            except RefusedError as error:
                if error.is_one_of(NO_DATABASE):
                    raise no_database(database, self.list_databases()) from None
                raise


# From ``spark:`` or a session to a catalog.


def catalog_of_session(spark: Any, name: str | None = None) -> SessionCatalog | IcebergCatalog:
    """The catalog ``name`` of a session; the current one by default.

    An Iceberg REST catalog is opened with the session's settings for it, and asked directly.

    Raises:
        CatalogNotFoundError: the session has none of that name.
    """
    found = SessionCatalog(spark, name)
    name = found.name_in_session
    if name.lower() != SESSION_CATALOG:
        iceberg = iceberg_catalog(spark, name)
        if iceberg is not None:
            return iceberg
        statements = Statements(spark, name)
        try:
            statements.execute(f"SHOW NAMESPACES IN {statements.name()}")
        except RefusedError as error:
            raise CatalogNotFoundError(
                f"the session cannot open a catalog `{name}`: {error}",
                hint=f"configure it in the session: spark.sql.catalog.{name}",
            ) from error
    return found


def full_name(spark: Any, parts: Sequence[str]) -> tuple[str, ...]:
    """A name of one or two parts with the catalog and database that the session means."""
    catalog, database = current_namespace(spark)
    if len(parts) > 2:
        return tuple(parts)
    return (catalog, *parts) if len(parts) == 2 else (catalog, *parse_name(database), *parts)


def open_session_catalog(rest: str, create: bool) -> SessionCatalog | IcebergCatalog:
    """What ``spark:`` opens: the running session's catalog, ``spark:name`` one of its others.

    Raises:
        CatalogNotFoundError: no session runs in this process.
    """
    return catalog_of_session(_find_session(), rest or None)


def _find_session() -> SparkSession:
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() or _connect()
    if found is None:
        raise CatalogNotFoundError(
            "no Spark session runs in this process",
            hint="start one first: SparkSession.builder.getOrCreate()",
        )
    return found


def _connect() -> Any:
    try:
        from pyspark.sql.connect.session import SparkSession as ConnectSession
    except (ImportError, SystemExit):  # the packages of Connect are not installed
        return None
    return ConnectSession.getActiveSession()
