"""The contract of every catalog: a small store of documents with compare-and-swap.

A catalog promises three things, whatever it keeps its documents in: a change becomes visible as a
whole or not at all; of several writers that start from the same state exactly one wins; and what
one writer finished, every later reader sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, Literal, NewType, Protocol, TypeVar, overload, runtime_checkable

import msgspec

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    Document,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.versions import Change, Version

Token = NewType("Token", str)
"""Stands for one state of one document. Compare and pass on; the text means nothing."""

NAMESPACE: dict[DocumentKind, tuple[ObjectKind, ...]] = {
    "view": ("view", "table"),
    "table": ("table", "view"),
    "function": ("function",),
}
"""For each kind, the kinds it shares a namespace with, itself first."""

D = TypeVar("D", bound=Document, covariant=True)


class Stored(msgspec.Struct, Generic[D], frozen=True):
    """A document as the catalog holds it, the token of that state, and which version it is.

    Databases have no versions.
    """

    document: D
    token: Token
    version: Version | None = None


class ObjectId(msgspec.Struct, frozen=True, order=True):
    """Which object: the kind, the database and the name, as the catalog spells them."""

    database: str
    name: str
    kind: DocumentKind

    def __str__(self) -> str:
        return self.name if self.kind == "database" else f"{self.database}.{self.name}"


class Unreadable(msgspec.Struct, frozen=True):
    """A document that could not be loaded, with the error that says why."""

    id: ObjectId
    path: str
    error: CatalogError


class Loaded(msgspec.Struct, frozen=True):
    """A document that could be loaded."""

    id: ObjectId
    path: str
    document: Document
    token: Token
    version: Version | None = None


class Catalog(Protocol):
    """A store of databases and of the views, tables and functions in them.

    Names compare without regard to case. Views and tables share a namespace, functions have
    their own. Methods raise the errors of ``viewscribe.catalog_store.errors`` and nothing else.
    """

    @property
    def url(self) -> str:
        """Where it is, in the form ``open_catalog`` takes."""

    def list_databases(self) -> list[str]:
        """The names of all databases, sorted without regard to case."""

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document. Raises ``DatabaseNotFoundError``."""

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database. Raises ``AlreadyExistsError``."""

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds, at one moment.

        Raises ``DatabaseNotFoundError``, ``DatabaseNotEmptyError``.
        """

    @overload
    def get(self, kind: Literal["view"], database: str, name: str) -> Stored[ViewDocument]: ...
    @overload
    def get(self, kind: Literal["table"], database: str, name: str) -> Stored[TableDocument]: ...
    @overload
    def get(
        self, kind: Literal["function"], database: str, name: str
    ) -> Stored[FunctionDocument]: ...
    @overload
    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[ObjectDocument]: ...
    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[ObjectDocument]:
        """The document and its token.

        Raises ``DatabaseNotFoundError``, ``ObjectNotFoundError`` (``WrongKindError`` where a table
        has the name of the wanted view or the other way round), ``DamagedDocumentError``.
        """

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version.

        Raises ``AlreadyExistsError`` where the name is taken, ``DatabaseNotFoundError``,
        ``InvalidDocumentError``, ``InvalidNameError``.
        """

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; returns the new token.

        The replaced version stays in the object's history. A document identical to the stored
        one changes nothing and keeps the token. Raises
        ``ConcurrentUpdateError`` where the state is another or the object is gone.
        """

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object with its history, where ``expected`` is given only in that state.

        A damaged document can be dropped too. Raises ``ObjectNotFoundError``,
        ``ConcurrentUpdateError``.
        """

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
        """Give the object the database and name ``to``; its history goes with it.

        Raises ``AlreadyExistsError`` where the name is taken, ``ObjectNotFoundError``,
        ``DatabaseNotFoundError``, ``ConcurrentUpdateError``, ``InvalidNameError``.
        """

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[ObjectDocument]]:
        """Every version of the object, the oldest first and the present one last.

        Raises as ``get`` does.
        """

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included, sorted without regard to case."""

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others.

        Args:
            database: only its documents, itself included; nothing where there is none.
        """


@runtime_checkable
class KeepsWholeHistories(Protocol):
    """What a catalog can do besides, where it can: store a view with all its versions at once."""

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with its versions, the oldest first: all of them or nothing.

        Neighbours that say the same become one. Raises as ``create`` does.
        """
