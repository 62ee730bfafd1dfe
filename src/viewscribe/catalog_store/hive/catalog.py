"""A Hive metastore as a catalog: what viewscribe stores there, Spark reads, and vice versa.

Views, tables and databases are kept as Spark 4.3 keeps them, with our own document beside (see
``kept.py``). A replacement is one call that changes everything or nothing, and only what is still
as it was read (``guard.py``).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogError,
    DamagedDocumentError,
    DatabaseNotFoundError,
)
from viewscribe.catalog_store.hive import function_store, kept, texts
from viewscribe.catalog_store.hive.client import (
    Client,
    InvalidOperationError,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
)
from viewscribe.catalog_store.hive.connection import Connections
from viewscribe.catalog_store.hive.databases import read_database, write_database
from viewscribe.catalog_store.hive.function_store import FunctionStore
from viewscribe.catalog_store.hive.guard import LOCK_SECONDS, ChangedError, GoneError, Guard
from viewscribe.catalog_store.hive.names import hive_name, is_ours, unfinished_name
from viewscribe.catalog_store.hive.own import DDL_TIME
from viewscribe.catalog_store.hive.records import DatabaseRecord, TableRecord
from viewscribe.catalog_store.hive.server import settle, told_by
from viewscribe.catalog_store.hive.state import State
from viewscribe.catalog_store.hive.states import (
    fill,
    kind_of,
    new_record,
    next_stamp,
    state_of,
)
from viewscribe.catalog_store.hive.view_tables import VIRTUAL_VIEW
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    no_object,
    not_empty,
    taken,
    wrong_kind,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sealing import seal
from viewscribe.catalog_store.versions import Change, default_author, next_version

_BATCH = 200
_ATTEMPTS = 20
_ABANDONED = 60
"""After how many seconds a drop that was begun is taken for given up."""


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
        self._functions = FunctionStore(self._client)

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
            return self._database_names()

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with told_by(self.url):
            found = read_database(self._database(name), self._path(name))
            return Stored(found.document, found.token)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = texts.write(document)
        name = hive_name(written.document.name, "database")
        record = write_database(written, DatabaseRecord(), default_author())
        with told_by(self.url):
            try:
                settle(
                    lambda: self._client.create_database(record),
                    lambda: self._database_token(name) == written.token,
                    label(document),
                )
            except NameTakenError:
                raise taken(document) from None
        return written.token

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        written = texts.write(document)
        name = hive_name(written.document.name, "database")
        with told_by(self.url):
            try:
                self._client.database(name)
            except NoSuchObjectError:
                raise conflict(label(document), gone=True) from None
            # Databases have no compare-and-swap.
            with self._guard.locked(name, "viewscribe_database"):
                if self._database_token(name) != expected:
                    raise conflict(label(document), gone=False)
                record = write_database(written, self._client.database(name), None)
                settle(
                    lambda: self._client.alter_database(name, record),
                    lambda: self._database_token(name) == written.token,
                    label(document),
                )
        return written.token

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds. Files stay."""
        with told_by(self.url):
            self._database(name)
            home = hive_name(name, "database")
            try:
                settle(
                    lambda: self._client.drop_database(home, cascade=cascade),
                    lambda: home not in self._client.databases(),
                    f"end of the database {name}",
                )
            except NoSuchObjectError:
                raise no_database(name, self._database_names()) from None
            except InvalidOperationError:
                objects = self._ids(name)
                if not objects or cascade:
                    raise
                raise not_empty(name, objects) from None
            except MetaError:
                # Hive says so of one that is gone by now.
                if home in self._client.databases():
                    raise
                raise no_database(name, self._database_names()) from None

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        with told_by(self.url):
            return self._state(kind, database, name).stored()

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        written = texts.write(document, next_version(None, change, "create"))
        sealed = written.document
        home, name = self._place(sealed.kind, sealed.database, sealed.name)
        with told_by(self.url):
            if isinstance(sealed, FunctionDocument):
                self._create_function(written, home, name)
                return written.token
            self._note_case(sealed)
            record = new_record(sealed, default_author())
            fill(record, written, None, int(time.time()), self._path(sealed.database, sealed.name))
            try:
                settle(
                    lambda: self._client.create_table(record),
                    lambda: self._is(written, sealed.kind, home, name),
                    label(sealed),
                )
            except NameTakenError:
                raise self._taken(sealed, home, name) from None
            except (InvalidOperationError, NoSuchObjectError):
                self._database(sealed.database)  # which says that it is not there
                raise
        return written.token

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed = seal(document)
        home, name = self._place(sealed.kind, sealed.database, sealed.name)
        with told_by(self.url):
            if isinstance(sealed, FunctionDocument):
                return self._replace_function(sealed, expected, change)
            record = self._record_to_replace(sealed, home, name)
            before = state_of(record, self._path(sealed.database, sealed.name))
            if before.token != expected:
                raise conflict(label(sealed), gone=False)
            if before.says(sealed):
                return expected
            written = texts.write(sealed, next_version(before.version, change, "replace"))
            self._alter(record, written, before, label(sealed))
        return written.token

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state. Files stay."""
        home, low = self._place(kind, database, name)
        what = f"{kind} {database}.{name}"
        with told_by(self.url):
            if kind == "function":
                self._drop_function(database, name, expected)
                return
            for _ in range(_ATTEMPTS):
                record = self._record(kind, database, name, to_alter=True)
                self._require(record, expected, what)
                marked = record.copy()
                now = int(time.time())
                stamps = [record.parameters.get(key, "") for key in (DDL_TIME, kept.STAMP)]
                stamp = str(next_stamp(stamps, now))
                marked.parameters = {
                    **record.parameters,
                    DDL_TIME: stamp, kept.STAMP: stamp, kept.DROPPING: str(now),
                }  # fmt: skip
                try:
                    # Dropping has no condition: so the drop is announced under one.
                    self._guard.alter(record, marked)
                except GoneError:
                    raise self._missing(kind, database, name) from None
                except ChangedError:
                    continue
                settle(
                    lambda: self._client.drop_table(home, low),
                    lambda: self._is_gone(home, low),
                    f"end of the {what}",
                )
                return
            raise conflict(what, gone=False)

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
        home, low = self._place(kind, database, name)
        check_new_name(kind, to)
        place = self._place(kind, *to)
        what = f"{kind} {database}.{name}"
        with told_by(self.url):
            change = rename_change(change, database, name)
            if kind == "function":
                return self._rename_function(database, name, to, expected, change)
            record = self._record(kind, database, name, to_alter=True)
            self._require(record, expected, what)
            before = state_of(record, self._path(database, name))
            self._database(to[0])
            document = renamed(before.written.document, to)
            if place != (home, low):
                self._require_free(document, *place)
            written = texts.write(document, next_version(before.version, change, "rename"))
            try:
                self._alter(record, written, before, what)
            except InvalidOperationError:
                self._require_free(document, *place)
                raise
        return written.token

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
            for home in homes:
                try:
                    record = self._client.database(home)
                except NoSuchObjectError:
                    continue
                yield from self._load(record, home)

    # --- inside: reading ---

    def _path(self, *names: str) -> str:
        return "/".join((self.url, *names))

    @staticmethod
    def _place(kind: str, database: str, name: str) -> tuple[str, str]:
        return hive_name(database, "database"), hive_name(name, kind)

    def _database(self, name: str) -> DatabaseRecord:
        try:
            return self._client.database(hive_name(name, "database"))
        except NoSuchObjectError:
            raise no_database(name, self._database_names()) from None

    def _database_names(self) -> list[str]:
        names = []
        for name in self._client.databases():
            try:
                names.append(_spelled_database(self._client.database(name), name))
            except NoSuchObjectError:  # dropped meanwhile
                continue
        return sorted(names, key=fold)

    def _database_token(self, name: str) -> Token:
        return read_database(self._client.database(name), self._path(name)).token

    def _state(self, kind: ObjectKind, database: str, name: str) -> State:
        path = self._path(database, name)
        if kind != "function":
            return state_of(self._record(kind, database, name), path)
        place = self._place(kind, database, name)
        record = self._functions.find(*place)
        if record is None:
            raise self._missing(kind, database, name)
        return function_store.state(record, place, path)

    def _record(
        self, kind: ObjectKind, database: str, name: str, *, to_alter: bool = False
    ) -> TableRecord:
        read = self._guard.read if to_alter else self._client.table
        try:
            record = read(*self._place(kind, database, name))
        except NoSuchObjectError:
            raise self._missing(kind, database, name) from None
        found = kind_of(record.type)
        if found != kind:
            raise wrong_kind(kind, found, database, name)
        return record

    def _missing(self, kind: ObjectKind, database: str, name: str) -> CatalogError:
        try:
            return no_object(kind, database, name, self._ids(database))
        except DatabaseNotFoundError as error:
            return error

    def _ids(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        record = self._database(database)
        home = record.name or ""
        spelled = _spelled_database(record, home)
        found = []
        if kind != "function":
            for name, type_ in self._tables(record, home, kind):
                found.append(ObjectId(spelled, name, type_))
        if kind in (None, "function") and self._functions.names(home):
            for _, name, function in self._functions.all(home):
                called = self._spelled_function(function, home, name)
                found.append(ObjectId(spelled, called, "function"))
        chosen = [each for each in found if kind is None or each.kind == kind]
        return sorted(chosen, key=lambda each: (fold(each.name), each.kind))

    def _tables(
        self, database: DatabaseRecord, home: str, kind: ObjectKind | None
    ) -> list[tuple[str, ObjectKind]]:
        """Names and kinds; a name is spelled as its writer did, where that is in our document."""
        found: dict[str, ObjectKind] = dict.fromkeys(
            self._client.names_of_type(home, VIRTUAL_VIEW), "view"
        )
        if kind != "view":
            found = {each: found.get(each, "table") for each in self._client.table_names(home)}
        cased = []
        if kept.CASED in database.parameters:
            cased = self._client.table_names_with(home, kept.CASED, "true")
        spelled = {
            record.name: self._spelled_table(record) for record in self._records(home, cased)
        }
        return [
            (spelled.get(name, name), type_) for name, type_ in found.items() if not is_ours(name)
        ]

    def _spelled_table(self, record: TableRecord) -> str:
        name = record.name or ""
        try:
            state = state_of(record, self._path(record.database or "", name))
        except DamagedDocumentError:
            return name
        return str(state.written.document.name)

    def _spelled_function(self, record: Any, home: str, name: str) -> str:
        try:
            found = function_store.state(record, (home, name), self._path(home, name))
        except DamagedDocumentError:
            return name
        return function_store.spelled(found)

    def _records(self, home: str, names: list[str]) -> Iterator[TableRecord]:
        for start in range(0, len(names), _BATCH):
            yield from self._client.tables(home, names[start : start + _BATCH])

    def _load(self, record: DatabaseRecord, home: str) -> Iterator[Loaded | Unreadable]:
        spelled = _spelled_database(record, home)
        path = self._path(spelled)
        try:
            found = read_database(record, path)
            yield Loaded(ObjectId(spelled, spelled, "database"), path, found.document, found.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(spelled, spelled, "database"), path, error)
        names = [each for each in self._client.table_names(home) if not is_ours(each)]
        for table in self._records(home, names):
            yield self._loaded(spelled, table.name or "", kind_of(table.type), table)
        if self._functions.names(home):
            for _, name, function in self._functions.all(home):
                yield self._loaded(spelled, name, "function", function)

    def _loaded(
        self, database: str, name: str, kind: ObjectKind, record: Any
    ) -> Loaded | Unreadable:
        path = self._path(database, name)
        try:
            if kind == "function":
                state = function_store.state(record, (fold(database), name), path)
            else:
                state = state_of(record, path)
        except DamagedDocumentError as error:
            return Unreadable(ObjectId(database, name, kind), path, error)
        document = state.written.document
        id_ = ObjectId(database, document.name, kind)
        return Loaded(id_, path, document, state.token, state.version)

    # --- inside: writing ---

    def _record_to_replace(self, document: ObjectDocument, home: str, name: str) -> TableRecord:
        try:
            record = self._guard.read(home, name)
        except NoSuchObjectError:
            self._database(document.database)
            raise conflict(label(document), gone=True) from None
        if kind_of(record.type) != document.kind or _is_being_dropped(record):
            raise conflict(label(document), gone=True)
        return record

    def _require(self, record: TableRecord, expected: Token | None, what: str) -> None:
        if _is_being_dropped(record):
            raise conflict(what, gone=True)
        if expected is None:
            return
        path = self._path(record.database or "", record.name or "")
        if state_of(record, path).token != expected:
            raise conflict(what, gone=False)

    def _alter(self, record: TableRecord, written: texts.Written, before: State, what: str) -> None:
        new = record.copy()
        document = written.document
        self._note_case(document)
        fill(new, written, before, int(time.time()), self._path(document.database, document.name))
        try:
            settle(
                lambda: self._guard.alter(record, new),
                lambda: self._is(written, document.kind, new.database or "", new.name or ""),
                what,
            )
        except GoneError:
            raise conflict(what, gone=True) from None
        except ChangedError:
            raise conflict(what, gone=False) from None

    def _note_case(self, document: ObjectDocument) -> None:
        """Notes in the database that a name in it is not in lower case, before there is one."""
        if document.name == fold(document.name):
            return
        home = hive_name(document.database, "database")
        if kept.CASED in self._database(document.database).parameters:
            return
        with self._guard.locked(home, "viewscribe_database"):
            record = self._database(document.database)
            record.parameters = {**record.parameters, kept.CASED: "true"}
            self._client.alter_database(home, record)

    def _is(self, written: texts.Written, kind: ObjectKind, home: str, name: str) -> bool:
        """Whether the object is, or was since, what was written."""
        try:
            state = self._state(kind, home, name)
        except CatalogError:
            return False
        tokens = {each.token for each in state.history(kind, self._path(home, name))}
        return written.token in tokens

    def _is_gone(self, home: str, name: str) -> bool:
        try:
            self._client.table(home, name)
        except NoSuchObjectError:
            return True
        return False

    def _taken(self, document: ObjectDocument, home: str, name: str) -> AlreadyExistsError:
        try:
            found = kind_of(self._client.table(home, name).type)
        except NoSuchObjectError:  # dropped meanwhile
            return taken(document)
        return taken(document, found)

    def _require_free(self, document: ObjectDocument, home: str, name: str) -> None:
        try:
            found = kind_of(self._client.table(home, name).type)
        except NoSuchObjectError:
            return
        raise taken(document, found)

    # --- inside: functions ---

    def _create_function(self, written: texts.Written, home: str, name: str) -> None:
        self._database(written.document.database)
        with self._guard.locked(home, unfinished_name(name)):
            if self._functions.find(home, name) is not None:
                raise taken(written.document)
            try:
                settle(
                    lambda: self._functions.create(written, default_author()),
                    lambda: self._is(written, "function", home, name),
                    label(written.document),
                )
            except NameTakenError:
                raise taken(written.document) from None

    def _replace_function(
        self, document: FunctionDocument, expected: Token, change: Change | None
    ) -> Token:
        home, name = self._place("function", document.database, document.name)
        self._database(document.database)
        with self._guard.locked(home, unfinished_name(name)):
            record = self._functions.find(home, name)
            if record is None:
                raise conflict(label(document), gone=True)
            path = self._path(document.database, document.name)
            before = function_store.state(record, (home, name), path)
            if before.token != expected:
                raise conflict(label(document), gone=False)
            if before.says(document):
                return expected
            written = texts.write(document, next_version(before.version, change, "replace"))
            self._put_function(written, before, (home, name))
        return written.token

    def _rename_function(
        self,
        database: str,
        name: str,
        to: tuple[str, str],
        expected: Token | None,
        change: Change,
    ) -> Token:
        place, target = self._place("function", database, name), self._place("function", *to)
        self._database(database)
        with self._guard.locked(place[0], unfinished_name(place[1])):
            before = self._state("function", database, name)
            if expected is not None and before.token != expected:
                raise conflict(f"function {database}.{name}", gone=False)
            self._database(to[0])
            document = renamed(before.written.document, to)
            if target != place and self._functions.find(*target) is not None:
                raise taken(document)
            written = texts.write(document, next_version(before.version, change, "rename"))
            self._put_function(written, before, place)
        return written.token

    def _put_function(self, written: texts.Written, before: State, place: tuple[str, str]) -> None:
        document = written.document
        target = self._place("function", document.database, document.name)
        settle(
            lambda: self._functions.replace(written, before, place),
            lambda: self._is(written, "function", *target),
            label(document),
        )

    def _drop_function(self, database: str, name: str, expected: Token | None) -> None:
        home, low = self._place("function", database, name)
        self._database(database)
        with self._guard.locked(home, unfinished_name(low)):
            if self._functions.find(home, low) is None:
                raise self._missing("function", database, name)
            if expected is not None:
                state = self._state("function", database, name)
                if state.token != expected:
                    raise conflict(f"function {database}.{name}", gone=False)
            settle(
                lambda: self._functions.drop(home, low),
                lambda: self._functions.find(home, low) is None,
                f"end of the function {database}.{name}",
            )


def _spelled_database(record: DatabaseRecord, name: str) -> str:
    try:
        document = read_database(record, name).document
    except DamagedDocumentError:
        return name
    return str(document.name) if fold(document.name) == name else name


def _is_being_dropped(record: TableRecord) -> bool:
    began = record.parameters.get(kept.DROPPING, "")
    return began.isdecimal() and int(began) > time.time() - _ABANDONED
