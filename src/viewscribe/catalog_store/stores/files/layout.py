"""Which file of a file catalog holds which document.

    <root>/<database>/_database.yaml
    <root>/<database>/<name>.view.yaml     (.table.yaml, .function.yaml)

``_database.yaml`` is no object's file: those have a kind before ``.yaml``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import Document, DocumentKind, ObjectKind
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidNameError
from viewscribe.catalog_store.protocol import ObjectId, encode, is_encoded

DATABASE_FILE = "_database.yaml"
"""A directory is a database from the moment this file is in it."""

_OBJECT_FILE = re.compile(r"(?s)(.+)\.(view|table|function)\.yaml")


class FileName(NamedTuple):
    """The parts of the name of an object's file."""

    component: str
    kind: ObjectKind

    @property
    def is_canonical(self) -> bool:
        """Whether it is how names are encoded; otherwise no name leads to the file."""
        return is_encoded(self.component)


def file_name(kind: DocumentKind, name: str) -> str:
    """The name of the file of an object, or of a database's own document."""
    return DATABASE_FILE if kind == "database" else f"{encode(name)}.{kind}.yaml"


def parse_file_name(name: str) -> FileName | None:
    """The parts of ``name``, or None where it is not the file of an object."""
    match = _OBJECT_FILE.fullmatch(name)
    return FileName(match[1], match[2]) if match else None  # type: ignore[arg-type]


def id_of(document: Document) -> ObjectId:
    """What a document says it is; a database is in itself."""
    home = getattr(document, "database", document.name)
    return ObjectId(home, document.name, document.kind)


def check_place(found: ObjectId, directory: str, file: str, path: str) -> None:
    """Raise unless the document found is what the names of its file and directory say it is."""
    try:
        right_directory = encode(found.database)
        right_file = file_name(found.kind, found.name)
    except InvalidNameError as error:
        raise DamagedDocumentError(error.message, path=path) from None
    if right_directory != directory:
        raise _misplaced_error("database", found.database, right_directory, path)
    if right_file != file:
        raise _misplaced_error(found.kind, found.name, right_file, path)


def _misplaced_error(what: str, name: str, wanted: str, path: str) -> DamagedDocumentError:
    return DamagedDocumentError(
        f"the document is for the {what} `{name}`, which belongs in `{wanted}`",
        path=path,
        hint="move the file there, or correct the name in it",
    )
