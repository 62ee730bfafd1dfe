"""A catalog in a directory: one YAML document a file, for people, for git and for Spark jobs.

The layout is in ``layout.py``, how files are written in ``storage.py``. Writers take turns
through one lock file; readers need no lock and see each document as it was before or after a
write. A token is the hash of a file's bytes, so an edit by hand is noticed like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from viewscribe.catalog_store import file_history
from viewscribe.catalog_store.codec import decode, encode
from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    Document,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    DatabaseNotEmptyError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.file_history import Kept
from viewscribe.catalog_store.file_reading import (
    database_name,
    database_names,
    load,
    load_directory,
    missing,
    object_ids,
    open_child,
    open_database,
    other_files,
    read,
    token_of,
)
from viewscribe.catalog_store.file_renames import Place, present_version, rename_file
from viewscribe.catalog_store.history import in_sequence
from viewscribe.catalog_store.layout import DATABASE_FILE, file_name
from viewscribe.catalog_store.locks import write_lock
from viewscribe.catalog_store.messages import conflict, label, not_empty, taken
from viewscribe.catalog_store.names import check_name
from viewscribe.catalog_store.names import encode as encode_name
from viewscribe.catalog_store.plain import to_plain
from viewscribe.catalog_store.protocol import (
    NAMESPACE,
    Loaded,
    ObjectId,
    Stored,
    Token,
    Unreadable,
)
from viewscribe.catalog_store.renames import check_new_name
from viewscribe.catalog_store.sealing import content_hash
from viewscribe.catalog_store.storage import Directory, make_directories, storage_error
from viewscribe.catalog_store.versions import Change, next_version, unrecorded


class FileCatalog:
    """A catalog in the directory ``root``, which the first write creates.

    Args:
        root: the directory. A symbolic link here is followed; inside the catalog none is.
        lock_timeout: how many seconds a writer waits for other writers.
    """

    def __init__(self, root: str | os.PathLike[str], *, lock_timeout: float = 30.0) -> None:
        self.root = os.fspath(root)
        # A process that changes its directory must not find itself in another catalog.
        self._path = os.path.abspath(self.root)
        self._lock_timeout = lock_timeout
        self._swept: set[str] = set()
        self._seen = False

    @property
    def url(self) -> str:
        """``file:`` and the directory."""
        return f"file:{self.root}"

    def __repr__(self) -> str:
        return f"FileCatalog({self.root!r})"

    # --- databases ---

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with self._system_errors(), self._root() as root:
            return database_names(root)

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with self._system_errors(), self._reading(name) as home:
            return load(home, _component(name), "database", DATABASE_FILE)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database, and the catalog's directory where it is missing."""
        sealed, data = encode(document)
        component = _component(sealed.name)
        with self._system_errors():
            if self._seen and not os.path.isdir(self._path):
                raise self._gone()
            make_directories(self._path)
            with self._lock() as root:
                root.make_child(component)
                with open_child(root, component) as home:
                    _publish_new(home, DATABASE_FILE, data, sealed)
        return token_of(data)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        return self._replace(document, document.name, expected)

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds, at one moment."""
        with self._system_errors(), self._writing(name) as (root, home):
            objects = object_ids(home, name)
            if objects and not cascade:
                raise not_empty(name, objects)
            _require_only_documents(home)
            root.discard_child(_component(name))

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        file = file_name(kind, name)
        with self._system_errors(), self._reading(database) as home:
            try:
                return load(home, _component(database), kind, file)
            except FileNotFoundError:
                raise missing(home, kind, database, name) from None

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        sealed, data = encode(document, next_version(None, change, "create"))
        file = file_name(sealed.kind, sealed.name)
        with self._system_errors(), self._writing(sealed.database) as (_, home):
            _require_free(home, sealed)
            file_history.forget(home, file)  # of one whose deletion was cut short
            _publish_new(home, file, data, sealed)
        return token_of(data)

    def create_with_history(self, versions: Sequence[tuple[ViewDocument, Change]]) -> Token:
        """Store a new view with all its versions, which are one once its file is there."""
        *earlier, (document, version) = in_sequence(versions)
        sealed, data = encode(document, version)
        kept = [(each.number, encode(before, each)[1]) for before, each in earlier]
        file = file_name("view", sealed.name)
        with self._system_errors(), self._writing(sealed.database) as (_, home):
            _require_free(home, sealed)
            file_history.forget(home, file)
            for number, old in kept:
                file_history.keep(home, file, number, old)
            _publish_new(home, file, data, sealed)
        return token_of(data)

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        return self._replace(document, document.database, expected, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state."""
        file = file_name(kind, name)
        with self._system_errors(), self._writing(database) as (_, home):
            if not home.exists(file):
                raise missing(home, kind, database, name)
            if expected is not None and token_of(read(home, file)) != expected:
                raise conflict(f"{kind} {database}.{name}", gone=False)
            home.remove(file)
            # What is left of a history is never told, and cleared by the next of that name.
            with suppress(OSError, UnknownOutcomeError):
                file_history.forget(home, file)

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
        """Give the object another database and name.

        A reader may find it under both names for a moment, and after a crash until the renaming
        is repeated; never under none.
        """
        check_new_name(kind, to)
        with self._system_errors(), self._writing(database) as (root, home):
            return rename_file(root, Place(home, kind, database, name), to, expected, change)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """Every version of the object, the oldest first."""
        file = file_name(kind, name)
        present = self.get(kind, database, name)
        assert present.version is not None
        with self._system_errors(), self._reading(database) as home:
            kept = list(file_history.earlier(home, file, present.version.number))
        return [*(_kept_version(each, kind) for each in kept), present]

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with self._system_errors(), self._reading(database) as home:
            spelled = database_name(home, _component(database))
            return object_ids(home, spelled, kind)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with self._system_errors(), self._root() as root:
            if root is not None:
                names = root.names() if database is None else [_component(database)]
                for name in names:
                    yield from load_directory(root, name)
                if root.is_removed() or not os.path.isdir(self._path):
                    # What was not found was not dropped: a part must not look like the whole.
                    raise self._gone()

    # --- inside ---

    def _replace(
        self, document: Document, database: str, expected: Token, change: Change | None = None
    ) -> Token:
        sealed, data = encode(document)
        file = file_name(sealed.kind, sealed.name)
        with self._system_errors(), self._writing(database) as (_, home):
            try:
                current = read(home, file)
            except FileNotFoundError:
                raise conflict(label(sealed), gone=True) from None
            if token_of(current) != expected:
                raise conflict(label(sealed), gone=False)
            if _says_the_same(current, sealed, home.join(file)):
                return expected
            if sealed.kind != "database":
                version = present_version(home, sealed.kind, file, current)
                file_history.keep(home, file, version.number, current)
                data = encode(document, next_version(version, change, "replace"))[1]
            with home.temporary(data, mode=home.mode_of(file)) as temporary:
                home.publish_over(temporary, file)
        return token_of(data)

    @contextmanager
    def _root(self) -> Iterator[Directory | None]:
        """The root, or None where there is nothing yet. What was there once does not go away."""
        try:
            root = Directory.open(self._path, shown=self.root)
        except FileNotFoundError:
            if self._seen:
                raise self._gone() from None
            yield None
            return
        self._seen = True
        with root:
            yield root

    def _gone(self) -> StorageError:
        return StorageError(
            f"the catalog {self.root} went away while it was used",
            hint="find out what took it away; open it again when it is back",
        )

    @contextmanager
    def _reading(self, database: str) -> Iterator[Directory]:
        component = _component(database)
        with self._root() as root, open_database(root, component, database) as home:
            yield home

    @contextmanager
    def _lock(self) -> Iterator[Directory]:
        with (
            Directory.open(self._path, shown=self.root) as root,
            write_lock(root, self._lock_timeout),
        ):
            self._seen = True
            self._sweep(root)
            yield root

    @contextmanager
    def _writing(self, database: str) -> Iterator[tuple[Directory, Directory]]:
        """The root and a database, with the write lock held."""
        with self._reading(database):
            pass  # so that a wrong name is told before a lock file is made
        component = _component(database)
        with self._lock() as root, open_database(root, component, database) as home:
            self._sweep(home)
            yield root, home

    def _sweep(self, directory: Directory) -> None:
        """Clear what crashes left behind, once for each directory."""
        if directory.path not in self._swept:
            self._swept.add(directory.path)
            directory.sweep()

    @contextmanager
    def _system_errors(self) -> Iterator[None]:
        """Turn what the system refuses into a ``StorageError``."""
        try:
            yield
        except OSError as error:
            raise storage_error(self.root, error) from error


