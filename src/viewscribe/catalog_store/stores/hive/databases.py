"""Databases of a metastore: how they are written and read."""

from __future__ import annotations

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import pack
from viewscribe.catalog_store.hosted.embedded_document import Hashes, Kept
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.stores.hive.records import DatabaseRecord


def write_database(
    written: document_texts.Written, record: DatabaseRecord, owner: str | None
) -> DatabaseRecord:
    """``record`` made to hold a document. Hive alters neither the comment nor the place later."""
    document: DatabaseDocument = written.document
    record.name = fold(document.name)
    record.description = document.comment
    if document.location is not None:
        record.location = document.location
    record.owner = document.owner or record.owner or owner
    record.owner_type = record.owner_type or 1
    properties = {
        key: value
        for key, value in document.properties.items()
        if not embedded_document.is_kept(key)
    }
    ours = Kept(pack(written.text), {}, Hashes(content_hash(properties), ""))
    cased = {
        key: value for key, value in record.parameters.items() if key == embedded_document.CASED
    }
    record.parameters = {**properties, **embedded_document.to_parameters(ours), **cased}
    return record


def read_database(record: DatabaseRecord, path: str) -> document_texts.Written:
    """The document of a database: ours where it still holds, else what others say.

    Raises:
        DamagedDocumentError: ours is damaged, or newer than this viewscribe.
    """
    properties = {
        key: value for key, value in record.parameters.items() if not embedded_document.is_kept(key)
    }
    found = embedded_document.from_parameters(record.parameters, path)
    if found is not None and found.hashes.whole == content_hash(properties):
        return found.read("database", path)
    return document_texts.write(
        DatabaseDocument(
            name=record.name or "",
            comment=record.description or None,
            owner=record.owner,
            location=record.location,
            properties=properties,
        )
    )
