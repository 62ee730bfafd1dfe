"""Views as Spark 4.3 writes them into a metastore, and as it reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted.embedded_document import (
    COMMENT,
    MissingPartError,
    is_kept,
    is_own,
    join,
    numbered,
    user_properties,
)
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.hosted.sql_names import means_the_same_in, qualified_view
from viewscribe.catalog_store.hosted.types import (
    UnknownTypeError,
    column_of_hive,
    columns_of,
    hive_columns,
    schema_json,
)
from viewscribe.catalog_store.hosted.view_texts import with_new_names
from viewscribe.catalog_store.settings import allowed_settings, not_stored
from viewscribe.catalog_store.stores.hive.records import (
    ColumnRecord,
    SerdeRecord,
    StorageRecord,
    TableRecord,
)
from viewscribe.errors import DataTypeError

# Which parameters of a table are its user's own, and the ones that Spark keeps a schema in.

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


VIRTUAL_VIEW = "VIRTUAL_VIEW"
HOME = "spark_catalog"

_LAZY = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
_INPUT = "org.apache.hadoop.mapred.SequenceFileInputFormat"
_OUTPUT = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat"

_NAMESPACE, _OUT, _CONFIG = "view.catalogAndNamespace.", "view.query.out.", "view.sqlConfig."
_TEMPORARY, _LEGACY_DATABASE = "view.referredTemp", "view.default.database"
_TEMPORARIES = ("ViewNames", "FunctionsNames", "VariablesNames")


def write_view(document: ViewDocument, record: TableRecord) -> None:
    """Makes ``record`` the view that Spark is to see.

    Raises:
        DataTypeError: the type of a column is none.
    """
    record.type = VIRTUAL_VIEW
    record.original_text = record.expanded_text = document.sql
    storage = hive_storage(document.columns, _INPUT, _OUTPUT, _LAZY)
    if record.is_new:
        record.storage = storage
        record.partition_columns = []
    else:
        record.storage.columns = storage.columns
    parameters = unmanaged(record.parameters)
    parameters[CREATE_VERSION] = SPARK_VERSION
    if document.comment is not None:
        parameters[COMMENT] = document.comment
    parameters.update({key: value for key, value in document.properties.items() if is_own(key)})
    parameters.update(schema_parameters(document.columns))
    parameters.update(_view_parameters(document))
    record.parameters = parameters


def _view_parameters(document: ViewDocument) -> dict[str, str]:
    names = [each.name for each in document.columns]
    return {
        f"{_NAMESPACE}numParts": "2",
        f"{_NAMESPACE}part.0": HOME,
        f"{_NAMESPACE}part.1": hive_name(document.database, "database"),
        f"{_OUT}numCols": str(len(names)),
        **{f"{_OUT}col.{number}": name for number, name in enumerate(names)},
        "view.schemaMode": "COMPENSATION",
        **{f"{_TEMPORARY}{each}": "[]" for each in _TEMPORARIES},
        **{
            f"{_CONFIG}{key}": value
            for key, value in document.settings.items()
            if key.startswith("spark.sql.")
        },
    }


def read_view(record: TableRecord, path: str) -> ViewDocument:
    """The view as Spark sees it; without a plan.

    Raises:
        DamagedDocumentError: it cannot be read, or is written in another engine's SQL.
    """
    parameters = record.parameters
    if parameters.get("presto_view") == "true":
        raise DamagedDocumentError(
            "the view is written in the SQL of Trino or Presto",
            path=path,
            hint="only those engines read it",
        )
    hive = [*record.storage.columns, *record.partition_columns]  # a view of Hive may have both
    columns = stored_columns(parameters, hive, path)
    text = record.expanded_text or record.original_text
    if not text:
        raise DamagedDocumentError("the view has no text", path=path)
    _refuse_temporary(parameters, path)
    outputs, settings = numbered(parameters, f"{_OUT}numCols", f"{_OUT}col."), _settings(parameters)
    try:
        sql, dependencies = qualified_view(text, _namespace(record), settings, path=path)
    except DamagedDocumentError as fault:
        # Whether Hive made the view: Spark says its version, or at least what the text gives.
        if any(key.startswith((CREATE_VERSION, "view.")) for key in record.parameters):
            raise
        raise DamagedDocumentError(
            f"Hive wrote the view, and its text is not read as Spark's SQL: {fault.cause}",
            path=path,
            hint="only Hive reads it; make it again, in SQL that Spark has, too",
        ) from None
    if outputs and outputs != [each.name for each in columns]:
        sql = with_new_names(sql, outputs, [each.name for each in columns], path)
    return ViewDocument(
        database=record.database or "",
        name=record.name or "",
        comment=parameters.get(COMMENT),
        owner=record.owner,
        sql=sql,
        columns=columns,
        properties=user_properties(parameters),
        settings=allowed_settings(settings),
        dependencies=dependencies,
        spark_version=parameters.get(CREATE_VERSION),
    )


def view_meaning(record: TableRecord, path: str) -> str:
    """A hash of what the view's rows depend on."""
    parameters = record.parameters
    relevant = (_NAMESPACE, _OUT, _CONFIG, "view.schemaMode")
    told = {key: value for key, value in parameters.items() if key.startswith(relevant)}
    texts = [record.original_text, record.expanded_text, schema_text(parameters, path)]
    return content_hash([texts, told])


def _settings(parameters: Mapping[str, str]) -> dict[str, str]:
    """The settings that a reader is to put in force."""
    stored = {
        key[len(_CONFIG) :]: value for key, value in parameters.items() if key.startswith(_CONFIG)
    }
    return {**not_stored(parameters.get(CREATE_VERSION)), **stored}


def _namespace(record: TableRecord) -> tuple[str, ...]:
    """The catalog and database that were current when the view was made."""
    parameters = record.parameters
    parts = numbered(parameters, f"{_NAMESPACE}numParts", f"{_NAMESPACE}part.")
    if parts:
        return tuple(parts)
    return HOME, parameters.get(_LEGACY_DATABASE) or record.database or ""


def means_its_text_at_home(record: TableRecord) -> bool:
    """Whether the names of the text mean what they mean in the database of the view."""
    home = (HOME, record.database or "")
    settings = _settings(record.parameters)
    return means_the_same_in(record.original_text or "", _namespace(record), home, settings)


def _refuse_temporary(parameters: Mapping[str, str], path: str) -> None:
    """Raises ``DamagedDocumentError`` for a view that needs what only its session had."""
    for each in _TEMPORARIES:
        if parameters.get(f"{_TEMPORARY}{each}", "[]") != "[]":
            raise DamagedDocumentError(
                f"the view needs what was temporary: {parameters[f'{_TEMPORARY}{each}']}",
                path=path,
                hint="make it again in Spark, of what every session has",
            )