def _component(database: str) -> str:
    check_name(database, "database")
    return encode_name(database)


def _publish_new(home: Directory, file: str, data: bytes, document: Document) -> None:
    with home.temporary(data) as temporary:
        try:
            home.publish_new(temporary, file)
        except FileExistsError:
            raise taken(document) from None


def _require_free(home: Directory, document: ObjectDocument) -> None:
    for kind in NAMESPACE[document.kind]:
        if home.exists(file_name(kind, document.name)):
            raise taken(document, kind)


def _kept_version(kept: Kept, kind: ObjectKind) -> Stored[Any]:
    document, version = decode(kept.data, kind, kept.path)
    return Stored(document, token_of(kept.data), version or unrecorded(kept.number, 0))


def _says_the_same(data: bytes, document: Document, path: str) -> bool:
    """Whether a stored file means ``document``, however it is laid out."""
    try:
        stored = decode(data, document.kind, path).document
    except DamagedDocumentError:
        return False
    return content_hash(to_plain(stored)) == content_hash(to_plain(document))


def _require_only_documents(home: Directory) -> None:
    """Refuse to drop a directory in which somebody keeps something else."""
    others = other_files(home)
    if others:
        raise DatabaseNotEmptyError(
            f"{home.path} holds files that are no documents: {', '.join(others[:3])}",
            hint="move them away first",
        )
