"""A catalog in a directory: one YAML document per file, for people, for git and for Spark jobs.

``layout.py`` defines the layout, ``storage.py`` writes files atomically. Writers share one lock
file; readers need no lock and see each document as it was before or after a write. A token is the
hash of a file's bytes, so a manual edit is detected like any other change.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

from viewscribe.catalog_store.documents.codec import Decoded, decode, encode, write_yaml
from viewscribe.catalog_store.documents.model import DatabaseDocument, DocumentKind
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import CatalogBusyError, StorageError
from viewscribe.catalog_store.messages import VersionedCatalog
from viewscribe.catalog_store.protocol import Loaded, Overview, Share, Token, Unreadable
from viewscribe.catalog_store.stores.files.home import FileHome, component_of, publish_new
from viewscribe.catalog_store.stores.files.layout import DATABASE_FILE
from viewscribe.catalog_store.stores.files.reader import (
    database_names,
    document_files,
    load_directory,
    open_child,
    overview_directory,
    token_of,
)
from viewscribe.catalog_store.stores.files.storage import Directory, make_directories, storage_error

# The exclusive write lock of a file catalog; the system releases it if its holder dies.

LOCK_FILE = ".viewscribe.lock"
"""Never removed: removing it would let two writers hold locks on two different files."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TAKEN = frozenset([errno.EAGAIN, errno.EACCES])


@contextmanager
def write_lock(root: Directory, timeout: float) -> Iterator[None]:
    """Holds the write lock of the catalog at ``root``; raises :class:`CatalogBusyError` on timeout.

    Works between processes and between threads. Readers need no lock.
    """
    fd = os.open(LOCK_FILE, _FLAGS, 0o666, dir_fd=root.fd)
    try:
        deadline = time.monotonic() + timeout
        pause = 0.001
        while not _try(fd):
            if time.monotonic() >= deadline:
                raise CatalogBusyError(
                    f"{root.path} is being written by another process for more than {timeout:g} s",
                    hint="wait for it to end, or stop it, then repeat",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        yield
    finally:
        os.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


_Entry = TypeVar("_Entry")


class FileCatalog(VersionedCatalog[bytes]):
    """A catalog in the directory ``root``, which the first write creates.

    Args:
        root: the directory. It may be a symbolic link; links inside the catalog are not followed.
        lock_timeout: the time in seconds that a writer waits for other writers.
    """

    def __init__(self, root: str | os.PathLike[str], *, lock_timeout: float = 30.0) -> None:
        self.root = os.fspath(root)
        # Resolve now, so that a later chdir() of the process does not lead to another catalog.
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

    def list_databases(self) -> list[str]:
        """Returns the names of all databases."""
        with self._system_errors(), self._root() as root:
            return database_names(root)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Creates a database, and the catalog's directory if it is missing."""
        sealed, data = encode(document)
        component = component_of(sealed.name)
        with self._system_errors():
            if self._seen and not os.path.isdir(self._path):
                raise self._gone()
            make_directories(self._path)
            with self._lock() as root:
                root.make_child(component)
                with open_child(root, component) as home:
                    publish_new(home, DATABASE_FILE, data, sealed)
        return token_of(data)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog; unreadable ones as ``Unreadable``."""
        return self._read_all(database, load_directory)

    def count_documents(self) -> int:
        """Returns how many files look like those of documents."""
        return sum(1 for _ in self._read_all(None, document_files))

    def load_share(self, share: Share) -> Iterator[Loaded | Unreadable]:
        """Yields the documents of a share, as ``load_all`` yields all of them."""
        return self._read_all(None, partial(load_directory, share=share))

    def overviews(self, database: str | None = None) -> Iterator[Overview | Unreadable]:
        """Yields an overview of every document, for which the plans of views are not read."""
        return self._read_all(database, overview_directory)

    def _read_all(
        self, database: str | None, read: Callable[[Directory, str], Iterator[_Entry]]
    ) -> Iterator[_Entry]:
        with self._system_errors(), self._root() as root:
            if root is not None:
                names = root.names() if database is None else [component_of(database)]
                for name in names:
                    yield from read(root, name)
                if root.is_removed() or not os.path.isdir(self._path):
                    # A catalog that vanished while it was read must not look like a smaller one.
                    raise self._gone()

    # --- inside ---

    @contextmanager
    def _root(self) -> Iterator[Directory | None]:
        """Opens the root; None if it does not exist yet. A root that existed must not vanish."""
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
    def _read_in(self, database: str) -> Iterator[FileHome]:
        with self._system_errors(), self._root() as root, ExitStack() as opened:
            yield FileHome(root, database, opened)

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[FileHome]:
        with self._read_in(database):
            pass  # reports a wrong name before a lock file is created
        with self._system_errors(), self._lock() as root, ExitStack() as opened:
            home = FileHome(root, database, opened)
            self._sweep(home.files)
            yield home

    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> bytes:
        return write_yaml(plain, version)

    def _decode(self, data: bytes, kind: DocumentKind, path: str) -> Decoded:
        return decode(data, kind, path)

    def _token(self, data: bytes) -> Token:
        return token_of(data)

    @contextmanager
    def _lock(self) -> Iterator[Directory]:
        with (
            Directory.open(self._path, shown=self.root) as root,
            write_lock(root, self._lock_timeout),
        ):
            self._seen = True
            self._sweep(root)
            yield root

    def _sweep(self, directory: Directory) -> None:
        """Removes leftovers of crashes, once per directory."""
        if directory.path not in self._swept:
            self._swept.add(directory.path)
            directory.sweep()

    @contextmanager
    def _system_errors(self) -> Iterator[None]:
        """Converts errors of the operating system into ``StorageError``."""
        try:
            yield
        except OSError as error:
            raise storage_error(self.root, error) from error
