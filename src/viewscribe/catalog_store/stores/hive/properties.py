"""Which parameters of a table are its user's own, and the ones that Spark keeps a schema in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import Column
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted.chunks import MissingPartError, join
from viewscribe.catalog_store.hosted.embedded_document import is_kept
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT, is_own
from viewscribe.catalog_store.hosted.types import (
    UnknownTypeError,
    column_of_hive,
    columns_of,
    hive_columns,
    schema_json,
)
from viewscribe.catalog_store.stores.hive.records import ColumnRecord, SerdeRecord, StorageRecord
from viewscribe.errors import DataTypeError

CREATE_VERSION = "spark.sql.create.version"
SCHEMA = "spark.sql.sources.schema"
SPARK_VERSION = "4.3.0"
"""As which Spark we write what Spark reads."""

_LENGTH = 4_000
_MAX_COMMENT = 255


def unmanaged(parameters: Mapping[str, str]) -> dict[str, str]:
    """What a replacement keeps: the parameters that neither users nor the schema are told by."""
    gone = (SCHEMA, "view.")
    return {
        key: value
        for key, value in parameters.items()
        if not is_own(key) and not is_kept(key) and key != COMMENT and not key.startswith(gone)
    }


def schema_parameters(columns: Sequence[Column]) -> dict[str, str]:
    """The parameters that tell Spark the columns; long ones in parts, as Spark splits them.

    Raises:
        DataTypeError: the type of a column is none.
    """
    text = schema_json(columns)
    if len(text) <= _LENGTH:
        return {SCHEMA: text}
    parts = [text[start : start + _LENGTH] for start in range(0, len(text), _LENGTH)]
    numbered = {f"{SCHEMA}.part.{number}": part for number, part in enumerate(parts)}
    return {f"{SCHEMA}.numParts": str(len(parts)), **numbered}


def schema_text(parameters: Mapping[str, str], path: str) -> str | None:
    """The JSON of the columns, where Spark left one."""
    if SCHEMA in parameters:
        return parameters[SCHEMA]
    try:
        return join(SCHEMA, parameters)
    except MissingPartError as fault:
        raise DamagedDocumentError(str(fault), path=path) from None


def stored_columns(
    parameters: Mapping[str, str], hive: Sequence[ColumnRecord], path: str
) -> tuple[Column, ...]:
    """The columns, as Spark tells them, else as Hive does.

    Raises:
        DamagedDocumentError: a type is unknown, or the schema is none.
    """
    text = schema_text(parameters, path)
    try:
        if text is not None:
            return columns_of(text)
        return tuple(
            column_of_hive(each.name or "", each.type or "", each.comment) for each in hive
        )
    except (UnknownTypeError, DataTypeError) as fault:
        raise DamagedDocumentError(f"its columns cannot be read: {fault}", path=path) from None


def hive_storage(columns: Sequence[Column], input_: str, output: str, serde: str) -> StorageRecord:
    """Storage with the columns in Hive's words; as Spark does, a stand-in where it has none."""
    told = hive_columns(columns)
    if told is None:
        records = [ColumnRecord(name="col", type="array<string>", comment="from deserializer")]
    else:
        comments = [each.comment and each.comment[:_MAX_COMMENT] for each in columns]
        records = [
            ColumnRecord(name=name, type=type_, comment=comment)
            for (name, type_), comment in zip(told, comments, strict=True)
        ]
    return StorageRecord(
        columns=records,
        input_format=input_,
        output_format=output,
        compressed=False,
        buckets=-1,
        serde=SerdeRecord(library=serde, parameters={"serialization.format": "1"}),
    )
