"""``SqlCatalog``: the documents of a catalog as rows, every change in a transaction."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from sqlite3 import OperationalError
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    and_,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)
from sqlalchemy.sql.elements import ColumnElement

from viewscribe.catalog_store.documents.codec import Decoded, decode_json, write_json
from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.normalization import seal_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import (
    CatalogBusyError,
    CatalogError,
    CatalogNotFoundError,
    DamagedDocumentError,
    InvalidNameError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.messages import Held, Home, VersionedCatalog, no_database, taken_error
from viewscribe.catalog_store.protocol import (
    Loaded,
    ObjectId,
    Token,
    Unreadable,
    check_name,
    decode,
    encode,
    fold,
)
from viewscribe.catalog_store.stores.sql.tables import DATABASES, METADATA, OBJECTS, VERSIONS
from viewscribe.schemas.strict_json import loads
from viewscribe.secrets import mask_error, mask_value

# What a row says and what is in it, of which somebody may have changed one alone.


def check_keys(document: Document, home: str, key: str | None, path: str) -> None:
    """Pass where ``document`` is what the keys of its row say it is.

    Raises:
        DamagedDocumentError: it is another's, which opening or moving it would take it for.
    """
    names = [getattr(document, "database", None), document.name]
    parts = [each for each in names if each is not None]
    try:
        keys = [encode(each) for each in parts]
    except InvalidNameError as error:
        raise DamagedDocumentError(error.message, path=path) from None
    if keys != [each for each in (home, key) if each is not None]:
        name = ".".join(parts)
        raise DamagedDocumentError(f"the document is for the {document.kind} `{name}`", path=path)


def spell(row: Any) -> str:
    """The name as it was given; as the key has it where somebody changed one of them alone."""
    try:
        name = loads(row.name)
        if isinstance(name, str) and encode(name) == row.key:
            return name
    except (ValueError, InvalidNameError):
        pass
    return decode(row.key) or str(row.key)


# Connections, transactions, and conversion of database errors.

_WRITES = "viewscribe_writes"
_SECONDS = 30
"""How long a writer waits for another one."""


def open_sql(text: str, create: bool = True) -> SqlCatalog:
    """Opens the catalog at ``sqlite:views.db`` or ``postgresql://user@host/database``.

    Args:
        text: the URL. The driver may supply the password (``PGPASSWORD``, ``~/.pgpass``).
        create: whether to create missing tables.

    Raises:
        CatalogNotFoundError: the tables are missing, and ``create`` is false.
        CatalogError: the URL is invalid, or its database is not supported.
    """

    url = _url(text)
    if url.get_backend_name() == "sqlite" and not create and not os.path.exists(url.database or ""):
        raise CatalogNotFoundError(
            f"there is no catalog at {url.database}", hint="check the path; saving creates it"
        )
    engine = _engine(url)
    shown = _show(url)
    with translate_errors(shown):
        missing = {*METADATA.tables} - {*inspect(engine).get_table_names()}
    if missing and create:
        _make_tables(engine, shown)
    elif DATABASES.name in missing:
        raise CatalogNotFoundError(
            f"there is no catalog in {shown}", hint="check the URL; saving creates it"
        )
    return SqlCatalog(engine, shown)


def _make_tables(engine: Engine, shown: str) -> None:
    """Makes the tables that are missing; another process may do so at the same moment."""
    try:
        with transaction(engine, shown, writes=True) as connection:
            METADATA.create_all(connection)
    except StorageError:
        with translate_errors(shown):
            if not inspect(engine).has_table(DATABASES.name):
                raise


def _url(text: str) -> URL:
    scheme, _, rest = text.partition(":")
    try:
        if scheme.lower() == "sqlite":
            # sqlite:///relative and sqlite:////absolute as SQLAlchemy has it, or without slashes.
            path = rest[3:] if rest.startswith("///") else rest
            if not path or path.startswith("//"):
                raise CatalogError(
                    f"`{text}` names no file", hint="write sqlite:views.db, for example"
                )
            return URL.create("sqlite", database=os.path.abspath(os.path.expanduser(path)))
        url = make_url(f"postgresql+psycopg:{rest}")
    except (ArgumentError, ValueError) as error:
        raise CatalogError(
            f"`{scheme}:` is not followed by an address",
            hint="write postgresql://user@host/database, and %40 for an @ in a password",
        ) from mask_error(error)
    is_misread = url.password is not None and re.match(r"\d+[/?#].*=", url.password)
    if is_misread or "@" in (url.host or ""):  # a part of the password would be looked up as a host
        raise CatalogError(
            f"the address `{text}` has an @ too many", hint="write %40 for an @ in a password"
        )
    return url


def _show(url: URL) -> str:
    """The URL for messages, without its password."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:{url.database}"
    shown = url.set(drivername="postgresql").render_as_string(hide_password=True)
    return mask_value(shown)  # `?password=` is one as well


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True, hide_parameters=True)
        engine = create_engine(url, connect_args={"timeout": _SECONDS}, hide_parameters=True)
    except (ImportError, NoSuchModuleError) as error:
        raise CatalogError(
            f"{_show(url)} does not work here: {error}",
            hint="PostgreSQL needs psycopg: pip install viewscribe[postgresql]",
        ) from error
    _SameFile(url.database or "").watch(engine)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


