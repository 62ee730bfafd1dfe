"""The state of a table or view: our document where it still holds, else what Spark's side says."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import (
    ObjectDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.versions import Version, unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    COMMENT,
    DDL_TIME,
    UNKNOWN,
    Hashes,
    Kept,
    State,
    is_own,
    numbered,
    pack,
    user_properties,
    whole_number,
)
from viewscribe.catalog_store.hosted.view_texts import says_settings, says_text
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.stores.hive.records import ColumnRecord, TableRecord
from viewscribe.catalog_store.stores.hive.view_tables import (
    CREATE_VERSION,
    SCHEMA,
    SPARK_VERSION,
    VIRTUAL_VIEW,
    hive_storage,
    means_its_text_at_home,
    read_view,
    schema_parameters,
    stored_columns,
    unmanaged,
    view_meaning,
    write_view,
)
from viewscribe.errors import DataTypeError

# Tables: those described by viewscribe as Spark keeps them, and what Spark or Hive made.

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


DATED_BACK = 120
"""How many seconds before the present our own DDL times are. A stamp of the present second is
always somebody else's, so a change of theirs between our reading and writing gives another stamp
than the one that we read; whole seconds would not tell them apart."""


def kind_of(record_type: str | None) -> ObjectKind:
    """What a table of the metastore is to us."""
    return "view" if record_type == VIRTUAL_VIEW else "table"


def changed_ms(record: TableRecord) -> int:
    """When it was changed last by somebody else, in milliseconds since 1970."""
    stamp = whole_number(record.parameters.get(DDL_TIME))
    return 1000 * (record.created or 0 if stamp is None else stamp)


def state_of(record: TableRecord, path: str) -> State:
    """The state that a record tells.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    kind = kind_of(record.type)
    found = embedded_document.from_parameters(record.parameters, path)
    if found is None:
        return State(_foreign(record, path, unrecorded(1, changed_ms(record))), {}, foreign=True)
    ours = found.read(kind, path)
    if _same_name(ours.document, record) and (
        hashes_of(record, path).whole == found.hashes.whole
        or (found.hashes == UNKNOWN and kind == "view" and _says(ours.document, record, path))
    ):
        return State(ours, found.earlier)
    assert ours.version is not None
    version = unrecorded(
        ours.version.number + 1, max(changed_ms(record), ours.version.timestamp_ms)
    )
    earlier = embedded_document.limit_versions(
        {**found.earlier, ours.version.number: found.document}
    )
    if kind == "view" and hashes_of(record, path).meaning == found.hashes.meaning:
        return State(embedded_document.write(_update(ours.document, record), version), earlier)
    return State(_foreign(record, path, version), earlier, foreign=True)


def _says(document: ViewDocument, record: TableRecord, path: str) -> bool:
    """Whether a view that a session wrote, which cannot know the hashes, is as it was written."""
    told = read_view(record, path)
    wanted = user_properties(document.properties)
    return (
        says_text(document, record.original_text)
        and means_its_text_at_home(record)
        and [each.name for each in told.columns] == [each.name for each in document.columns]
        and says_settings(document, told.settings)
        and (told.comment or None) == (document.comment or None)
        and told.properties == wanted
    )


def _same_name(document: ObjectDocument, record: TableRecord) -> bool:
    return (fold(document.database), fold(document.name)) == (record.database, record.name)


def _update(document: ViewDocument, record: TableRecord) -> ViewDocument:
    """Our document with what somebody changed of it that its rows do not depend on."""
    mine = {
        key: value for key, value in document.properties.items() if not user_properties({key: ""})
    }
    spelled = (
        {} if _same_name(document, record) else {"database": record.database, "name": record.name}
    )
    return msgspec.structs.replace(
        document,
        comment=record.parameters.get(COMMENT),
        properties={**mine, **user_properties(record.parameters)},
        **spelled,
    )


def _foreign(record: TableRecord, path: str, version: Version) -> embedded_document.Written:
    read = read_view if kind_of(record.type) == "view" else read_table
    return embedded_document.write(read(record, path), version)


def hashes_of(record: TableRecord, path: str) -> Hashes:
    """The hashes of Spark's side; whatever a metastore changes by itself is left out."""
    parameters, storage = record.parameters, record.storage
    told = {
        key: value
        for key, value in parameters.items()
        if key == COMMENT or key.startswith((SCHEMA, "view.", "spark.sql.sources.provider"))
    }
    columns = [(each.name, each.type) for each in (*storage.columns, *record.partition_columns)]
    whole = [
        record.type,
        told,
        user_properties(parameters),
        columns,
        storage.serde.parameters,
        record.original_text,
        record.expanded_text,
    ]
    meaning = view_meaning(record, path) if kind_of(record.type) == "view" else ""
    return Hashes(content_hash(whole), meaning)


# --- writing ---


def new_record(document: ViewDocument | TableDocument, owner: str | None) -> TableRecord:
    """An empty record under the document's name."""
    return TableRecord(
        name=fold(document.name),
        database=fold(document.database),
        owner=document.owner or owner or "",
        last_access=0,
        retention=0,
    )


def fill(
    record: TableRecord,
    written: embedded_document.Written,
    before: State | None,
    now: int,
    path: str,
) -> None:
    """Makes ``record`` hold ``written`` after ``before``, with a new DDL time.

    Raises:
        InvalidDocumentError: a metastore cannot hold the document.
    """
    document = written.document
    stamps = [
        record.parameters.get(DDL_TIME, ""),
        record.parameters.get(embedded_document.STAMP, ""),
    ]
    try:
        if isinstance(document, ViewDocument):
            write_view(document, record)
        else:
            write_table(document, record)
    except DataTypeError as error:
        label = f"{document.kind} {document.database}.{document.name}"
        raise InvalidDocumentError(
            f"a Hive metastore cannot hold the type of a column: {error.message}", location=label
        ) from None
    if document.owner is not None:
        record.owner = document.owner
    record.name, record.database = fold(document.name), fold(document.database)
    stamp = str(next_stamp(stamps, now))
    hashes = hashes_of(record, path)
    if before is None:
        ours = Kept(pack(written.text), {}, hashes)
    else:
        ours = before.followed_by(written, hashes)
    parameters = {**record.parameters, **embedded_document.to_parameters(ours)}
    parameters[DDL_TIME] = parameters[embedded_document.STAMP] = stamp
    if document.name != fold(document.name):
        parameters[embedded_document.CASED] = "true"
    record.parameters = parameters


def next_stamp(earlier: list[str], now: int) -> int:
    """A DDL time that this object never had: ours go down, and start long before the present."""
    known = [stamp for stamp in map(whole_number, earlier) if stamp is not None]
    return min([*known, now - DATED_BACK]) - 1
