"""Reading a file catalog: finding directories and files, loading documents, explaining errors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

from viewscribe.catalog_store.documents.codec import decode, peek
from viewscribe.catalog_store.documents.model import (
    HEAD_BYTES,
    DocumentKind,
    ObjectKind,
    read_view_head,
)
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import (
    CatalogError,
    DamagedDocumentError,
    InvalidNameError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.messages import Held, no_database
from viewscribe.catalog_store.protocol import (
    Loaded,
    ObjectId,
    Overview,
    Share,
    Stored,
    Token,
    Unreadable,
    encode,
    fold,
    is_encoded,
    overview_of,
)
from viewscribe.catalog_store.protocol import decode as decode_name
from viewscribe.catalog_store.stores.files.layout import (
    DATABASE_FILE,
    check_place,
    id_of,
    parse_file_name,
)
from viewscribe.catalog_store.stores.files.storage import (
    Directory,
    NotRegularError,
    TooLargeError,
    storage_error,
)
from viewscribe.schemas.strict_json import MAX_BYTES

HISTORY_DIRECTORY = "_history"
"""The subdirectory of a database that holds the earlier versions of its objects."""

ALL = Share(0, 1)
"""All documents of a catalog."""

_Found = TypeVar("_Found", Loaded, Overview)
_Read = Callable[[Directory, str, str, str], _Found]


def token_of(data: bytes) -> Token:
    """Returns the token of a file: the hash of its bytes, which also detects manual edits."""
    return Token(hashlib.sha256(data).hexdigest())


@contextmanager
def open_child(root: Directory, component: str) -> Iterator[Directory]:
    """Opens the directory of a database; never follows a symbolic link."""
    try:
        child = root.child(component)
    except NotRegularError:
        raise _not_regular(root.join(component), "a directory") from None
    with child:
        yield child


@contextmanager
def open_database(root: Directory | None, component: str, name: str) -> Iterator[Directory]:
    """Opens the directory of an existing database. Raises ``DatabaseNotFoundError``."""
    if root is None or not root.exists(component):
        raise no_database(name, database_names(root))
    with ExitStack() as opened:
        try:
            home = opened.enter_context(open_child(root, component))
        except FileNotFoundError:  # dropped a moment ago
            raise no_database(name, database_names(root)) from None
        if not home.exists(DATABASE_FILE):
            raise no_database(name, database_names(root))
        yield home


def read(home: Directory, file: str) -> bytes:
    """Reads a document's file. Raises ``FileNotFoundError``, ``DamagedDocumentError``."""
    path = home.join(file)
    try:
        return home.read(file, MAX_BYTES)
    except NotRegularError:
        raise _not_regular(path, "a regular file") from None
    except TooLargeError:
        raise DamagedDocumentError(f"larger than {MAX_BYTES >> 20} MiB", path=path) from None


def load(home: Directory, component: str, kind: DocumentKind, file: str) -> Stored[Any]:
    """Loads the document in a file. Raises ``FileNotFoundError``, ``DamagedDocumentError``."""
    path = home.join(file)
    data = read(home, file)
    document, version = decode(data, kind, path)
    check_place(id_of(document), component, file, path)
    if version is None and kind != "database":
        version = unrecorded(1, home.changed_ms(file))
    return Stored(document, token_of(data), version)


def database_names(root: Directory | None) -> list[str]:
    """Returns the names of the databases under ``root``."""
    if root is None:
        return []
    names = []
    for component in filter(is_encoded, root.names()):
        with suppress(DamagedDocumentError, FileNotFoundError), open_child(root, component) as home:
            if home.exists(DATABASE_FILE):
                names.append(database_name(home, component))
    return sorted(names, key=fold)


def database_name(home: Directory, component: str) -> str:
    """Returns the database's name as its document, or else its directory, spells it."""
    return _spell(home, DATABASE_FILE, component)


