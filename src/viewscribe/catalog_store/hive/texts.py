"""Documents as JSON texts, with the same checks on writing and on reading as files have."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, TypeVar

import msgspec

from viewscribe.catalog_store.documents import SCHEMA_VERSION, Document, DocumentKind
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    InvalidDocumentError,
    NewerDocumentError,
)
from viewscribe.catalog_store.migrations import migrate
from viewscribe.catalog_store.plain import from_plain
from viewscribe.catalog_store.protocol import Token
from viewscribe.catalog_store.sealing import content_hash, seal_plain
from viewscribe.catalog_store.versions import Version, version_from_plain, version_to_plain
from viewscribe.schemas import DocumentSchemaError, validate

D = TypeVar("D", bound=Document)


class Written(NamedTuple):
    """A document and its version, as they are stored."""

    document: Any
    version: Version | None
    text: str

    @property
    def token(self) -> Token:
        """Stands for this state."""
        return token_of(self.text)


def token_of(text: str) -> Token:
    """The token of the state that a text tells."""
    return Token(content_hash(text))


def write(document: D, version: Version | None = None) -> Written:
    """The sealed document and its text, which tells ``version``.

    Raises:
        InvalidDocumentError: it cannot be stored as it is.
    """
    sealed, plain = seal_plain(document)
    if version is not None:
        plain["version"] = version_to_plain(version)
    try:
        validate(plain, sealed.kind)
    except DocumentSchemaError as error:
        label = f"{sealed.kind} {sealed.name}"
        raise InvalidDocumentError(str(error), location=label) from error
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False)
    return Written(sealed, version, text)


def read(text: str, kind: DocumentKind, path: str, *, token: str = "") -> Written:
    """What ``write`` stored, brought to the current schema version.

    Args:
        text: what is stored.
        kind: what it must be.
        path: where it is, for messages.
        token: the token that was noted beside it. A text that still has it is what ``write`` has
            checked, and is not checked once more.

    Raises:
        NewerDocumentError: a newer viewscribe wrote it.
        DamagedDocumentError: it is no valid document of ``kind``.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedDocumentError(f"the document is no JSON: {error}", path=path) from None
    _check_head(plain, kind, path)
    try:
        plain = migrate(plain, kind)
        if token_of(text) != token:
            validate(plain, kind)
        stamp = plain.pop("version", None)
        version = None if stamp is None else version_from_plain(stamp)
        return Written(from_plain(plain), version, text)
    except (DocumentSchemaError, msgspec.ValidationError, ValueError) as error:
        raise DamagedDocumentError(str(error), path=path) from None


def _check_head(plain: Any, kind: DocumentKind, path: str) -> None:
    if not isinstance(plain, dict):
        raise DamagedDocumentError("the document is not a mapping of keys to values", path=path)
    version = plain.get("schema_version")
    if type(version) is not int or version < 1:
        raise DamagedDocumentError(f"schema_version {version!r} is not a version", path=path)
    if version > SCHEMA_VERSION:
        raise NewerDocumentError(
            f"schema version {version} is newer than this viewscribe, "
            f"which reads up to version {SCHEMA_VERSION}",
            path=path,
            hint="upgrade viewscribe to read it",
        )
    if plain.get("kind") != kind:
        raise DamagedDocumentError(f"the document is a {plain.get('kind')!r}", path=path)
