"""Tables: those described by viewscribe as Spark keeps them, and what Spark or Hive made."""

from __future__ import annotations

from typing import NamedTuple

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted.chunks import numbered
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT, is_own, user_properties
from viewscribe.catalog_store.stores.hive.properties import (
    CREATE_VERSION,
    SCHEMA,
    SPARK_VERSION,
    hive_storage,
    schema_parameters,
    stored_columns,
    unmanaged,
)
from viewscribe.catalog_store.stores.hive.records import ColumnRecord, TableRecord

PROVIDER = "spark.sql.sources.provider"
UNKNOWN_FORMAT = "viewscribe"
"""The format of tables of which only the columns are known: Spark finds none of that name, and says
so, where it would otherwise read no rows."""

_PARTITION_COUNT, _PARTITION = f"{SCHEMA}.numPartCols", f"{SCHEMA}.partCol."


class _Classes(NamedTuple):
    input: str
    output: str
    serde: str


_HIVE = "org.apache.hadoop.hive"
_LAZY = f"{_HIVE}.serde2.lazy.LazySimpleSerDe"
_OTHER = _Classes(
    "org.apache.hadoop.mapred.SequenceFileInputFormat",
    f"{_HIVE}.ql.io.HiveSequenceFileOutputFormat",
    _LAZY,
)
_CLASSES = {
    "parquet": _Classes(
        f"{_HIVE}.ql.io.parquet.MapredParquetInputFormat",
        f"{_HIVE}.ql.io.parquet.MapredParquetOutputFormat",
        f"{_HIVE}.ql.io.parquet.serde.ParquetHiveSerDe",
    ),
    "orc": _Classes(
        f"{_HIVE}.ql.io.orc.OrcInputFormat",
        f"{_HIVE}.ql.io.orc.OrcOutputFormat",
        f"{_HIVE}.ql.io.orc.OrcSerde",
    ),
}
_FORMATS = {classes.input: name for name, classes in _CLASSES.items()} | {
    f"{_HIVE}.ql.io.avro.AvroContainerInputFormat": "avro"
}


def write_table(document: TableDocument, record: TableRecord) -> None:
    """Makes ``record`` the table that Spark is to see.

    Raises:
        DataTypeError: the type of a column is none.
    """
    format_ = document.format or UNKNOWN_FORMAT
    partitions = {name.lower() for name in document.partitioned_by}
    # Spark wants partition columns last, in their own order.
    order = [name.lower() for name in document.partitioned_by]
    last = sorted(
        (each for each in document.columns if each.name.lower() in partitions),
        key=lambda each: order.index(each.name.lower()),
    )
    first = [each for each in document.columns if each.name.lower() not in partitions]
    classes = _CLASSES.get(format_.lower(), _OTHER)
    storage = hive_storage(first, *classes)
    if classes is _OTHER:
        storage = hive_storage((), *classes)
        storage.columns = [
            ColumnRecord(name="col", type="array<string>", comment="from deserializer")
        ]
    partition_columns = hive_storage(last, *classes).columns
    serde = {"serialization.format": "1", **document.options}
    if document.location is not None:
        serde["path"] = document.location
        storage.location = document.location
    storage.serde.parameters = serde
    if record.type is None:
        record.type = "EXTERNAL_TABLE"
    if storage.location is None and not record.is_new:
        # A table that does not say where it is stays where the metastore put it.
        storage.location = record.storage.location
    record.storage = storage
    record.partition_columns = partition_columns if last else []
    parameters = unmanaged(record.parameters)
    parameters[CREATE_VERSION] = SPARK_VERSION
    parameters[PROVIDER] = format_
    if record.type == "EXTERNAL_TABLE":
        parameters["EXTERNAL"] = "TRUE"
    if document.comment is not None:
        parameters[COMMENT] = document.comment
    parameters.update({key: value for key, value in document.properties.items() if is_own(key)})
    parameters.update(schema_parameters([*first, *last]))
    if last:
        parameters[_PARTITION_COUNT] = str(len(last))
        parameters.update({f"{_PARTITION}{n}": each.name for n, each in enumerate(last)})
    record.parameters = parameters


def read_table(record: TableRecord, path: str) -> TableDocument:
    """The table as Spark sees it.

    Raises:
        DamagedDocumentError: its columns cannot be read, or Spark refuses tables of its kind.
    """
    if record.type == "MATERIALIZED_VIEW":
        raise DamagedDocumentError(
            "it is a materialized view of Hive, which Spark does not read",
            path=path,
            hint="only Hive reads it; make a plain view of its query",
        )
    parameters, storage = record.parameters, record.storage
    serde = storage.serde.parameters
    format_ = parameters.get(PROVIDER)
    if format_ is None:
        format_ = _FORMATS.get(storage.input_format or "", "hive")
    partitions = numbered(parameters, _PARTITION_COUNT, _PARTITION)
    return TableDocument(
        database=record.database or "",
        name=record.name or "",
        comment=parameters.get(COMMENT),
        owner=record.owner,
        columns=stored_columns(parameters, [*storage.columns, *record.partition_columns], path),
        format=None if format_ == UNKNOWN_FORMAT else format_,
        location=serde.get("path", storage.location),
        options={
            key: value
            for key, value in serde.items()
            if key not in ("path", "serialization.format")
        },
        partitioned_by=tuple(partitions or [each.name or "" for each in record.partition_columns]),
        properties=user_properties(parameters),
    )
