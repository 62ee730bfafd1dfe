"""A catalog that lives in memory: the default, and the model the others are tested against."""

from __future__ import annotations

import marshal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.normalization import content_hash, from_plain, seal_plain
from viewscribe.catalog_store.documents.versions import Version, version_to_plain
from viewscribe.catalog_store.messages import Held, Home, VersionedCatalog, no_database, taken_error
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable, check_name, fold

_Key = tuple[DocumentKind, str]


class _Packed(NamedTuple):
    """A document as bytes, so that no caller shares mutable parts with the store.

    The bytes come from ``marshal``, the fastest way to copy plain data; they never leave the
    process.
    """

    name: str
    plain: bytes
    token: Token
    version: Version | None


class _Database:
    """The objects of a database by kind and folded name, each with its versions, oldest first."""

    def __init__(self, own: _Packed) -> None:
        self.own = own
        self.objects: dict[_Key, tuple[_Packed, ...]] = {}


class MemoryCatalog(VersionedCatalog[_Packed]):
    """A catalog that ends with the process. Safe to use from several threads."""

    def __init__(self) -> None:
        self._databases: dict[str, _Database] = {}
        self._lock = threading.RLock()

    @property
    def url(self) -> str:
        """Always ``memory:``."""
        return "memory:"

    def __repr__(self) -> str:
        return "MemoryCatalog()"

    def list_databases(self) -> list[str]:
        """Returns the names of all databases."""
        with self._lock:
            return [self._databases[key].own.name for key in sorted(self._databases)]

    def create_database(self, document: DatabaseDocument) -> Token:
        """Creates a database."""
        own = self._encode(seal_plain(document)[1])
        with self._lock:
            if self._databases.setdefault(fold(own.name), (new := _Database(own))) is not new:
                raise taken_error(document)
        return own.token

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog as it is now."""
        with self._lock:
            found = [
                (home.own.name, kind, packed)
                for key, home in sorted(self._databases.items())
                if database is None or key == fold(database)
                for kind, packed in [
                    ("database", home.own),
                    *((each, versions[-1]) for (each, _), versions in home.objects.items()),
                ]
            ]
        for name, kind, packed in found:
            id_ = ObjectId(name, packed.name, kind)
            path = f"memory:{id_}"
            document, version = self._decode(packed, kind, path)
            yield Loaded(id_, path, document, packed.token, version)

    @contextmanager
    def _read_in(self, database: str) -> Iterator[_MemoryHome]:
        with self._lock:
            yield _MemoryHome(self, database)

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[_MemoryHome]:
        with self._lock:
            yield _MemoryHome(self, database)

    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> _Packed:
        stamp = version_to_plain(version) if version else None
        token = Token(content_hash([plain, stamp]))
        return _Packed(plain["name"], marshal.dumps(plain), token, version)

    def _decode(
        self, data: _Packed, kind: DocumentKind, path: str
    ) -> tuple[Document, Version | None]:
        return from_plain(marshal.loads(data.plain)), data.version

    def _token(self, data: _Packed) -> Token:
        return data.token


class _MemoryHome(Home[_Packed]):
    """A database, valid while the catalog's lock is held."""

    def __init__(self, catalog: MemoryCatalog, name: str) -> None:
        check_name(name, "database")
        database = catalog._databases.get(fold(name))
        if database is None:
            raise no_database(name, catalog.list_databases())
        self._catalog = catalog
        self._database = database
        self._objects = database.objects

    @property
    def name(self) -> str:
        return self._database.own.name

    def read(self, kind: DocumentKind, name: str) -> Held[_Packed] | None:
        if kind == "database":
            return Held(self._database.own, self.name)
        versions = self._objects.get((kind, fold(name)))
        return Held(versions[-1], f"{self.name}.{name}") if versions else None

    def has(self, kind: ObjectKind, name: str) -> bool:
        return (kind, fold(name)) in self._objects

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        ordered = sorted(self._objects.items(), key=lambda item: item[0][::-1])
        return [
            ObjectId(self.name, versions[-1].name, each)
            for (each, _), versions in ordered
            if kind in (None, each)
        ]

    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterator[Held[_Packed]]:
        for each in self._objects[kind, fold(name)][:-1]:
            yield Held(each, f"{self.name}.{name}")

    def last_number(self, kind: ObjectKind, name: str) -> int:
        return len(self._objects[kind, fold(name)])

    def add(
        self, document: ObjectDocument, data: _Packed, earlier: Sequence[tuple[int, _Packed]]
    ) -> None:
        self.require_free(document)
        self._objects[_key(document)] = (*(each for _, each in earlier), data)

    def put(self, document: Document, data: _Packed, replaced: tuple[int, _Packed] | None) -> None:
        if replaced is None:
            self._database.own = data
        else:
            self._objects[_key(document)] += (data,)

    def remove(self, kind: ObjectKind, name: str) -> None:
        del self._objects[kind, fold(name)]

    def open_beside(self, database: str) -> _MemoryHome:
        return _MemoryHome(self._catalog, database)

    def move(
        self,
        name: str,
        replaced: tuple[int, _Packed],
        target: Home[_Packed],
        document: ObjectDocument,
        data: _Packed,
    ) -> _Packed:
        assert isinstance(target, _MemoryHome)
        mine = document.kind, fold(name)
        if target._objects is not self._objects or _key(document) != mine:
            target.require_free(document)
        versions = self._objects.pop(mine)
        target._objects[_key(document)] = (*versions, data)
        return data

    def drop(self, *, cascade: bool) -> None:
        del self._catalog._databases[fold(self.name)]


def _key(document: Document) -> _Key:
    return document.kind, fold(document.name)
