"""A catalog that lives in memory: the default, and the model the others are tested against."""

from __future__ import annotations

import marshal
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
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
from viewscribe.catalog_store.names import check_name, fold
from viewscribe.catalog_store.plain import from_plain
from viewscribe.catalog_store.protocol import (
    NAMESPACE,
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
)
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sealing import content_hash, seal_plain
from viewscribe.catalog_store.versions import (
    Change,
    Version,
    next_version,
    version_to_plain,
)


class _Entry(NamedTuple):
    """A document as bytes, so that no caller holds a part of what is stored.

    They are ``marshal``'s, which never leave the process: nothing copies plain data as fast.
    """

    name: str
    kind: DocumentKind
    packed: bytes
    token: Token
    version: Version | None
    earlier: tuple[_Entry, ...]

    def plain(self) -> Any:
        return marshal.loads(self.packed)

    def open(self) -> Any:
        return from_plain(self.plain())

    def stored(self) -> Stored[Any]:
        return Stored(self.open(), self.token, self.version)


def _entry(
    plain: dict[str, Any], version: Version | None = None, earlier: tuple[_Entry, ...] = ()
) -> _Entry:
    stamp = version_to_plain(version) if version else None
    token = Token(content_hash([plain, stamp]))
    return _Entry(plain["name"], plain["kind"], marshal.dumps(plain), token, version, earlier)


def _following(entry: _Entry, plain: dict[str, Any], version: Version) -> _Entry:
    return _entry(plain, version, (*entry.earlier, entry._replace(earlier=())))


class _Database:
    """A database and its objects by kind and folded name."""

    def __init__(self, entry: _Entry) -> None:
        self.entry = entry
        self.objects: dict[tuple[str, str], _Entry] = {}

    @property
    def name(self) -> str:
        return self.entry.name

    def ids(self) -> list[ObjectId]:
        return [
            ObjectId(self.name, entry.name, entry.kind)
            for _, entry in sorted(self.objects.items(), key=lambda item: item[0][::-1])
        ]


class MemoryCatalog:
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
        """The names of all databases."""
        with self._lock:
            return [self._databases[key].name for key in sorted(self._databases)]

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with self._lock:
            return self._database(name).entry.stored()

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        entry = _entry(seal_plain(document)[1])
        with self._lock:
            key = fold(document.name)
            if key in self._databases:
                raise taken(document)
            self._databases[key] = _Database(entry)
        return entry.token

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        entry = _entry(seal_plain(document)[1])
        with self._lock:
            database = self._databases.get(fold(document.name))
            if database is None or database.entry.token != expected:
                raise conflict(label(document), gone=database is None)
            database.entry = entry
        return entry.token

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds."""
        with self._lock:
            database = self._database(name)
            if database.objects and not cascade:
                raise not_empty(name, database.ids())
            del self._databases[fold(name)]

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        check_name(name, kind)
        with self._lock:
            home = self._database(database)
            return self._find(home, kind, database, name).stored()

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        entry = _entry(seal_plain(document)[1], next_version(None, change, "create"))
        return self._add(document, entry)

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with all its versions."""
        entry: _Entry | None = None
        for document, version in in_sequence(versions):
            plain = seal_plain(document)[1]
            entry = _following(entry, plain, version) if entry else _entry(plain, version)
        assert entry is not None
        return self._add(document, entry)

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        plain = seal_plain(document)[1]
        with self._lock:
            objects = self._database(document.database).objects
            key = (document.kind, fold(document.name))
            current = objects.get(key)
            if current is None or current.token != expected:
                raise conflict(label(document), gone=current is None)
            if current.plain() == plain:
                return expected
            entry = _following(current, plain, next_version(current.version, change, "replace"))
            objects[key] = entry
        return entry.token

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state."""
        check_name(name, kind)
        with self._lock:
            home = self._database(database)
            current = self._find(home, kind, database, name)
            if expected is not None and current.token != expected:
                raise conflict(f"{kind} {database}.{name}", gone=False)
            del home.objects[kind, fold(name)]

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
        check_name(name, kind)
        check_new_name(kind, to)
        with self._lock:
            home = self._database(database)
            current = self._find(home, kind, database, name)
            if expected is not None and current.token != expected:
                raise conflict(f"{kind} {database}.{name}", gone=False)
            document = renamed(current.open(), to)
            target = self._database(to[0])
            key = (kind, fold(to[1]))
            for each in NAMESPACE[kind]:
                other = target.objects.get((each, key[1]))
                if other is not None and other is not current:
                    raise taken(document, each)
            change = rename_change(change, database, name)
            version = next_version(current.version, change, "rename")
            entry = _following(current, seal_plain(document)[1], version)
            del home.objects[kind, fold(name)]
            target.objects[key] = entry
        return entry.token

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """Every version of the object, the oldest first."""
        check_name(name, kind)
        with self._lock:
            entry = self._find(self._database(database), kind, database, name)
        return [each.stored() for each in (*entry.earlier, entry)]

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database."""
        with self._lock:
            ids = self._database(database).ids()
        return [each for each in ids if kind is None or each.kind == kind]

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog as it is now."""
        with self._lock:
            entries = [
                (home.name, entry)
                for key, home in sorted(self._databases.items())
                if database is None or key == fold(database)
                for entry in (home.entry, *home.objects.values())
            ]
        for name, entry in entries:
            document = entry.open()
            id_ = ObjectId(name, document.name, document.kind)
            yield Loaded(id_, f"memory:{id_}", document, entry.token, entry.version)

    def _add(self, document: ObjectDocument, entry: _Entry) -> Token:
        with self._lock:
            home = self._database(document.database)
            key = fold(document.name)
            for kind in NAMESPACE[document.kind]:
                if (kind, key) in home.objects:
                    raise taken(document, kind)
            home.objects[document.kind, key] = entry
        return entry.token

    def _database(self, name: str) -> _Database:
        check_name(name, "database")
        database = self._databases.get(fold(name))
        if database is None:
            raise no_database(name, self.list_databases())
        return database

    def _find(self, home: _Database, kind: ObjectKind, database: str, name: str) -> _Entry:
        for each in NAMESPACE[kind]:
            entry = home.objects.get((each, fold(name)))
            if entry is not None:
                if each != kind:
                    raise wrong_kind(kind, each, database, name)
                return entry
        raise no_object(kind, database, name, home.ids())
