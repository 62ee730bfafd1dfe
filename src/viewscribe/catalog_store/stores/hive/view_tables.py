"""Views as Spark 4.3 writes them into a metastore, and as it reads them."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted.chunks import numbered
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT, is_own, user_properties
from viewscribe.catalog_store.hosted.sql_names import means_the_same_in, qualified_view
from viewscribe.catalog_store.hosted.view_texts import with_new_names
from viewscribe.catalog_store.settings import allowed_settings, not_stored
from viewscribe.catalog_store.stores.hive.properties import (
    CREATE_VERSION,
    SPARK_VERSION,
    hive_storage,
    schema_parameters,
    schema_text,
    stored_columns,
    unmanaged,
)
from viewscribe.catalog_store.stores.hive.records import TableRecord

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
    outputs, settings = _outputs(parameters), _settings(parameters)
    try:
        sql, dependencies = qualified_view(text, _namespace(record), settings, path=path)
    except DamagedDocumentError as fault:
        if not _is_hives(record):
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


def _is_hives(record: TableRecord) -> bool:
    """Whether Hive made the view: Spark says its version, or at least what the text gives."""
    return not any(key.startswith((CREATE_VERSION, "view.")) for key in record.parameters)


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


def _outputs(parameters: Mapping[str, str]) -> list[str]:
    return numbered(parameters, f"{_OUT}numCols", f"{_OUT}col.")


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
