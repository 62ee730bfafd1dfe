"""``SqlCatalog``: the documents of a catalog as rows, every change in a transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
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
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.messages import no_database, taken_error
from viewscribe.catalog_store.names import check_name, encode, fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable
from viewscribe.catalog_store.stores.sql.engine import transaction
from viewscribe.catalog_store.stores.sql.rows import check_keys, spell
from viewscribe.catalog_store.stores.sql.tables import DATABASES, OBJECTS, VERSIONS
from viewscribe.catalog_store.versioned import Held, Home, VersionedCatalog

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
