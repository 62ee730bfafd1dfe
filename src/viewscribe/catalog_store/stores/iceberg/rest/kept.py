"""Our documents in the properties of a view: one property for each version.

A property has the name of its version's commit, so that no writer overwrites what another one
wrote at the same moment. Each names the one before it, which together are the history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import FunctionDocument, ObjectKind, ViewDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.chunks import MissingPartError, pack, unpack
from viewscribe.catalog_store.hosted.embedded_document import PREFIX
from viewscribe.catalog_store.stores.iceberg.exporter import representations_of
from viewscribe.schemas.strict_json import loads

_AT = f"{PREFIX}at."


class Kept(NamedTuple):
    """A version with our document.

    Args:
        key: what the version is known by.
        after: the key of the one before it; None for the first.
        written: the document.
    """

    key: str
    after: str | None
    written: document_texts.Written


def property_of(kept: Kept) -> dict[str, str]:
    """The property that holds it."""
    plain = {"after": kept.after, "document": kept.written.text}
    return {f"{_AT}{kept.key}": pack(json.dumps(plain, separators=(",", ":")))}


def property_name(key: str) -> str:
    """The name of its property."""
    return f"{_AT}{key}"


def texts_of(document: ViewDocument | FunctionDocument) -> Mapping[str, str]:
    """The texts by dialect; a function has one that tells people what it is."""
    if isinstance(document, ViewDocument):
        return representations_of(document)
    return {"spark": f"SELECT 'a {document.function_kind} function of viewscribe' AS note"}


def is_kept_document(name: str) -> bool:
    """Whether a property is one of these."""
    return name.startswith(_AT)


def chain(properties: Mapping[str, str], key: str, kind: ObjectKind, path: str) -> Iterator[Kept]:
    """Yields the version of that key and those before it that can be read, the newest first.

    Raises:
        DamagedDocumentError: the first cannot be read.
    """
    seen: set[str] = set()
    following: str | None = key
    while following is not None and following not in seen:
        packed = properties.get(property_name(following))
        if packed is None:  # dropped, since the history became too long
            return
        seen.add(following)
        try:
            found = _read(following, packed, kind, path)
        except DamagedDocumentError:
            if following == key:
                raise
            return  # the present one is what counts; the history begins behind the damage
        yield found
        following = found.after


def _read(key: str, packed: str, kind: ObjectKind, path: str) -> Kept:
    try:
        plain = loads(unpack(packed))
        after, text = plain["after"], plain["document"]
        if not isinstance(text, str) or not isinstance(after, str | None):
            raise TypeError("a part of it is no text")
    except (MissingPartError, ValueError, KeyError, TypeError) as error:
        raise DamagedDocumentError(f"the kept document is damaged: {error}", path=path) from None
    return Kept(key, after, document_texts.read(text, kind, path))
