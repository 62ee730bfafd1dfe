"""Our documents embedded in a metastore: the whole document and its earlier versions.

Spark preserves unknown parameters in ``ALTER VIEW``, so an embedded document may be out of date.
Two hashes of Spark's side of the object tell whether it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import DocumentKind
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.chunks import (
    MissingPartError,
    digits,
    join,
    pack,
    split,
    unpack,
)
from viewscribe.schemas.strict_json import loads

PREFIX = "viewscribe.catalog."
CASED = "viewscribe_cased"
"""A parameter of objects whose names are not in lower case, and of databases that may have some:
so that a listing can find them, and knows when it need not look."""

MAX_HISTORY = 256 << 10
"""The maximum size of a history in stored characters; the oldest versions are dropped first."""

_DOCUMENT = f"{PREFIX}document"
_VERSION = f"{PREFIX}version."
_HASHES = f"{PREFIX}hashes"
STAMP = f"{PREFIX}stamp"
"""The DDL time that we gave the object."""
DROPPING = f"{PREFIX}dropping"
"""When somebody began to drop it, in seconds since 1970."""


class Hashes(NamedTuple):
    """Of Spark's side: all of it, and what a view's rows depend on."""

    whole: str
    meaning: str


UNKNOWN = Hashes("", "")
"""Of a session's views, whose writer does not see all that Spark keeps of them."""


class Kept(NamedTuple):
    """The embedded document of an object.

    Args:
        document: the packed text of the document.
        earlier: the packed texts of earlier versions by number, oldest first.
        hashes: the hashes of Spark's side when this was written.
    """

    document: str
    earlier: dict[int, str]
    hashes: Hashes

    def read(self, kind: DocumentKind, path: str) -> document_texts.Written:
        """The document.

        Raises:
            DamagedDocumentError: it is damaged, or newer than this viewscribe.
        """
        return read_packed(self.document, kind, path)


def read_packed(packed: str, kind: DocumentKind, path: str) -> document_texts.Written:
    """The document of a packed text."""
    try:
        return document_texts.read(unpack(packed), kind, path)
    except MissingPartError as fault:
        raise DamagedDocumentError(str(fault), path=path) from None


def from_parameters(parameters: Mapping[str, str], path: str) -> Kept | None:
    """Reads the embedded document from parameters; None if there is none of ours."""
    try:
        document = join(_DOCUMENT, parameters)
        if document is None:
            return None
        earlier = {}
        for number in sorted(_numbers(parameters)):
            earlier[number] = join(f"{_VERSION}{number}", parameters) or ""
    except (MissingPartError, ValueError) as fault:  # a number of a version that is none
        raise DamagedDocumentError(str(fault), path=path) from None
    hashes = parameters.get(_HASHES, "").split(" ")
    return Kept(document, earlier, Hashes(*hashes) if len(hashes) == 2 else UNKNOWN)


def _numbers(parameters: Mapping[str, str]) -> list[int]:
    end = ".numParts"
    return [
        int(key[len(_VERSION) : -len(end)])
        for key in parameters
        if key.startswith(_VERSION) and key.endswith(end)
    ]


def to_parameters(kept: Kept) -> dict[str, str]:
    """Returns parameters; each version has its own, so that a new one rewrites none."""
    parameters = split(_DOCUMENT, kept.document)
    for number, packed in kept.earlier.items():
        parameters.update(split(f"{_VERSION}{number}", packed))
    parameters[_HASHES] = " ".join(kept.hashes)
    return parameters


def mark_hidden_texts(kept: Kept) -> Kept:
    """The same, with texts of which Spark hides none; see ``parts.digits``."""
    earlier = {number: digits(packed) for number, packed in kept.earlier.items()}
    return kept._replace(document=digits(kept.document), earlier=earlier)


def from_text(text: str, path: str) -> Kept:
    """What ``to_text`` was given."""
    try:
        plain = loads(unpack(text))
        earlier = {int(number): packed for number, packed in plain["earlier"].items()}
        return Kept(plain["document"], earlier, Hashes(*plain["hashes"]))
    except (MissingPartError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedDocumentError(f"the kept document is damaged: {error}", path=path) from None


def to_text(kept: Kept) -> str:
    """All of it in one text, for objects without parameters."""
    plain = {"document": kept.document, "earlier": kept.earlier, "hashes": kept.hashes}
    return pack(json.dumps(plain, separators=(",", ":")))


def limit_versions(earlier: Mapping[int, str]) -> dict[int, str]:
    """Returns the newest versions that fit, oldest first."""
    room, found = MAX_HISTORY, {}
    for number in sorted(earlier, reverse=True):
        room -= len(earlier[number])
        if room < 0:
            break
        found[number] = earlier[number]
    return dict(sorted(found.items()))


def is_kept(key: str) -> bool:
    """Whether a parameter is one of these."""
    return key.startswith(PREFIX) or key == CASED