class _SameFile:
    """Detects that an SQLite file was removed or replaced under an open catalog.

    SQLite would create a new file on the next connection, and existing connections would go on
    writing into the unlinked one.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None

    def watch(self, engine: Engine) -> None:
        """Checks before every connection and every transaction."""
        event.listen(engine, "do_connect", self._check)
        event.listen(engine, "begin", self._check)

    def _check(self, *_: Any) -> None:
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            now = None
        else:
            now = (found.st_dev, found.st_ino)
        if self._seen is not None and now != self._seen:
            raise StorageError(
                f"the catalog {self._path} went away while it was used",
                hint="find out what took it away; open it again when it is back",
            )
        self._seen = now


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver's own idea of when a transaction starts is wrong for readers and for DDL:
    # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#pysqlite-serializable
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    with suppress(OperationalError):  # the file is another's alone, which may do the same just now
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Upgrading a read transaction fails if another wrote meanwhile, so writers start as writers.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine, shown: str, *, writes: bool) -> Iterator[Connection]:
    """Runs a transaction, which is committed at the end and rolled back on any error.

    Raises:
        UnknownOutcomeError: the connection broke during the commit.
    """
    with (
        translate_errors(shown),
        engine.connect().execution_options(**{_WRITES: writes}) as connection,
    ):
        running = connection.begin()
        try:
            yield connection
        except BaseException:
            running.rollback()
            raise
        try:
            running.commit()
        except DBAPIError as error:
            # SQLAlchemy would give it back to the pool with the transaction and its locks open.
            connection.invalidate()
            if writes and error.connection_invalidated:
                raise UnknownOutcomeError(
                    f"{shown}: the connection broke while the change was being committed",
                    hint="read it again; saving the same document again is safe",
                ) from error
            raise


@contextmanager
def translate_errors(shown: str) -> Iterator[None]:
    """Converts database errors into catalog errors."""
    try:
        yield
    except DBAPIError as error:
        cause = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason"
        if "locked" in cause or "deadlock" in cause:
            raise CatalogBusyError(
                f"{shown} is being written by another process: {cause}",
                hint="nothing was written: repeat it",
            ) from error
        raise StorageError(f"{shown}: {cause}") from mask_error(error)
    except SQLAlchemyError as error:
        raise StorageError(f"{shown}: {error}") from mask_error(error)


_SPACES: dict[DocumentKind, str] = {
    "view": "relation",
    "table": "relation",
    "function": "function",
}


class _Place(NamedTuple):
    """The keys of an object."""

    home: str
    space: str
    key: str

    def of(self, table: Any) -> ColumnElement[bool]:
        """The condition that a row of ``table`` is about this object."""
        columns = table.c
        return and_(columns.home == self.home, columns.space == self.space, columns.key == self.key)


class SqlCatalog(VersionedCatalog[str]):
    """A catalog in the tables ``viewscribe_…`` of a database.

    A token is the hash of a document's text, which also detects manual edits.

    Args:
        engine: the SQLAlchemy engine; ``open_sql`` creates a properly configured one.
        url: the catalog's URL, without a password.
    """

    def __init__(self, engine: Engine, url: str) -> None:
        self._engine = engine
        self._url = url
        self._running: Connection | None = None

    @property
    def url(self) -> str:
        """``sqlite:`` and the file, or ``postgresql:`` and the address without its password."""
        return self._url

    def __repr__(self) -> str:
        return f"SqlCatalog({self._url!r})"

    @contextmanager
    def transaction(self) -> Iterator[SqlCatalog]:
        """Returns a catalog whose changes become visible together or not at all.

        ``with catalog.transaction() as changes: changes.create(…); changes.replace(…)``
        """
        with self._transaction(writes=True) as connection:
            bound = SqlCatalog(self._engine, self._url)
            bound._running = connection
            yield bound

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with self._transaction(writes=False) as connection:
            return _database_names(connection)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        sealed, plain = seal_plain(document)
        text = self._encode(plain)
        row = {"key": encode(sealed.name), "name": json.dumps(sealed.name), "document": text}
        with self._transaction(writes=True) as connection:
            try:
                with connection.begin_nested():
                    connection.execute(insert(DATABASES).values(**row))
            except IntegrityError:
                raise taken_error(sealed) from None
        return self._token(text)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog; unreadable ones as ``Unreadable``."""
        databases = select(DATABASES).order_by(DATABASES.c.key)
        objects = select(OBJECTS).order_by(OBJECTS.c.home, OBJECTS.c.key, OBJECTS.c.kind)
        if database is not None:
            check_name(database, "database")
            databases = databases.where(DATABASES.c.key == encode(database))
            objects = objects.where(OBJECTS.c.home == encode(database))
        with self._transaction(writes=False) as connection:
            homes = connection.execute(databases).all()
            rows = connection.execute(objects).all()
        inside: dict[str, list[Row[Any]]] = {home.key: [] for home in homes}
        for row in rows:
            inside.get(row.home, []).append(row)
        for home in homes:
            name = spell(home)
            yield self._load(ObjectId(name, name, "database"), home.document, home.key, None)
            for row in inside[home.key]:
                id_ = ObjectId(name, spell(row), row.kind)
                yield self._load(id_, row.document, home.key, row.key)

    # --- inside ---

    @contextmanager
    def _join(self, connection: Connection) -> Iterator[Connection]:
        """Runs a step in a savepoint of the transaction, which is rolled back if it fails."""
        with connection.begin_nested():
            yield connection

    def _transaction(self, *, writes: bool) -> AbstractContextManager[Connection]:
        if self._running is not None:
            return self._join(self._running)
        return transaction(self._engine, self._url, writes=writes)

    @contextmanager
    def _read_in(self, database: str) -> Iterator[_SqlHome]:
        with self._transaction(writes=False) as connection:
            yield _SqlHome(connection, self._url, database)

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[_SqlHome]:
        with self._transaction(writes=True) as connection:
            home = _SqlHome(connection, self._url, database, writes=True, alone=alone)
            yield home.require()

    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> str:
        return write_json(plain, version)

    def _decode(self, data: str, kind: DocumentKind, path: str) -> Decoded:
        return decode_json(data, kind, path)

    def _token(self, data: str) -> Token:
        return Token(hashlib.sha256(data.encode("utf-8")).hexdigest())

    def _load(self, id_: ObjectId, text: str, home: str, key: str | None) -> Loaded | Unreadable:
        path = f"{self._url}#{id_}"
        try:
            stored = self._store(Held(text, path), id_.kind)
            check_keys(stored.document, home, key, path)
        except CatalogError as error:
            return Unreadable(id_, path, error)
        return Loaded(id_, path, stored.document, stored.token, stored.version)


