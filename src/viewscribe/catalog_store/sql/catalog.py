"""``SqlCatalog``: the documents of a catalog as rows, every change in a transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.elements import ColumnElement

from viewscribe.catalog_store.codec import decode_json, encode_json
from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    DamagedDocumentError,
)
from viewscribe.catalog_store.history import in_sequence
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    no_object,
    not_empty,
    taken,
    wrong_kind,
)
from viewscribe.catalog_store.names import check_name, encode, fold
from viewscribe.catalog_store.plain import to_plain
from viewscribe.catalog_store.protocol import (
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
)
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sql.engine import transaction
from viewscribe.catalog_store.sql.rows import in_place, spelled
from viewscribe.catalog_store.sql.tables import DATABASES, OBJECTS, VERSIONS
from viewscribe.catalog_store.versions import Change, Version, next_version, unrecorded

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


def _place(kind: DocumentKind, database: str, name: str) -> _Place:
    check_name(name, kind)
    check_name(database, "database")
    return _Place(encode(database), _SPACES[kind], encode(name))


class SqlCatalog:
    """A catalog in the tables ``viewscribe_…`` of a database.

    A token is the hash of a document's text, so that an edit by hand is noticed too.

    Args:
        engine: SQLAlchemy's engine; ``open_sql`` makes one as it has to be.
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
        """A catalog whose changes become visible together, or not at all.

        ``with catalog.transaction() as changes: changes.create(…); changes.replace(…)``
        """
        with self._write() as connection:
            bound = SqlCatalog(self._engine, self._url)
            bound._running = connection
            yield bound

    # --- databases ---

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with self._read() as connection:
            return _database_names(connection)

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with self._read() as connection:
            row = _database(connection, name)
        stored = self._stored(row.document, "database", row.key)
        return in_place(stored, row.key, None, self._path(row.key))

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        sealed, text = encode_json(document)
        row = {"key": encode(sealed.name), "name": json.dumps(sealed.name), "document": text}
        with self._write() as connection:
            try:
                with connection.begin_nested():
                    connection.execute(insert(DATABASES).values(**row))
            except IntegrityError:
                raise taken(sealed) from None
        return _token(text)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        sealed, text = encode_json(document)
        with self._write() as connection:
            mine = DATABASES.c.key == encode(sealed.name)
            row = connection.execute(select(DATABASES).where(mine).with_for_update()).first()
            if row is None or _token(row.document) != expected:
                raise conflict(label(sealed), gone=row is None)
            values = {"name": json.dumps(sealed.name), "document": text}
            connection.execute(update(DATABASES).where(mine).values(**values))
        return _token(text)

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds, at one moment."""
        with self._write() as connection:
            row = _database(connection, name, for_update=True)
            objects = _ids(connection, row)
            if objects and not cascade:
                raise not_empty(name, objects)
            connection.execute(delete(DATABASES).where(DATABASES.c.key == row.key))

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        place = _place(kind, database, name)
        with self._read() as connection:
            row = _object(connection, place, kind, database, name)
        what = f"{database}.{name}"
        stored = self._stored(row.document, kind, what)
        return in_place(stored, place.home, place.key, self._path(what))

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        sealed, text = encode_json(document, next_version(None, change, "create"))
        place = _place(sealed.kind, sealed.database, sealed.name)
        row = {**place._asdict(), "kind": sealed.kind, "name": json.dumps(sealed.name)}
        with self._write() as connection:
            _database(connection, sealed.database)
            try:
                with connection.begin_nested():
                    connection.execute(insert(OBJECTS).values(**row, document=text))
            except IntegrityError:
                raise self._not_created(connection, place, sealed) from None
        return _token(text)

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with all its versions, in one transaction."""
        in_sequence(versions)  # which refuses what makes no history
        (first, change), *others = versions
        with self.transaction() as changes:
            token = changes.create(first, change=change)
            for document, each in others:
                token = changes.replace(document, expected=token, change=each)
        return token

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed = encode_json(document)[0]
        place = _place(sealed.kind, sealed.database, sealed.name)
        with self._write() as connection:
            _database(connection, sealed.database)
            row = _find(connection, place, for_update=True)
            gone = row is None or row.kind != sealed.kind
            if row is None or gone or _token(row.document) != expected:
                raise conflict(label(sealed), gone=gone)
            if self._says(row.document, sealed):
                return expected
            version = self._keep(connection, place, row)
            text = encode_json(document, next_version(version, change, "replace"))[1]
            values = {"name": json.dumps(sealed.name), "document": text}
            connection.execute(update(OBJECTS).where(place.of(OBJECTS)).values(**values))
        return _token(text)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object with its history, where ``expected`` is given only in that state."""
        place = _place(kind, database, name)
        with self._write() as connection:
            row = _object(connection, place, kind, database, name, for_update=True)
            if expected is not None and _token(row.document) != expected:
                raise conflict(f"{kind} {database}.{name}", gone=False)
            connection.execute(delete(OBJECTS).where(place.of(OBJECTS)))

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
        place = _place(kind, database, name)
        check_new_name(kind, to)
        target = _place(kind, *to)
        with self._write() as connection:
            row = _object(connection, place, kind, database, name, for_update=True)
            if expected is not None and _token(row.document) != expected:
                raise conflict(f"{kind} {database}.{name}", gone=False)
            stored: Any = decode_json(row.document, kind, self._path(f"{database}.{name}")).document
            document: Any = renamed(stored, to)
            _database(connection, to[0])
            version = self._keep(connection, place, row)
            change = rename_change(change, database, name)
            text = encode_json(document, next_version(version, change, "rename"))[1]
            values = {**target._asdict(), "name": json.dumps(to[1]), "document": text}
            try:
                with connection.begin_nested():
                    connection.execute(update(OBJECTS).where(place.of(OBJECTS)).values(**values))
            except IntegrityError:
                raise self._not_created(connection, target, document) from None
        return _token(text)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """Every version of the object, the oldest first."""
        place = _place(kind, database, name)
        with self._read() as connection:
            present = _object(connection, place, kind, database, name)
            earlier = connection.execute(
                select(VERSIONS.c.document).where(place.of(VERSIONS)).order_by(VERSIONS.c.number)
            ).scalars()
            texts = [*earlier, present.document]
        return [self._stored(text, kind, f"{database}.{name}") for text in texts]

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with self._read() as connection:
            ids = _ids(connection, _database(connection, database))
        return [each for each in ids if kind in (None, each.kind)]

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        databases = select(DATABASES).order_by(DATABASES.c.key)
        objects = select(OBJECTS).order_by(OBJECTS.c.home, OBJECTS.c.key, OBJECTS.c.kind)
        if database is not None:
            check_name(database, "database")
            databases = databases.where(DATABASES.c.key == encode(database))
            objects = objects.where(OBJECTS.c.home == encode(database))
        with self._read() as connection:
            homes = connection.execute(databases).all()
            rows = connection.execute(objects).all()
        inside: dict[str, list[Row[Any]]] = {home.key: [] for home in homes}
        for row in rows:
            inside.get(row.home, []).append(row)
        for home in homes:
            name = spelled(home)
            yield self._load(ObjectId(name, name, "database"), home.document, home.key, None)
            for row in inside[home.key]:
                id_ = ObjectId(name, spelled(row), row.kind)
                yield self._load(id_, row.document, home.key, row.key)

    # --- inside ---

    @contextmanager
    def _joined(self, connection: Connection) -> Iterator[Connection]:
        """A step of a running transaction, undone alone where it fails."""
        with connection.begin_nested():
            yield connection

    def _read(self) -> AbstractContextManager[Connection]:
        if self._running is not None:
            return self._joined(self._running)
        return transaction(self._engine, self._url, writes=False)

    def _write(self) -> AbstractContextManager[Connection]:
        if self._running is not None:
            return self._joined(self._running)
        return transaction(self._engine, self._url, writes=True)

    def _path(self, what: str) -> str:
        return f"{self._url}#{what}"

    def _stored(self, text: str, kind: DocumentKind, what: str) -> Stored[Any]:
        document, version = decode_json(text, kind, self._path(what))
        return Stored(document, _token(text), version)

    def _load(self, id_: ObjectId, text: str, home: str, key: str | None) -> Loaded | Unreadable:
        path = self._path(str(id_))
        try:
            stored = in_place(self._stored(text, id_.kind, str(id_)), home, key, path)
        except CatalogError as error:
            return Unreadable(id_, path, error)
        return Loaded(id_, path, stored.document, stored.token, stored.version)

    def _says(self, text: str, document: Document) -> bool:
        """Whether a stored text means ``document``."""
        try:
            stored = decode_json(text, document.kind, self._url).document
        except DamagedDocumentError:
            return False
        return to_plain(stored) == to_plain(document)

    def _keep(self, connection: Connection, place: _Place, row: Row[Any]) -> Version:
        """Put the present version into the history; gives it back."""
        try:
            version = decode_json(row.document, row.kind, self._url).version
        except DamagedDocumentError:
            version = None
        if version is None:
            numbers = select(VERSIONS.c.number).where(place.of(VERSIONS))
            last = max(connection.execute(numbers).scalars(), default=0)
            version = unrecorded(last + 1, 0)
        values = {**place._asdict(), "number": version.number, "document": row.document}
        # An edit by hand may have set the number back.
        again = and_(place.of(VERSIONS), VERSIONS.c.number == version.number)
        connection.execute(delete(VERSIONS).where(again))
        connection.execute(insert(VERSIONS).values(**values))
        return version

    def _not_created(
        self, connection: Connection, place: _Place, document: ObjectDocument
    ) -> CatalogError:
        """Why a row could not be written: the name is taken, or the database is gone."""
        row = _find(connection, place)
        if row is None:
            return no_database(document.database, _database_names(connection))
        return taken(document, row.kind)


def _token(text: str) -> Token:
    return Token(hashlib.sha256(text.encode("utf-8")).hexdigest())


def _database_names(connection: Connection) -> list[str]:
    rows = connection.execute(select(DATABASES.c.key, DATABASES.c.name))
    return sorted(map(spelled, rows), key=fold)


def _database(connection: Connection, name: str, *, for_update: bool = False) -> Row[Any]:
    check_name(name, "database")
    query = select(DATABASES).where(DATABASES.c.key == encode(name))
    row = connection.execute(query.with_for_update() if for_update else query).first()
    if row is None:
        raise no_database(name, _database_names(connection))
    return row


def _find(connection: Connection, place: _Place, *, for_update: bool = False) -> Row[Any] | None:
    query = select(OBJECTS).where(place.of(OBJECTS))
    return connection.execute(query.with_for_update() if for_update else query).first()


def _object(
    connection: Connection,
    place: _Place,
    kind: ObjectKind,
    database: str,
    name: str,
    *,
    for_update: bool = False,
) -> Row[Any]:
    row = _find(connection, place, for_update=for_update)
    if row is None:
        raise no_object(kind, database, name, _ids(connection, _database(connection, database)))
    if row.kind != kind:
        raise wrong_kind(kind, row.kind, database, name)
    return row


def _ids(connection: Connection, home: Row[Any]) -> list[ObjectId]:
    columns = select(OBJECTS.c.key, OBJECTS.c.name, OBJECTS.c.kind)
    rows = connection.execute(columns.where(OBJECTS.c.home == home.key))
    database = spelled(home)
    found = [ObjectId(database, spelled(row), row.kind) for row in rows]
    return sorted(found, key=lambda each: (fold(each.name), each.kind))
