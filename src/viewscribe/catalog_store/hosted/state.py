"""The state of an object in a hosted catalog."""

from __future__ import annotations

from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import ObjectKind
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import pack
from viewscribe.catalog_store.hosted.embedded_document import Hashes, Kept
from viewscribe.catalog_store.protocol import Stored, Token


class State(NamedTuple):
    """The current state of an object.

    Args:
        written: its document, version and text.
        earlier: the packed texts of earlier versions by number.
        foreign: whether another tool wrote it, so that the document was derived from its metadata.
    """

    written: document_texts.Written
    earlier: dict[int, str]
    foreign: bool = False

    @property
    def token(self) -> Token:
        """The token of this state."""
        return self.written.token

    @property
    def version(self) -> Version:
        """The version."""
        assert self.written.version is not None
        return self.written.version

    def stored(self) -> Stored[Any]:
        """The document, token and version for readers."""
        return Stored(self.written.document, self.token, self.written.version)

    def history(self, kind: ObjectKind, path: str) -> list[Stored[Any]]:
        """Returns every kept version, this one last."""
        found = []
        for packed in self.earlier.values():
            each = embedded_document.read_packed(packed, kind, path)
            found.append(Stored(each.document, each.token, each.version))
        return [*found, self.stored()]

    def followed_by(self, written: document_texts.Written, hashes: Hashes) -> Kept:
        """What is kept once ``written`` takes its place."""
        return Kept(
            pack(written.text), embedded_document.limit_versions(self.with_itself()), hashes
        )

    def with_itself(self) -> dict[int, str]:
        """The packed texts of the versions up to this one."""
        return {**self.earlier, self.version.number: pack(self.written.text)}