class _SqlHome(Home[str]):
    """The rows of a database in one transaction; a writer locks the rows that it reads."""

    def __init__(
        self,
        connection: Connection,
        url: str,
        database: str,
        *,
        writes: bool = False,
        alone: bool = False,
    ) -> None:
        check_name(database, "database")
        self._connection = connection
        self._url = url
        self._database = database
        self._writes = writes
        self._alone = alone
        self._key = encode(database)

    @cached_property
    def row(self) -> Row[Any]:
        """The database's own row. Raises ``DatabaseNotFoundError``."""
        query = select(DATABASES).where(DATABASES.c.key == self._key)
        found = self._connection.execute(query.with_for_update() if self._alone else query).first()
        if found is None:
            raise no_database(self._database, _database_names(self._connection))
        return found

    def require(self) -> _SqlHome:
        """Itself, where the database exists. Raises ``DatabaseNotFoundError``."""
        _ = self.row
        return self

    @property
    def name(self) -> str:
        return spell(self.row)

    def read(self, kind: DocumentKind, name: str) -> Held[str] | None:
        if kind == "database":
            return Held(self.row.document, self._path(self._key))
        row = self._find(kind, name)
        return Held(row.document, self._path(f"{self._database}.{name}")) if row else None

    def has(self, kind: ObjectKind, name: str) -> bool:
        return self._find(kind, name) is not None

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        database = self.name
        query = select(OBJECTS.c.key, OBJECTS.c.name, OBJECTS.c.kind).where(
            OBJECTS.c.home == self._key
        )
        rows = self._connection.execute(
            query if kind is None else query.where(OBJECTS.c.kind == kind)
        )
        found = [ObjectId(database, spell(row), row.kind) for row in rows]
        return sorted(found, key=lambda each: (fold(each.name), each.kind))

    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterator[Held[str]]:
        kept = self._place(kind, name).of(VERSIONS) & (VERSIONS.c.number < before)
        path = self._path(f"{self._database}.{name}")
        for row in self._connection.execute(
            select(VERSIONS).where(kept).order_by(VERSIONS.c.number)
        ):
            yield Held(row.document, path, row.number)

    def last_number(self, kind: ObjectKind, name: str) -> int:
        kept = self._place(kind, name).of(VERSIONS)
        last = self._connection.execute(select(func.max(VERSIONS.c.number)).where(kept)).scalar()
        return last or 0

    def add(self, document: ObjectDocument, data: str, earlier: Sequence[tuple[int, str]]) -> None:
        place = self._place(document.kind, document.name)
        row = {**place._asdict(), "kind": document.kind, **_make_key(document, data)}
        self._publish(place, document, insert(OBJECTS), row)
        for each in earlier:
            self._keep(place, each)

    def put(self, document: Document, data: str, replaced: tuple[int, str] | None) -> None:
        if replaced is None or document.kind == "database":
            change = update(DATABASES).where(DATABASES.c.key == self._key)
        else:
            place = self._place(document.kind, document.name)
            self._keep(place, replaced)
            change = update(OBJECTS).where(place.of(OBJECTS))
        self._connection.execute(change.values(**_make_key(document, data)))

    def remove(self, kind: ObjectKind, name: str) -> None:
        self._connection.execute(delete(OBJECTS).where(self._place(kind, name).of(OBJECTS)))

    def open_beside(self, database: str) -> _SqlHome:
        return _SqlHome(self._connection, self._url, database, writes=self._writes).require()

    def move(
        self,
        name: str,
        replaced: tuple[int, str],
        target: Home[str],
        document: ObjectDocument,
        data: str,
    ) -> str:
        assert isinstance(target, _SqlHome)
        place = self._place(document.kind, name)
        self._keep(place, replaced)
        new = target._place(document.kind, document.name)
        change = update(OBJECTS).where(place.of(OBJECTS))
        target._publish(new, document, change, {**new._asdict(), **_make_key(document, data)})
        return data

    def drop(self, *, cascade: bool) -> None:
        self._connection.execute(delete(DATABASES).where(DATABASES.c.key == self._key))

    def check_place(self, document: Document, kind: DocumentKind, name: str, path: str) -> None:
        check_keys(document, self._key, None if kind == "database" else encode(name), path)

    def _path(self, what: str) -> str:
        return f"{self._url}#{what}"

    def _place(self, kind: DocumentKind, name: str) -> _Place:
        check_name(name, kind)
        return _Place(self._key, _SPACES[kind], encode(name))

    def _find(self, kind: DocumentKind, name: str) -> Row[Any] | None:
        mine = self._place(kind, name).of(OBJECTS) & (OBJECTS.c.kind == kind)
        query = select(OBJECTS).where(mine)
        return self._connection.execute(query.with_for_update() if self._writes else query).first()

    def _keep(self, place: _Place, version: tuple[int, str]) -> None:
        """Put a version into the history."""
        number, text = version
        # An edit by hand may have set the number back.
        again = place.of(VERSIONS) & (VERSIONS.c.number == number)
        self._connection.execute(delete(VERSIONS).where(again))
        values = {**place._asdict(), "number": number, "document": text}
        self._connection.execute(insert(VERSIONS).values(**values))

    def _publish(
        self, place: _Place, document: ObjectDocument, change: Any, values: Mapping[str, Any]
    ) -> None:
        """Write a row whose keys may be taken by now, or whose database may be gone."""
        try:
            with self._connection.begin_nested():
                self._connection.execute(change.values(**values))
        except IntegrityError:
            query = select(OBJECTS.c.kind).where(place.of(OBJECTS))
            by = self._connection.execute(query).scalar()
            if by is None:
                names = _database_names(self._connection)
                raise no_database(document.database, names) from None
            raise taken_error(document, by) from None


def _make_key(document: Document, text: str) -> dict[str, str]:
    return {"name": json.dumps(document.name), "document": text}


def _database_names(connection: Connection) -> list[str]:
    rows = connection.execute(select(DATABASES.c.key, DATABASES.c.name))
    return sorted(map(spell, rows), key=fold)
