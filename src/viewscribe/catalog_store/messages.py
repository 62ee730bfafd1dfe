"""Errors that all catalogs raise with the same wording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import (
    in_sequence,
    is_same,
    seal_plain,
    to_plain,
)
from viewscribe.catalog_store.documents.versions import Change, Version, next_version, unrecorded
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogUnreachableError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    DatabaseNotEmptyError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
    WrongKindError,
)
from viewscribe.catalog_store.protocol import (
    NAMESPACE,
    Catalog,
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
    check_name,
    fold,
)
from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.types.identifiers import quote_identifier


def label(document: Document) -> str:
    """Returns the document's kind and name, for messages."""
    if isinstance(document, DatabaseDocument):
        return f"database {document.name}"
    return f"{document.kind} {document.database}.{document.name}"


def no_database(name: str, known: Iterable[str]) -> DatabaseNotFoundError:
    """Returns the error for an unknown database; the hint suggests the nearest names."""
    names = list(known)
    hint = did_you_mean(name, names) or _listing("databases", names)
    return DatabaseNotFoundError(f"no database `{name}`", hint=hint)


def no_database_to_save_in(name: str, catalog: Catalog) -> DatabaseNotFoundError:
    """Like ``no_database``; the hint also says how to create it."""
    if catalog.url.startswith("spark:"):
        how = f'spark.sql("CREATE DATABASE {quote_identifier(name)}")'
    elif catalog.url == "memory:":
        how = f"env.create_database({quote_identifier(name)!r})"
    else:
        how = f"TableEnvironment({catalog.url!r}).create_database({quote_identifier(name)!r})"
    hint = did_you_mean(name, catalog.list_databases())
    create = f"create it first: {how}"
    return DatabaseNotFoundError(
        f"no database `{name}`", hint=f"{hint}; or {create}" if hint else create
    )


def no_object(
    kind: ObjectKind, database: str, name: str, known: Iterable[ObjectId]
) -> ObjectNotFoundError:
    """Returns the error for an unknown object; the hint suggests the nearest of its kind."""
    names = [each.name for each in known if each.kind == kind]
    hint = did_you_mean(name, names) or _listing(f"{kind}s in `{database}`", names)
    return ObjectNotFoundError(f"no {kind} `{name}` in database `{database}`", hint=hint)


def wrong_kind(wanted: ObjectKind, found: ObjectKind, database: str, name: str) -> WrongKindError:
    """Returns the error for a view in place of a table, or vice versa."""
    return WrongKindError(f"`{database}`.`{name}` is a {found}, not a {wanted}")


def taken_error(document: Document, by: ObjectKind | None = None) -> AlreadyExistsError:
    """Returns the error for a name that is taken, by an object of kind ``by`` if that differs."""
    return taken_name_error(label(document), None if by == document.kind else by)


def taken_name_error(what: str, by: ObjectKind | None = None) -> AlreadyExistsError:
    """Like ``taken``, for the name of ``what``."""
    if by is None:
        return AlreadyExistsError(
            f"the {what} exists already",
            hint="replace it with or_replace=True, or use another name",
        )
    return AlreadyExistsError(
        f"cannot create the {what}: a {by} has that name",
        hint=f"drop the {by}, or use another name",
    )


def conflict(what: str, *, gone: bool) -> ConcurrentUpdateError:
    """Returns the error for a concurrent update."""
    happened = "dropped" if gone else "changed"
    return ConcurrentUpdateError(
        f"the {what} was {happened} by someone else since it was read",
        hint="nothing was written: read it again and repeat the change",
    )


def nothing_answers(url: str, error: object, what: str) -> CatalogUnreachableError:
    """Returns the error for a server that is not there; ``what`` runs at the address."""
    return CatalogUnreachableError(
        f"nothing answers at {url}: {error}", hint=f"check the address, and whether {what} runs"
    )


def no_answer(url: str, error: object, what: str) -> CatalogUnreachableError:
    """Returns the error for a server that was asked and did not answer."""
    return CatalogUnreachableError(
        f"{url} did not answer: {error}", hint=f"try again; see whether {what} runs"
    )


def not_empty(name: str, objects: Sequence[ObjectId]) -> DatabaseNotEmptyError:
    """Returns the error for dropping a database that still holds objects."""
    shown = ", ".join(f"{each.kind} {each.name}" for each in objects[:3])
    more = f" and {len(objects) - 3} more" if len(objects) > 3 else ""
    return DatabaseNotEmptyError(
        f"the database `{name}` is not empty: it holds {shown}{more}",
        hint="drop them first, or drop the database with cascade",
    )


def _listing(what: str, names: Sequence[str]) -> str:
    if not names:
        return f"there are no {what}"
    more = ", ..." if len(names) > 5 else ""
    return f"{what}: {', '.join(sorted(names)[:5])}{more}"


# Renaming: the document under its new name, and the version that records the former name.

O = TypeVar("O", ViewDocument, TableDocument, FunctionDocument)  # noqa: E741


def rename_document(document: O, to: tuple[str, str]) -> O:
    """Returns ``document`` under the database and name ``to``.

    Unqualified names in a view's text refer to the view's own database. If that changes, they are
    qualified with the old one.
    """
    moved = msgspec.structs.replace(document, database=to[0], name=to[1])
    if fold(document.database) == fold(to[0]):
        return moved
    return _in_full(moved, document.database)


def _in_full(document: O, home: str) -> O:
    """Qualifies unqualified names in a view with ``home``; other documents are unchanged."""
    if not isinstance(document, ViewDocument):
        return document
    from viewscribe.parser.qualify import with_full_tables
    from viewscribe.parser.settings import make_reading

    reading = make_reading(document.settings)
    try:
        return msgspec.structs.replace(
            document, sql=with_full_tables(document.sql, (home,), reading)
        )
    except ValidationError:
        if document.plan is None:
            raise
        return document  # text that viewscribe printed has full names only


def check_new_name(kind: ObjectKind, to: tuple[str, str]) -> None:
    """Raises ``InvalidNameError`` unless an object can have this name."""
    check_name(to[0], "database")
    check_name(to[1], kind)


def rename_change(change: Change | None, database: str, name: str) -> Change:
    """Returns ``change`` with the former name as its source, unless it has a source."""
    change = change or Change()
    if change.source is not None:
        return change
    return msgspec.structs.replace(change, source=former_name(database, name))


def former_name(database: str, name: str) -> str:
    """Returns the text by which a rename's version records the former name."""
    return f"{database}.{name}"


# The write algorithm that all stores share.
#
# A store supplies the encoding of documents and a ``Home``, which is one open database. Every
# change takes the same steps: seal the document, open its database for writing, compare the token,
# compare the contents, number the version, keep the replaced version, publish.

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
