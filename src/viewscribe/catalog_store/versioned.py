"""The write algorithm that all stores share.

A store supplies the encoding of documents and a ``Home``, which is one open database. Every change
takes the same steps: seal the document, open its database for writing, compare the token, compare
the contents, number the version, keep the replaced version, publish.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

import msgspec

from viewscribe.catalog_store.documents.history import in_sequence
from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import is_same, seal_plain
from viewscribe.catalog_store.documents.plain import to_plain
from viewscribe.catalog_store.documents.versions import Change, Version, next_version, unrecorded
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    DamagedDocumentError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
)
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    no_object,
    not_empty,
    taken_error,
    wrong_kind,
)
from viewscribe.catalog_store.names import check_name
from viewscribe.catalog_store.protocol import (
    NAMESPACE,
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
)
from viewscribe.catalog_store.renames import check_new_name, rename_change, rename_document

T = TypeVar("T")


class Held(msgspec.Struct, Generic[T], frozen=True):
    """A document as stored.

    Args:
        data: the encoded document.
        path: its location, for messages.
        number: the version number, for an earlier version.
        changed_ms: the time of the last change, if the store knows it.
    """

    data: T
    path: str
    number: int = 1
    changed_ms: int = 0


class Home(ABC, Generic[T]):
    """One open database. While it is open for writing, no other writer can change it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The database's name, as its document spells it."""

    @abstractmethod
    def read(self, kind: DocumentKind, name: str) -> Held[T] | None:
        """Returns the object of exactly that kind, or the database's own document."""

    @abstractmethod
    def has(self, kind: ObjectKind, name: str) -> bool:
        """Returns whether there is an object of exactly that kind, readable or not."""

    def kind_of(self, name: str) -> ObjectKind | None:
        """Returns whether the name is that of a view or a table; None for neither."""
        return next((kind for kind in NAMESPACE["view"] if self.has(kind, name)), None)

    @abstractmethod
    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        """Returns the objects, sorted ignoring case."""

    @abstractmethod
    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterable[Held[T]]:
        """Yields the kept versions of an object with numbers below ``before``, oldest first."""

    @abstractmethod
    def last_number(self, kind: ObjectKind, name: str) -> int:
        """Returns the number of the last kept version of an object, or 0."""

    @abstractmethod
    def add(self, document: ObjectDocument, data: T, earlier: Sequence[tuple[int, T]]) -> None:
        """Publishes a new object with its earlier versions. Raises if the name is taken."""

    @abstractmethod
    def put(self, document: Document, data: T, replaced: tuple[int, T] | None) -> None:
        """Keeps ``replaced`` in the history, then publishes ``data`` in its place."""

    @abstractmethod
    def remove(self, kind: ObjectKind, name: str) -> None:
        """Drops an object with its history."""

    @abstractmethod
    def open_beside(self, database: str) -> Home[T]:
        """Opens another database in the same mode, for as long as this one is open."""

    @abstractmethod
    def move(
        self, name: str, replaced: tuple[int, T], target: Home[T], document: ObjectDocument, data: T
    ) -> T:
        """Moves an object to ``target`` under its new name, together with its history.

        Returns the stored document. Raises if the name is taken.
        """

    @abstractmethod
    def drop(self, *, cascade: bool) -> None:
        """Atomically drops the database with all it holds.

        Args:
            cascade: whether it may hold objects, which another writer may have just added.
        """

    def check_place(self, document: Document, kind: DocumentKind, name: str, path: str) -> None:
        """Raises ``DamagedDocumentError`` if a document contradicts the place it is stored at."""

    def require_free(self, document: ObjectDocument) -> None:
        """Raises ``AlreadyExistsError`` if the name of ``document`` is taken."""
        for kind in NAMESPACE[document.kind]:
            if self.has(kind, document.name):
                raise taken_error(document, kind)


