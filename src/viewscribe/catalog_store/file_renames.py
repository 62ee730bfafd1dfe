"""Renaming in a file catalog: the new file is there before the old one goes.

No file system renames a file and changes what is in it at one moment. So a renaming that was cut
short leaves both files, the new one saying that it is the renamed old one; repeating it finishes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from viewscribe.catalog_store import file_history
from viewscribe.catalog_store.codec import decode, encode
from viewscribe.catalog_store.documents import ObjectDocument, ObjectKind
from viewscribe.catalog_store.errors import DamagedDocumentError, UnknownOutcomeError
from viewscribe.catalog_store.file_reading import missing, open_database, read, token_of
from viewscribe.catalog_store.layout import file_name
from viewscribe.catalog_store.messages import conflict, taken
from viewscribe.catalog_store.names import encode as encode_name
from viewscribe.catalog_store.plain import to_plain
from viewscribe.catalog_store.protocol import NAMESPACE, Token
from viewscribe.catalog_store.renames import rename_change, renamed
from viewscribe.catalog_store.storage import Directory
from viewscribe.catalog_store.versions import Change, Version, next_version, unrecorded


class Place(NamedTuple):
    """Where an object is."""

    home: Directory
    kind: ObjectKind
    database: str
    name: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return file_name(self.kind, self.name)


def rename_file(
    root: Directory,
    place: Place,
    to: tuple[str, str],
    expected: Token | None,
    change: Change | None,
) -> Token:
    """Rename an object. The catalog's lock is held."""
    home, file = place.home, place.file
    try:
        current = read(home, file)
    except FileNotFoundError:
        raise missing(home, place.kind, place.database, place.name) from None
    if expected is not None and token_of(current) != expected:
        raise conflict(f"{place.kind} {place.database}.{place.name}", gone=False)
    stored: Any = decode(current, place.kind, home.join(file)).document
    with open_database(root, encode_name(to[0]), to[0]) as target:
        return _rename(place, current, renamed(stored, to), target, change)


def _rename(
    place: Place,
    current: bytes,
    document: ObjectDocument,
    target: Directory,
    change: Change | None,
) -> Token:
    home, file = place.home, place.file
    version = present_version(home, place.kind, file, current)
    change = rename_change(change, place.database, place.name)
    data = encode(document, next_version(version, change, "rename"))[1]
    new_file = file_name(place.kind, document.name)
    if home.path == target.path and new_file == file:
        return _respell(home, file, version, current, data)
    unfinished = _unfinished(target, new_file, document, version)
    if unfinished is None:
        _require_free(target, document)
        file_history.keep(home, file, version.number, current)
        file_history.forget(target, new_file)
        with target.temporary(data, mode=home.mode_of(file)) as temporary:
            target.publish_new(temporary, new_file)
    try:
        file_history.move(home, file, target, new_file)
        home.remove(file)
    except (OSError, UnknownOutcomeError) as error:
        raise UnknownOutcomeError(
            f"the {place.kind} {place.database}.{place.name} may be there under both names",
            hint="repeat the renaming, which finishes it",
        ) from error
    return token_of(data if unfinished is None else unfinished)


def present_version(home: Directory, kind: ObjectKind, file: str, data: bytes) -> Version:
    """The version that a file holds; the next one where it does not tell, or cannot be read."""
    try:
        version = decode(data, kind, home.join(file)).version
    except DamagedDocumentError:
        version = None
    if version is not None:
        return version
    return unrecorded(file_history.last_number(home, file) + 1, home.changed_ms(file))


def _respell(home: Directory, file: str, version: Version, current: bytes, data: bytes) -> Token:
    """Another spelling of the same name."""
    file_history.keep(home, file, version.number, current)
    with home.temporary(data, mode=home.mode_of(file)) as temporary:
        home.publish_over(temporary, file)
    return token_of(data)


def _require_free(target: Directory, document: ObjectDocument) -> None:
    for kind in NAMESPACE[document.kind]:
        if target.exists(file_name(kind, document.name)):
            raise taken(document, kind)


def _unfinished(
    target: Directory, file: str, document: ObjectDocument, version: Version
) -> bytes | None:
    """The file that a renaming of this very version wrote before it was cut short."""
    try:
        data = read(target, file)
        found = decode(data, document.kind, target.join(file))
    except (FileNotFoundError, DamagedDocumentError):
        return None
    stamp = found.version
    ours = (
        stamp is not None
        and stamp.operation == "rename"
        and stamp.number == version.number + 1
        and to_plain(found.document) == to_plain(document)
    )
    return data if ours else None
