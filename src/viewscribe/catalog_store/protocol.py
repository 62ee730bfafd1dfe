"""The contract of every catalog: a small store of documents with compare-and-swap.

Every catalog guarantees three things, whatever its storage: a change becomes visible as a whole or
not at all (atomicity); of several writers that start from the same state exactly one wins
(optimistic locking); and every later reader sees what a writer has finished (consistency).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import (
    TYPE_CHECKING,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    Protocol,
    TypeVar,
    overload,
    runtime_checkable,
)
from zlib import crc32

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
from viewscribe.catalog_store.documents.versions import Change, Version
from viewscribe.catalog_store.errors import CatalogError, InvalidNameError
from viewscribe.types.arguments import require_text

if TYPE_CHECKING:
    from viewscribe.expressions.functions.user_defined import UserFunction


# Names of objects: comparing them, and encoding them as file names.
#
# Names are case-insensitive as in Spark, and equal if their Unicode normal forms are. A file name
# only has the characters ``a-z0-9_-%~``, so a name cannot escape from its directory, and names stay
# distinct on file systems that fold case or normalize Unicode.

MAX_ENCODED = 180
"""Longer encodings are truncated and completed with a hash; file systems allow 255 bytes."""

_KEPT = 130
_MAX_NAME = 4096
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
"""Names of devices on Windows, whatever the extension."""
_ENCODED = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+")
_ESCAPED = re.compile("%(..)")
_HASHED = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+~[0-9a-f]{32}")


def fold(name: str) -> str:
    """Returns the folded form of a name; two names are the same if their folded forms are."""
    if name.isascii():  # the common case, which needs no normalization
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


def check_name(name: str, what: str = "object") -> None:
    """Raises :class:`InvalidNameError` for a name that cannot be stored."""
    require_text(name, f"the name of {_one(what)}")
    if not name:
        raise InvalidNameError(f"the name of {_one(what)} is empty", hint="give it a name")
    if len(name) > _MAX_NAME:
        raise InvalidNameError(
            f"the name of {_one(what)} has {len(name):,} characters: {name[:40]}...",
            hint=f"use at most {_MAX_NAME:,}",
        )
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidNameError(
            f"the name {name!r} of a {what} holds half of a surrogate pair",
            hint="use valid Unicode text",
        ) from None


def encode(name: str) -> str:
    """Returns the file name, without extension, of ``name``; the encoding is injective."""
    check_name(name)
    folded = fold(name)
    encoded = "".join(
        chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in folded.encode("utf-8")
    )
    if encoded in DEVICES or encoded.startswith("-"):
        encoded = f"%{ord(encoded[0]):02x}{encoded[1:]}"
    return encoded if len(encoded) <= MAX_ENCODED else _hash(encoded, folded)


def _hash(encoded: str, folded: str) -> str:
    """Returns a shortened encoding; the ``~`` in it keeps it distinct from all others."""
    head = re.sub(r"%[0-9a-f]?$", "", encoded[:_KEPT])
    return f"{head}~{hashlib.sha256(folded.encode('utf-8')).hexdigest()[:32]}"


def _one(what: str) -> str:
    return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}"


def decode(component: str) -> str | None:
    """Returns the folded name encoded in a file name, or None.

    None means that the name was too long to be kept, so that only the document has it, or that
    ``encode`` did not make this file name: see :func:`is_encoded`.
    """
    if not _ENCODED.fullmatch(component):
        return None
    try:
        name = _ESCAPED.sub(_unescape, component).encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if len(name) <= _MAX_NAME and encode(name) == component else None


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def is_encoded(component: str) -> bool:
    """Returns whether ``encode`` could have made this file name."""
    return _HASHED.fullmatch(component) is not None or decode(component) is not None


Token = NewType("Token", str)
"""Identifies one state of one document. Opaque: only compare tokens and pass them on."""

NAMESPACE: dict[DocumentKind, tuple[ObjectKind, ...]] = {
    "view": ("view", "table"),
    "table": ("table", "view"),
    "function": ("function",),
}
"""For each kind, the kinds that share its namespace, itself first."""

D = TypeVar("D", bound=Document, covariant=True)


class Stored(msgspec.Struct, Generic[D], frozen=True):
    """A document with the token of its state and its version; databases have no version."""

    document: D
    token: Token
    version: Version | None = None

    def __repr__(self) -> str:
        number = "no version" if self.version is None else f"version {self.version.number}"
        return f"Stored({number}, {self.document!r})"


class ObjectId(msgspec.Struct, frozen=True, order=True):
    """Identifies an object: kind, database and name, as the catalog spells them."""

    database: str
    name: str
    kind: DocumentKind

    def __str__(self) -> str:
        return self.name if self.kind == "database" else f"{self.database}.{self.name}"


class Unreadable(msgspec.Struct, frozen=True):
    """A document that could not be loaded, with the error."""

    id: ObjectId
    path: str
    error: CatalogError


class Loaded(msgspec.Struct, frozen=True):
    """A document that was loaded."""

    id: ObjectId
    path: str
    document: Document
    token: Token
    version: Version | None = None


class Overview(msgspec.Struct, frozen=True):
    """What a list shows of a document; functions and databases have no columns."""

    id: ObjectId
    path: str
    comment: str | None = None
    columns: int | None = None


class Catalog(Protocol):
    """A store of databases and the views, tables and functions in them.

    Names are case-insensitive. Views and tables share a namespace, functions have their own.
    Methods only raise the errors of ``viewscribe.catalog_store.errors``.
    """

    @property
    def url(self) -> str:
        """The location, in the form that ``open_catalog`` takes."""

    def list_databases(self) -> list[str]:
        """Returns the names of all databases, sorted ignoring case."""

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """Returns the database's document. Raises ``DatabaseNotFoundError``."""

    def create_database(self, document: DatabaseDocument) -> Token:
        """Creates a database. Raises ``AlreadyExistsError``."""

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replaces a database's document if its token is still ``expected``."""

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Atomically drops a database; with ``cascade`` including everything in it.

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
        """Returns the document and its token.

        Raises ``DatabaseNotFoundError``, ``ObjectNotFoundError`` (``WrongKindError`` if the name
        belongs to a table instead of a view, or vice versa), ``DamagedDocumentError``.
        """

    def kind_of(self, database: str, name: str) -> ObjectKind | None:
        """Returns whether the name is that of a view or a table; None for neither.

        Costs less than ``get``, and reads no document. Raises ``DatabaseNotFoundError``.
        """

    def find(self, database: str, name: str) -> Stored[ViewDocument] | Stored[TableDocument] | None:
        """Returns the view or table of that name; None where there is none.

        Raises ``DatabaseNotFoundError``, ``DamagedDocumentError``.
        """

    def find_function(self, database: str, name: str) -> Stored[FunctionDocument] | None:
        """Returns the function of that name; None where there is none.

        Raises ``DatabaseNotFoundError``, ``DamagedDocumentError``.
        """

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Stores a new object, as its first version.

        Raises ``AlreadyExistsError`` if the name is taken, ``DatabaseNotFoundError``,
        ``InvalidDocumentError``, ``InvalidNameError``.
        """

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replaces the object if its token is still ``expected`` (compare-and-swap).

        The replaced version stays in the object's history. A document identical to the stored one
        changes nothing and keeps the token.

        Returns:
            The new token.

        Raises ``ConcurrentUpdateError`` if the object has changed or is gone.
        """

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drops the object and its history; if ``expected`` is given, only in that state.

        A damaged document can be dropped, too. Raises ``ObjectNotFoundError``,
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
        """Renames the object to the database and name ``to``; its history moves along.

        Raises ``AlreadyExistsError`` if the name is taken, ``ObjectNotFoundError``,
        ``DatabaseNotFoundError``, ``ConcurrentUpdateError``, ``InvalidNameError``.
        """

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[ObjectDocument]]:
        """Returns every version of the object, oldest first; the last is the current one.

        Raises the same errors as ``get``.
        """

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """Returns the objects of a database, damaged ones included, sorted ignoring case."""

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog; unreadable ones as ``Unreadable``.

        Args:
            database: only yield the documents of this database, including its own; none if it does
                not exist.
        """


@runtime_checkable
class HasOwnFunctions(Protocol):
    """Optional capability of a catalog: functions that Spark finds in it, and that nobody stored.

    ``lake.system.bucket`` is one: each catalog of Iceberg's has it.
    """

    def own_function(self, path: tuple[str, str, str]) -> UserFunction | None:
        """Returns the function of a full path; None where the catalog itself has none."""


@runtime_checkable
class HasTransactions(Protocol):
    """Optional capability of a catalog: several changes that are seen together or not at all."""

    def transaction(self) -> AbstractContextManager[Catalog]:
        """Returns a catalog whose changes are kept where the block ends without an error."""


@runtime_checkable
class KeepsWholeHistories(Protocol):
    """Optional capability of a catalog: storing a view with all its versions at once."""

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Atomically stores a new view with its versions, oldest first.

        Adjacent versions with the same content become one. Raises the same errors as ``create``.
        """