class VersionedCatalog(ABC, Generic[T]):
    """Base class of catalogs; subclasses supply the encoding of documents and a ``Home``."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The location, in the form that ``open_catalog`` takes."""

    @abstractmethod
    def list_databases(self) -> list[str]:
        """Returns the names of all databases."""

    @abstractmethod
    def create_database(self, document: DatabaseDocument) -> Token:
        """Creates a database."""

    @abstractmethod
    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog; unreadable ones as ``Unreadable``."""

    @abstractmethod
    def _read_in(self, database: str) -> AbstractContextManager[Home[T]]:
        """Opens a database for reading. Raises ``DatabaseNotFoundError``, possibly on first use."""

    @abstractmethod
    def _write_in(self, database: str, *, alone: bool = False) -> AbstractContextManager[Home[T]]:
        """Opens a database for writing. Raises ``DatabaseNotFoundError``.

        Args:
            database: its name.
            alone: whether the database itself changes, so that nobody may add to it meanwhile.
        """

    def _create_in(self, document: ObjectDocument) -> AbstractContextManager[Home[T]]:
        """Opens the database of a document for adding it under a name that is free."""
        return self._write_in(document.database)

    @abstractmethod
    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> T:
        """Encodes a sealed document. Raises ``InvalidDocumentError``."""

    @abstractmethod
    def _decode(self, data: T, kind: DocumentKind, path: str) -> tuple[Document, Version | None]:
        """Decodes a document. Raises ``DamagedDocumentError``."""

    @abstractmethod
    def _token(self, data: T) -> Token:
        """Returns the token of a stored document."""

    # --- databases ---

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """Returns the database's document and its token."""
        with self._read_in(name) as home:
            held = home.read("database", name)
            if held is None:  # dropped a moment ago
                raise no_database(name, self.list_databases())
            return self._open(home, "database", name, held)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replaces a database's document if its token is still ``expected``."""
        sealed, plain = seal_plain(document)
        try:
            with self._write_in(sealed.name, alone=True) as home:
                return self._replace(home, sealed, plain, expected, None)
        except DatabaseNotFoundError:
            raise conflict(label(sealed), gone=True) from None

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Atomically drops a database; with ``cascade`` including everything in it."""
        with self._write_in(name, alone=True) as home:
            objects = home.list_ids()
            if objects and not cascade:
                raise not_empty(name, objects)
            home.drop(cascade=cascade)

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """Returns the document and its token."""
        check_name(name, kind)
        with self._read_in(database) as home:
            return self._open(home, kind, name, _find(home, kind, database, name))

    def kind_of(self, database: str, name: str) -> ObjectKind | None:
        """Returns whether the name is that of a view or a table; None for neither."""
        check_name(name, "view")
        with self._read_in(database) as home:
            return home.kind_of(name)

    def find(self, database: str, name: str) -> Stored[Any] | None:
        """Returns the view or table of that name; None where there is none."""
        check_name(name, "view")
        with self._read_in(database) as home:
            kind = home.kind_of(name)
            held = None if kind is None else home.read(kind, name)
            if kind is None or held is None:
                return None
            return self._open(home, kind, name, held)

    def find_function(self, database: str, name: str) -> Stored[Any] | None:
        """Returns the function of that name; None where there is none."""
        check_name(name, "function")
        with self._read_in(database) as home:
            held = home.read("function", name)
            return None if held is None else self._open(home, "function", name, held)

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Stores a new object, as its first version."""
        sealed, plain = seal_plain(document)
        data = self._encode(plain, next_version(None, change, "create"))
        with self._create_in(sealed) as home:
            home.add(sealed, data, ())
        return self._token(data)

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Stores a new view with all its versions."""
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
        """Replaces the object if its token is still ``expected``; keeps the earlier version."""
        sealed, plain = seal_plain(document)
        with self._write_in(sealed.database) as home:
            return self._replace(home, sealed, plain, expected, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drops the object and its history; if ``expected`` is given, only in that state."""
        check_name(name, kind)
        with self._write_in(database) as home:
            if not home.has(kind, name):
                raise not_found_error(home, kind, database, name)
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
        """Renames the object, possibly into another database; its history moves along."""
        check_name(name, kind)
        check_new_name(kind, to)
        with self._write_in(database) as home:
            current = _find(home, kind, database, name)
            if expected is not None:
                self._require(current, expected, f"{kind} {database}.{name}")
            stored, version = self._decode(current.data, kind, current.path)
            moved: Any = rename_document(stored, to)  # type: ignore[type-var]
            target = home.open_beside(to[0])
            version = version or _unrecorded(home, kind, name, current)
            following = next_version(version, rename_change(change, database, name), "rename")
            sealed, plain = seal_plain(moved)
            data = self._encode(plain, following)
            try:
                data = home.move(name, (version.number, current.data), target, sealed, data)
            except AlreadyExistsError as error:
                # A name that is taken is replaced by whoever creates, never by whoever renames.
                error.hint = "rename it to another name, or drop what has this one first"
                raise
        return self._token(data)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """Returns every version of the object, oldest first."""
        check_name(name, kind)
        with self._read_in(database) as home:
            present = self._open(home, kind, name, _find(home, kind, database, name))
            assert present.version is not None
            kept = list(home.read_earlier(kind, name, present.version.number))
        return [*(self._store(each, kind) for each in kept), present]

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """Returns the objects of a database, damaged ones included."""
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
        stored = self._store(held, kind)
        home.check_place(stored.document, kind, name, held.path)
        return stored

    def _store(self, held: Held[T], kind: DocumentKind) -> Stored[Any]:
        document, version = self._decode(held.data, kind, held.path)
        if version is None and kind != "database":
            version = unrecorded(held.number, held.changed_ms)
        return Stored(document, self._token(held.data), version)


def _find(home: Home[T], kind: ObjectKind, database: str, name: str) -> Held[T]:
    held = home.read(kind, name)
    if held is None:
        raise not_found_error(home, kind, database, name)
    return held


def not_found_error(
    home: Home[Any], kind: ObjectKind, database: str, name: str
) -> ObjectNotFoundError:
    """Returns the error for a missing object of that kind and name."""
    for other in NAMESPACE[kind][1:]:
        if home.has(other, name):
            return wrong_kind(kind, other, database, name)
    return no_object(kind, database, name, home.list_ids())


def _unrecorded(home: Home[T], kind: ObjectKind, name: str, held: Held[T]) -> Version:
    """Returns the version to assume, the next one, if a document has none or is unreadable."""
    return unrecorded(home.last_number(kind, name) + 1, held.changed_ms)
