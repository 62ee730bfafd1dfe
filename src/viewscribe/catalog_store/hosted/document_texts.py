"""Documents with the texts that a metastore keeps of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.codec import decode_json, write_json
from viewscribe.catalog_store.documents.model import Document, DocumentKind
from viewscribe.catalog_store.documents.normalization import content_hash, seal_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.protocol import Token


class Written(NamedTuple):
    """A document and its version, as they are stored."""

    document: Any
    version: Version | None
    text: str

    @property
    def token(self) -> Token:
        """Stands for this state."""
        return Token(content_hash(self.text))


def write(document: Document, version: Version | None = None) -> Written:
    """The sealed document and its text, which tells ``version``. Raises as ``write_json``."""
    sealed, plain = seal_plain(document)
    return Written(sealed, version, write_json(plain, version))


def read(text: str, kind: DocumentKind, path: str) -> Written:
    """What ``write`` stored, brought to the current schema version. Raises as ``decode_json``."""
    document, version = decode_json(text, kind, path)
    if version is None and kind != "database":
        raise DamagedDocumentError("it does not say which version it is", path=path)
    return Written(document, version, text)