class Share(NamedTuple):
    """Some of the documents of a catalog: one of several shares, which together are all of them.

    Args:
        number: which one, from 0.
        of: how many shares there are.
    """

    number: int
    of: int

    def has(self, place: str) -> bool:
        """Returns whether the document at a place is in this share, whatever else there is."""
        return crc32(place.encode("utf-8", "surrogatepass")) % self.of == self.number


@runtime_checkable
class LoadsInShares(Protocol):
    """Optional capability of a catalog that can be pickled: loading it in several processes."""

    def count_documents(self) -> int:
        """Returns about how many documents there are, without reading them."""

    def load_share(self, share: Share) -> Iterator[Loaded | Unreadable]:
        """Yields the documents of a share, as ``load_all`` yields all of them."""


@runtime_checkable
class GivesOverviews(Protocol):
    """Optional capability of a catalog: overviews without reading whole documents."""

    def overviews(self, database: str | None = None) -> Iterator[Overview | Unreadable]:
        """Yields an overview of every document, as ``load_all`` yields the documents.

        Damage in what it need not read is not noticed.
        """


# Overviews of what a catalog holds: names, kinds, comments and numbers of columns.


def overviews(catalog: Catalog, database: str | None = None) -> Iterator[Overview | Unreadable]:
    """Yields an overview of every document of ``catalog``.

    A catalog that can tell without reading whole documents reads no more of them than that, and
    yields ``Unreadable`` only where that fails; ``check`` reads everything.

    Args:
        catalog: the catalog.
        database: only this database; none if it does not exist.
    """
    if isinstance(catalog, GivesOverviews):
        yield from catalog.overviews(database)
        return
    for entry in catalog.load_all(database):
        yield overview_of(entry) if isinstance(entry, Loaded) else entry


def overview_of(entry: Loaded) -> Overview:
    """Returns the overview of a document that was loaded."""
    columns = getattr(entry.document, "columns", None)
    return Overview(
        entry.id,
        entry.path,
        comment=entry.document.comment,
        columns=None if columns is None else len(columns),
    )
