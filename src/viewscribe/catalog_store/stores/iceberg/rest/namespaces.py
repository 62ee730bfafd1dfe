"""Databases: the namespaces of an Iceberg catalog that lie in no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.chunks import MissingPartError, pack, unpack
from viewscribe.catalog_store.hosted.embedded_document import PREFIX, is_kept
from viewscribe.catalog_store.hosted.state import State

_DOCUMENT = f"{PREFIX}document"
_HASH = f"{PREFIX}hash"
_COMMENT, _LOCATION, _OWNER = "comment", "location", "owner"
_SYSTEM_PREFIXES = ("nessie.", "polaris.")


class NamespaceRecord(NamedTuple):
    """A namespace as it was loaded; ``name`` as the server spells it."""

    name: str
    properties: Mapping[str, str]


def properties_of(written: document_texts.Written) -> dict[str, str]:
    """The properties of the namespace that stands for a database."""
    document: DatabaseDocument = written.document
    told = {_COMMENT: document.comment, _OWNER: document.owner, _LOCATION: document.location}
    found = {**document.properties, **{key: text for key, text in told.items() if text is not None}}
    return {**found, _DOCUMENT: pack(written.text), _HASH: content_hash(_told(found))}


def changes(record: NamespaceRecord, written: document_texts.Written) -> dict[str, Any]:
    """What makes the namespace say ``written``."""
    updates = properties_of(written)
    removals = [
        each
        for each in record.properties
        if each not in updates and each != _LOCATION and not each.startswith(_SYSTEM_PREFIXES)
    ]
    return {"removals": removals, "updates": updates}


def namespace_state(record: NamespaceRecord, path: str) -> State:
    """The database: our document where it still holds, else what the properties say.

    Raises:
        DamagedDocumentError: our document is damaged, or newer than this viewscribe.
    """
    packed = record.properties.get(_DOCUMENT)
    if packed is not None and record.properties.get(_HASH) == content_hash(
        _told(record.properties)
    ):
        try:
            written = document_texts.read(unpack(packed), "database", path)
        except MissingPartError as fault:
            raise DamagedDocumentError(str(fault), path=path) from None
        if written.document.location in (None, record.properties.get(_LOCATION)):
            return State(written, {})
    told = _told(record.properties)
    document = DatabaseDocument(
        name=record.name,
        comment=told.pop(_COMMENT, None),
        owner=told.pop(_OWNER, None),
        location=record.properties.get(_LOCATION),
        properties=told,
    )
    return State(document_texts.write(document), {}, foreign=True)


def _told(properties: Mapping[str, str]) -> dict[str, str]:
    """What people say of it; a server adds a location by itself."""
    return {
        key: value
        for key, value in properties.items()
        if key != _LOCATION and not is_kept(key) and not key.startswith(_SYSTEM_PREFIXES)
    }
