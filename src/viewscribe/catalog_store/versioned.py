"""One algorithm for every store: what is checked, compared, kept and published, in this order.

A store supplies how it encodes documents and a ``Home``, which is one open database. Every change
goes the same way: seal the document, open its database for writing, compare the token, compare
what the documents say, number the version, keep the one it replaces, publish.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

import msgspec

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
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
from viewscribe.catalog_store.names import check_name
from viewscribe.catalog_store.plain import to_plain
from viewscribe.catalog_store.protocol import (
    NAMESPACE,
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
)
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sealing import is_same, seal_plain
from viewscribe.catalog_store.versions import Change, Version, next_version, unrecorded

T = TypeVar("T")


class Held(msgspec.Struct, Generic[T], frozen=True):
    """A document as a store holds it.

    Args:
        data: the encoded document.
        path: where it is, for messages.
        number: of a kept version, which one it is.
        changed_ms: when it was last changed, where the store knows.
    """

    data: T
    path: str
    number: int = 1
    changed_ms: int = 0


class Home(ABC, Generic[T]):
    """One open database. While it is open for writing, no other writer changes what it reads."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The database's name, as its document spells it."""

    @abstractmethod
    def read(self, kind: DocumentKind, name: str) -> Held[T] | None:
        """The object of that very kind, or the database's own document."""

    @abstractmethod
    def has(self, kind: ObjectKind, name: str) -> bool:
        """Whether there is an object of that very kind, which may be unreadable."""

    @abstractmethod
    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects, sorted without regard to case."""

    @abstractmethod
    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterable[Held[T]]:
        """The kept versions of an object with numbers below ``before``, the oldest first."""

    @abstractmethod
    def last_number(self, kind: ObjectKind, name: str) -> int:
        """The number of the last version kept of an object; 0 where none is."""

    @abstractmethod
    def add(self, document: ObjectDocument, data: T, earlier: Sequence[tuple[int, T]]) -> None:
        """Publish a new object together with its earlier versions. Raises where it is taken."""

    @abstractmethod
    def put(self, document: Document, data: T, replaced: tuple[int, T] | None) -> None:
        """Publish ``data`` in the place of what is there, once ``replaced`` is kept."""

    @abstractmethod
    def remove(self, kind: ObjectKind, name: str) -> None:
        """Drop an object with its history."""

    @abstractmethod
    def open_beside(self, database: str) -> Home[T]:
        """Another database, in the same state and for as long as this one."""

    @abstractmethod
    def move(
        self, name: str, replaced: tuple[int, T], target: Home[T], document: ObjectDocument, data: T
    ) -> T:
        """Publish an object in ``target`` under its new name and take it away here.

        Its history goes with it. Returns what is stored. Raises where the name is taken.
        """

    @abstractmethod
    def drop(self, *, cascade: bool) -> None:
        """Drop the database with all it holds, at one moment.

        Args:
            cascade: whether it may hold something, where others may have added it by now.
        """

    def check_place(self, document: Document, kind: DocumentKind, name: str, path: str) -> None:
        """Raise ``DamagedDocumentError`` where a document is not what the place it has says."""

    def require_free(self, document: ObjectDocument) -> None:
        """Raise ``AlreadyExistsError`` where the name of ``document`` is taken."""
        for kind in NAMESPACE[document.kind]:
            if self.has(kind, document.name):
                raise taken(document, kind)


class VersionedCatalog(ABC, Generic[T]):
    """A catalog over a store that supplies ``Home`` and how documents are encoded."""

    @property
    @abstractmethod
    def url(self) -> str:
        """Where it is, in the form ``open_catalog`` takes."""

    @abstractmethod
    def list_databases(self) -> list[str]:
        """The names of all databases."""

    @abstractmethod
    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""

    @abstractmethod
    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""

    @abstractmethod
    def _read_in(self, database: str) -> AbstractContextManager[Home[T]]:
        """A database as it is now. Raises ``DatabaseNotFoundError``, maybe only once it is used."""

    @abstractmethod
    def _write_in(self, database: str, *, alone: bool = False) -> AbstractContextManager[Home[T]]:
        """A database to change. Raises ``DatabaseNotFoundError``.

        Args:
            database: its name.
            alone: the database itself changes, so nobody may add to it meanwhile.
        """

    @abstractmethod
    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> T:
        """What is stored of a sealed document. Raises ``InvalidDocumentError``."""

    @abstractmethod
    def _decode(self, data: T, kind: DocumentKind, path: str) -> tuple[Document, Version | None]:
        """The document in ``data``. Raises ``DamagedDocumentError``."""

    @abstractmethod
    def _token(self, data: T) -> Token:
        """The token of a stored document."""

    # --- databases ---

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with self._read_in(name) as home:
            held = home.read("database", name)
            if held is None:  # dropped a moment ago
                raise no_database(name, self.list_databases())
            return self._open(home, "database", name, held)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        sealed, plain = seal_plain(document)
        try:
            with self._write_in(sealed.name, alone=True) as home:
                return self._replace(home, sealed, plain, expected, None)
        except DatabaseNotFoundError:
            raise conflict(label(sealed), gone=True) from None

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds, at one moment."""
        with self._write_in(name, alone=True) as home:
            objects = home.list_ids()
            if objects and not cascade:
                raise not_empty(name, objects)
            home.drop(cascade=cascade)

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        check_name(name, kind)
        with self._read_in(database) as home:
            return self._open(home, kind, name, _find(home, kind, database, name))

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        sealed, plain = seal_plain(document)
        data = self._encode(plain, next_version(None, change, "create"))
        with self._write_in(sealed.database) as home:
            home.add(sealed, data, ())
        return self._token(data)

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with all its versions."""
        sealed = versions[-1][0]
        *kept, (_, data) = [
            (version.number, self._encode(seal_plain(document)[1], version))
            for document, version in in_sequence(versions)
        ]
        with self._write_in(sealed.database) as home:
            home.add(sealed, data, kept)
        return self._token(data)

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed, plain = seal_plain(document)
        with self._write_in(sealed.database) as home:
            return self._replace(home, sealed, plain, expected, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object with its history, where ``expected`` is given only in that state."""
        check_name(name, kind)
        with self._write_in(database) as home:
            if not home.has(kind, name):
                raise missing(home, kind, database, name)
            if expected is not None:
                held = _find(home, kind, database, name)
                self._require(held, expected, f"{kind} {database}.{name}")
            home.remove(kind, name)

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
        """Give the object another database and name; its history goes with it."""
        check_name(name, kind)
        check_new_name(kind, to)
        with self._write_in(database) as home:
            current = _find(home, kind, database, name)
            if expected is not None:
                self._require(current, expected, f"{kind} {database}.{name}")
            stored, version = self._decode(current.data, kind, current.path)
            moved: Any = renamed(stored, to)  # type: ignore[type-var]
            target = home.open_beside(to[0])
            version = version or _unrecorded(home, kind, name, current)
            following = next_version(version, rename_change(change, database, name), "rename")
            sealed, plain = seal_plain(moved)
            data = self._encode(plain, following)
            data = home.move(name, (version.number, current.data), target, sealed, data)
        return self._token(data)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """Every version of the object, the oldest first."""
        check_name(name, kind)
        with self._read_in(database) as home:
            present = self._open(home, kind, name, _find(home, kind, database, name))
            assert present.version is not None
            kept = list(home.read_earlier(kind, name, present.version.number))
        return [*(self._stored(each, kind) for each in kept), present]

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with self._read_in(database) as home:
            return home.list_ids(kind)

    # --- inside ---

    def _replace(
        self,
        home: Home[T],
        sealed: Document,
        plain: dict[str, Any],
        expected: Token,
        change: Change | None,
    ) -> Token:
        current = home.read(sealed.kind, sealed.name)
        if current is None:
            raise conflict(label(sealed), gone=True)
        self._require(current, expected, label(sealed))
        try:
            stored, version = self._decode(current.data, sealed.kind, current.path)
        except DamagedDocumentError:
            version = None
        else:
            if is_same(to_plain(stored), plain):
                return expected
        if sealed.kind == "database":
            data = self._encode(plain)
            home.put(sealed, data, None)
        else:
            version = version or _unrecorded(home, sealed.kind, sealed.name, current)
            data = self._encode(plain, next_version(version, change, "replace"))
            home.put(sealed, data, (version.number, current.data))
        return self._token(data)

    def _require(self, held: Held[T], expected: Token, what: str) -> None:
        if self._token(held.data) != expected:
            raise conflict(what, gone=False)

    def _open(self, home: Home[T], kind: DocumentKind, name: str, held: Held[T]) -> Stored[Any]:
        stored = self._stored(held, kind)
        home.check_place(stored.document, kind, name, held.path)
        return stored

    def _stored(self, held: Held[T], kind: DocumentKind) -> Stored[Any]:
        document, version = self._decode(held.data, kind, held.path)
        if version is None and kind != "database":
            version = unrecorded(held.number, held.changed_ms)
        return Stored(document, self._token(held.data), version)


def _find(home: Home[T], kind: ObjectKind, database: str, name: str) -> Held[T]:
    held = home.read(kind, name)
    if held is None:
        raise missing(home, kind, database, name)
    return held


def missing(home: Home[Any], kind: ObjectKind, database: str, name: str) -> ObjectNotFoundError:
    """Why there is no object of that kind and name."""
    for other in NAMESPACE[kind][1:]:
        if home.has(other, name):
            return wrong_kind(kind, other, database, name)
    return no_object(kind, database, name, home.list_ids())


def _unrecorded(home: Home[T], kind: ObjectKind, name: str, held: Held[T]) -> Version:
    """The version of an object that does not tell, or cannot be read: the next one."""
    return unrecorded(home.last_number(kind, name) + 1, held.changed_ms)
