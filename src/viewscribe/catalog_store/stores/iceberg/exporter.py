"""A view with its history as Iceberg view metadata (https://iceberg.apache.org/view-spec/)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from viewscribe.catalog_store.documents.masking import mask_document
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.documents.plain import to_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.manager import DEFAULT_CATALOG
from viewscribe.catalog_store.protocol import Stored
from viewscribe.catalog_store.stores.iceberg.types import schema_of
from viewscribe.schemas import validate
from viewscribe.secrets import mask_text

DOCUMENT = "viewscribe.document"
"""The key of a version's summary that holds what Iceberg has no field for, as JSON."""

UUID, LOCATION = "iceberg.view-uuid", "iceberg.location"
"""The properties by which a view that came from elsewhere keeps what it is known by there."""


def export_view(
    history: Sequence[Stored[ViewDocument]], *, location: str, catalog: str = DEFAULT_CATALOG
) -> dict[str, Any]:
    """The metadata document of a view, valid against the specification, without its secrets.

    Args:
        history: its versions, the oldest first.
        location: where the view's metadata files would be, unless the view came with a place.
        catalog: what its catalog is called in the texts of the versions.

    Raises:
        InvalidDocumentError: Iceberg has no type for a column.
    """
    history = [replace(each, document=mask_document(each.document)) for each in history]
    schemas: list[dict[str, Any]] = []
    versions = [_version(each, schemas, catalog) for each in history]
    now = history[-1].document
    known = {key: now.properties.get(key) for key in (UUID, LOCATION)}
    properties = {key: value for key, value in now.properties.items() if key not in known}
    if now.comment is not None:
        properties["comment"] = now.comment
    metadata = {
        "view-uuid": known[UUID] or _uuid(history[0]),
        "format-version": 1,
        "location": known[LOCATION] or location,
        "schemas": schemas,
        "current-version-id": versions[-1]["version-id"],
        "versions": versions,
        "version-log": [
            {"timestamp-ms": each["timestamp-ms"], "version-id": each["version-id"]}
            for each in versions
        ],
        "properties": properties,
    }
    validate(metadata, "iceberg_view")
    return metadata


def _version(
    stored: Stored[ViewDocument], schemas: list[dict[str, Any]], catalog: str
) -> dict[str, Any]:
    document, version = stored.document, stored.version
    if version is None:
        raise InvalidDocumentError(f"a version of `{document.name}` does not know its number")
    return {
        "version-id": version.number,
        "schema-id": _schema_id(document, schemas),
        "timestamp-ms": version.timestamp_ms,
        "summary": _summary(document, version),
        "representations": [
            {"type": "sql", "sql": text, "dialect": dialect}
            for dialect, text in representations_of(document).items()
        ],
        "default-catalog": catalog,
        "default-namespace": [document.database],
    }


def representations_of(document: ViewDocument) -> dict[str, str]:
    """The texts of a view by dialect, Spark's first."""
    return {"spark": document.sql, **document.representations}


def _schema_id(document: ViewDocument, schemas: list[dict[str, Any]]) -> int:
    """The id of the schema, which equal versions share."""
    label = f"{document.database}.{document.name}"
    made = schema_of(document.columns, len(schemas), label)
    for each in schemas:
        if each["fields"] == made["fields"]:
            return int(each["schema-id"])
    schemas.append(made)
    return int(made["schema-id"])


def _summary(document: ViewDocument, version: Version) -> dict[str, str]:
    """Who, when and why; and the document, for what only viewscribe knows."""
    kept = {key: value for key, value in to_plain(document).items() if key not in _ELSEWHERE}
    told = {
        "engine-name": "viewscribe",
        "engine-version": document.viewscribe_version,
        "operation": version.operation,
        "viewscribe.author": version.author,
        "viewscribe.reason": version.reason and mask_text(version.reason),
        "viewscribe.source": version.source and mask_text(version.source),
        DOCUMENT: json.dumps(kept, separators=(",", ":"), ensure_ascii=False),
    }
    return {key: value for key, value in told.items() if value is not None}


_ELSEWHERE = frozenset(("sql", "representations", "fingerprint", "kind"))


def _uuid(first: Stored[ViewDocument]) -> str:
    """A name for the view that each export gives again: from its first version alone."""
    document, version = first.document, first.version
    time = version.timestamp_ms if version else 0
    parts = (document.database, document.name, str(time), document.fingerprint)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "viewscribe:" + "/".join(parts)))
