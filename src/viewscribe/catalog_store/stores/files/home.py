"""One database of a file catalog: a directory with a file for each object.

No file system can atomically rename a file and change its content. So a rename writes the new file
before it removes the old one. If it is interrupted, both exist, and the new one records that it is
the renamed old one; repeating the rename completes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress

from viewscribe.catalog_store.documents.codec import decode
from viewscribe.catalog_store.documents.model import (
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.normalization import to_plain
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    DatabaseNotEmptyError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.messages import Held, Home, taken_error
from viewscribe.catalog_store.protocol import ObjectId, check_name, encode
from viewscribe.catalog_store.stores.files import reader
from viewscribe.catalog_store.stores.files.layout import check_place, file_name, id_of
from viewscribe.catalog_store.stores.files.reader import (
    database_name,
    object_ids,
    open_database,
    other_files,
    read,
)
from viewscribe.catalog_store.stores.files.storage import Directory


class FileHome(Home[bytes]):
    """The directory of a database.

    Args:
        root: the catalog's directory.
        database: the database's name.
        opened: closes the directories that are opened here.
    """

    def __init__(self, root: Directory | None, database: str, opened: ExitStack) -> None:
        self._component = component_of(database)
        self.files = opened.enter_context(open_database(root, self._component, database))
        self._root = root
        self._opened = opened

    @property
    def name(self) -> str:
        return database_name(self.files, self._component)

    def read(self, kind: DocumentKind, name: str) -> Held[bytes] | None:
        file = file_name(kind, name)
        try:
            data = read(self.files, file)
            changed_ms = self.files.changed_ms(file)
        except FileNotFoundError:
            return None
        return Held(data, self.files.join(file), changed_ms=changed_ms)

    def has(self, kind: ObjectKind, name: str) -> bool:
        return self.files.exists(file_name(kind, name))

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        return object_ids(self.files, self.name, kind)

    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterator[Held[bytes]]:
        return reader.earlier(self.files, file_name(kind, name), before)

    def last_number(self, kind: ObjectKind, name: str) -> int:
        return reader.last_number(self.files, file_name(kind, name))

    def add(
        self, document: ObjectDocument, data: bytes, earlier: Sequence[tuple[int, bytes]]
    ) -> None:
        self.require_free(document)
        file = file_name(document.kind, document.name)
        reader.forget(self.files, file)  # left over from an interrupted deletion
        for number, old in earlier:
            reader.keep(self.files, file, number, old)
        publish_new(self.files, file, data, document)

    def put(self, document: Document, data: bytes, replaced: tuple[int, bytes] | None) -> None:
        file = file_name(document.kind, document.name)
        if replaced is not None:
            reader.keep(self.files, file, *replaced)
        self.files.write(file, data)

    def remove(self, kind: ObjectKind, name: str) -> None:
        file = file_name(kind, name)
        self.files.remove(file)
        # What is left of a history is never told, and cleared by the next of that name.
        with suppress(OSError, UnknownOutcomeError):
            reader.forget(self.files, file)

    def open_beside(self, database: str) -> FileHome:
        return FileHome(self._root, database, self._opened)

    def move(
        self,
        name: str,
        replaced: tuple[int, bytes],
        target: Home[bytes],
        document: ObjectDocument,
        data: bytes,
    ) -> bytes:
        assert isinstance(target, FileHome)
        kind, there = document.kind, target.files
        file, new_file = file_name(kind, name), file_name(kind, document.name)
        if self.files.path == there.path and new_file == file:  # another spelling of the same name
            self.put(document, data, replaced)
            return data
        unfinished = _unfinished(there, new_file, document, replaced[0] + 1)
        if unfinished is None:
            target.require_free(document)
            reader.keep(self.files, file, *replaced)
            reader.forget(there, new_file)
            with there.temporary(data, mode=self.files.mode_of(file)) as temporary:
                there.publish_new(temporary, new_file)
        try:
            reader.move(self.files, file, there, new_file)
            self.files.remove(file)
        except (OSError, UnknownOutcomeError) as error:
            raise UnknownOutcomeError(
                f"the {kind} {self.name}.{name} may be there under both names",
                hint="repeat the renaming, which finishes it",
            ) from error
        return data if unfinished is None else unfinished

    def drop(self, *, cascade: bool) -> None:
        others = other_files(self.files)
        if others:
            raise DatabaseNotEmptyError(
                f"{self.files.path} holds files that are no documents: {', '.join(others[:3])}",
                hint="move them away first",
            )
        assert self._root is not None
        self._root.discard_child(self._component)

    def check_place(self, document: Document, kind: DocumentKind, name: str, path: str) -> None:
        check_place(id_of(document), self._component, file_name(kind, name), path)


def component_of(database: str) -> str:
    """Returns the name of a database's directory."""
    check_name(database, "database")
    return encode(database)


def publish_new(home: Directory, file: str, data: bytes, document: Document) -> None:
    """Publishes a document that must be new. Raises ``AlreadyExistsError``."""
    with home.temporary(data) as temporary:
        try:
            home.publish_new(temporary, file)
        except FileExistsError:
            raise taken_error(document) from None


def _unfinished(
    target: Directory, file: str, document: ObjectDocument, number: int
) -> bytes | None:
    """Returns the file that an interrupted rename to exactly this version wrote, if any."""
    try:
        data = read(target, file)
        found, stamp = decode(data, document.kind, target.join(file))
    except (FileNotFoundError, DamagedDocumentError):
        return None
    ours = (
        stamp is not None
        and stamp.operation == "rename"
        and stamp.number == number
        and to_plain(found) == to_plain(document)
    )
    return data if ours else None