def object_ids(home: Directory, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
    """Returns the objects of a database; a damaged one is named after its file."""
    found = []
    for file in home.names():
        parsed = parse_file_name(file)
        if parsed and parsed.is_canonical and kind in (None, parsed.kind):
            name = _spell(home, file, parsed.component)
            found.append(ObjectId(database, name, parsed.kind))
    return sorted(found, key=lambda each: (fold(each.name), each.kind))


def other_files(home: Directory) -> list[str]:
    """Returns the files in a database's directory that are not documents."""
    return [
        file
        for file in home.names()
        if file not in (DATABASE_FILE, HISTORY_DIRECTORY) and parse_file_name(file) is None
    ]


def document_files(root: Directory, component: str) -> Iterator[str]:
    """Yields the files of documents in a directory, whether it is a database or not."""
    with suppress(DamagedDocumentError, OSError), open_child(root, component) as home:
        yield from _document_files(home)


def load_directory(
    root: Directory, component: str, share: Share = ALL
) -> Iterator[Loaded | Unreadable]:
    """Yields every document of the database in a directory; none if it is not a database.

    Args:
        root: where the databases are.
        component: the directory.
        share: yields only the documents in it.
    """
    return _read_directory(root, component, _load_found, share)


def overview_directory(root: Directory, component: str) -> Iterator[Overview | Unreadable]:
    """Yields an overview of every document of the database in a directory."""
    return _read_directory(root, component, _overview_found, ALL)


def _read_directory(
    root: Directory, component: str, read_file: _Read[_Found], share: Share
) -> Iterator[_Found | Unreadable]:
    path = root.join(component)
    try:
        with open_child(root, component) as home:
            yield from _read_files(home, component, read_file, share)
    except FileNotFoundError:
        return
    except (DamagedDocumentError, OSError) as error:
        # Ignore plain files beside the databases, such as a README or the lock file.
        if share.has(path) and is_encoded(component) and not root.is_file(component):
            yield _unreadable(component, component, "database", path, error)


def _read_files(
    home: Directory, component: str, read_file: _Read[_Found], share: Share
) -> Iterator[_Found | Unreadable]:
    files = _document_files(home)
    if not files:
        return
    fault = _directory_fault(home, component, files)
    if fault:
        if share.has(home.path):
            yield _unreadable(component, component, "database", home.path, fault)
        return
    database = database_name(home, component)
    for file in files:
        if not share.has(home.join(file)):
            continue
        found = _read_one(home, component, database, file, read_file)
        if found is not None:
            yield found


def _document_files(home: Directory) -> list[str]:
    return [file for file in home.names() if file == DATABASE_FILE or parse_file_name(file)]


def _read_one(
    home: Directory, component: str, database: str, file: str, read_file: _Read[_Found]
) -> _Found | Unreadable | None:
    try:
        return read_file(home, component, database, file)
    except FileNotFoundError:
        return None  # dropped a moment ago
    except (CatalogError, OSError) as error:
        kind, stem = _parse(component, file)
        return _unreadable(database, _spell(home, file, stem), kind, home.join(file), error)


def _directory_fault(
    home: Directory, component: str, files: list[str]
) -> DamagedDocumentError | None:
    if not is_encoded(component):
        return DamagedDocumentError(
            f"the directory holds documents, but no database has a directory named `{component}`",
            path=home.path,
            hint="names of directories are lower case, with %xx for other than a-z, 0-9, _ and -",
        )
    if DATABASE_FILE not in files:
        return DamagedDocumentError(
            f"the directory holds documents but no {DATABASE_FILE}, so it is no database",
            path=home.path,
            hint=f"restore {DATABASE_FILE}, or create the database again",
        )
    return None


def _load_found(home: Directory, component: str, database: str, file: str) -> Loaded:
    kind, _ = _parse(component, file)
    stored = load(home, component, kind, file)
    id_ = ObjectId(database, stored.document.name, kind)
    return Loaded(id_, home.join(file), stored.document, stored.token, stored.version)


def _overview_found(home: Directory, component: str, database: str, file: str) -> Overview:
    kind, _ = _parse(component, file)
    head = read_view_head(_read_start(home, file)) if kind == "view" else None
    if head is None:
        return overview_of(_load_found(home, component, database, file))
    path = home.join(file)
    check_place(ObjectId(head.database, head.name, kind), component, file, path)
    return Overview(ObjectId(database, head.name, kind), path, head.comment, head.columns)


def _parse(component: str, file: str) -> tuple[DocumentKind, str]:
    """The kind of the document in a file, and its encoded name."""
    parsed = parse_file_name(file)
    return ("database", component) if parsed is None else (parsed.kind, parsed.component)


def _spell(home: Directory, file: str, component: str) -> str:
    """Returns the name as the document, or else the file, spells it.

    A stray copy keeps the name of its file, so that it is not taken for what it is a copy of.
    """
    name = peek(_read_start(home, file), "name")
    of_database = file == DATABASE_FILE
    if isinstance(name, str) and name and (of_database or _is_encoded_as(name, component)):
        return name
    return decode_name(component) or (component if of_database else file)


def _is_encoded_as(name: str, component: str) -> bool:
    try:
        return encode(name) == component
    except InvalidNameError:
        return False


def _read_start(home: Directory, file: str) -> bytes:
    """Returns the first bytes of a file; none where it cannot be read."""
    try:
        return home.read(file, HEAD_BYTES, whole=False)
    except (OSError, NotRegularError):
        return b""


def _unreadable(
    database: str, name: str, kind: DocumentKind, path: str, error: CatalogError | OSError
) -> Unreadable:
    if isinstance(error, OSError):
        error = storage_error(path, error)
    return Unreadable(ObjectId(database, name, kind), path, error)


def _not_regular(path: str, wanted: str) -> DamagedDocumentError:
    return DamagedDocumentError(
        f"not {wanted} (symbolic links inside a catalog are not followed)",
        path=path,
        hint="put the document itself there",
    )


# The earlier versions of objects in a file catalog, each kept as its original file.
#
#     <root>/<database>/_history/<name>.view/000001.yaml
#
# A version is kept here before the file that replaces it is published, so a crash in between leaves
# one copy too many, never one too few. Such a copy has a number that is not smaller than that of
# the current file, and is ignored.

_SUFFIX = ".yaml"
_FILE = re.compile(r"([0-9]{6,})\.yaml")


def keep(home: Directory, file: str, number: int, data: bytes) -> None:
    """Keeps ``data``, the current content of ``file``, as version ``number``.

    The copy has the same permissions as the file.
    """
    home.make_child(HISTORY_DIRECTORY)
    with open_child(home, HISTORY_DIRECTORY) as histories:
        histories.make_child(_stem(file))
        with open_child(histories, _stem(file)) as own:
            try:
                own.write(f"{number:06d}{_SUFFIX}", data, mode=home.mode_of(file))
            except UnknownOutcomeError as error:
                raise StorageError(
                    f"{home.join(file)} was left as it is, for the version to be replaced could "
                    "not be kept for sure",
                    hint="repeat the change",
                ) from error


def earlier(home: Directory, file: str, before: int) -> Iterator[Held[bytes]]:
    """Yields the kept versions of ``file`` with numbers below ``before``, oldest first."""
    with suppress(FileNotFoundError), _own(home, file) as own:
        for number, name in _list_numbered(own):
            if number < before:
                yield Held(read(own, name), own.join(name), number)


def last_number(home: Directory, file: str) -> int:
    """Returns the number of the last kept version of ``file``, or 0."""
    try:
        with _own(home, file) as own:
            return max((number for number, _ in _list_numbered(own)), default=0)
    except FileNotFoundError:
        return 0


def move(home: Directory, file: str, target: Directory, to: str) -> None:
    """Moves the kept versions of ``file`` to the file ``to`` of the database ``target``."""
    with suppress(FileNotFoundError), open_child(home, HISTORY_DIRECTORY) as histories:
        if histories.exists(_stem(file)):
            target.make_child(HISTORY_DIRECTORY)
            with open_child(target, HISTORY_DIRECTORY) as others:
                histories.move(_stem(file), others, _stem(to))


def forget(home: Directory, file: str) -> None:
    """Removes the kept versions of ``file``, which has been deleted."""
    with suppress(FileNotFoundError), open_child(home, HISTORY_DIRECTORY) as histories:
        if histories.exists(_stem(file)):
            histories.discard_child(_stem(file), into=home)


@contextmanager
def _own(home: Directory, file: str) -> Iterator[Directory]:
    with (
        open_child(home, HISTORY_DIRECTORY) as histories,
        open_child(histories, _stem(file)) as own,
    ):
        yield own


def _list_numbered(own: Directory) -> list[tuple[int, str]]:
    matches = (_FILE.fullmatch(name) for name in own.names())
    return sorted((int(match[1]), match[0]) for match in matches if match)


def _stem(file: str) -> str:
    return file.removesuffix(_SUFFIX)
