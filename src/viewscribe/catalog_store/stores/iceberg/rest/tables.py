"""Tables of an Iceberg catalog, which engines make: viewscribe reads their columns.

They have no format here: Spark reads them by their names, through its own catalog.
"""

from __future__ import annotations

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.stores.iceberg.rest.records import TableRecord
from viewscribe.catalog_store.stores.iceberg.rest.states import (
    COMMENT,
    OF_STRANGE_DATA,
    user_properties,
)
from viewscribe.catalog_store.stores.iceberg.types import columns_of, id_of
from viewscribe.errors import ViewscribeError


def table_state(record: TableRecord, path: str) -> State:
    """The state of a table: its columns, comment and properties.

    Raises:
        DamagedDocumentError: Spark has no type for a column, or the metadata is none.
    """
    metadata = record.metadata
    try:
        current = metadata["current-schema-id"]
        schema = next(each for each in metadata["schemas"] if id_of(each) == current)
        properties = dict(metadata.get("properties") or {})
        document = TableDocument(
            database=record.namespace,
            name=record.name,
            comment=properties.get(COMMENT),
            columns=columns_of(schema),
            properties=user_properties(properties),
        )
        moment = int(metadata.get("last-updated-ms") or 0)
    except (StopIteration, *OF_STRANGE_DATA) as error:
        raise DamagedDocumentError(f"no Iceberg table metadata: {error!r}", path=path) from None
    except ViewscribeError as error:
        raise DamagedDocumentError(error.message, path=path, hint=error.hint) from None
    return State(document_texts.write(document, unrecorded(1, moment)), {}, foreign=True)
