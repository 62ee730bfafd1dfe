"""The tables that a captured DataFrame reads, as documents for the catalog that stores its view."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store import CatalogManager, DatabaseDocument, TableDocument
from viewscribe.catalog_store.columns import columns_of_fields
from viewscribe.catalog_store.errors import CatalogNotFoundError, ObjectNotFoundError
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.session import SPARK_ERRORS, run_as_written
from viewscribe.spark.types import schema_from_spark
from viewscribe.types.identifiers import quote_name
from viewscribe.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FILES = {"parquet", "orc", "avro", "csv", "json", "text", "xml", "binaryfile"}
"""Formats of which a table is its location and nothing else."""


def store_sources(
    catalogs: CatalogManager, operation: QueryOperation, spark: SparkSession
) -> frozenset[tuple[str, ...]]:
    """Notes the tables that the session knows and the catalogs do not.

    A table of files is stored with its columns, format and location, so that the view opens in
    another session too.

    Returns:
        The tables that stay outside: only a session that has them can open the view.
    """
    outside, documents = set(), []
    for path in _read(operation):
        if _is_known(catalogs, path):
            continue
        document = _document(spark, path)
        if document is None or not _has_catalog(catalogs, path[0]):
            outside.add(path)
        else:
            documents.append((path[0], document))
    for catalog, document in documents:
        home = DatabaseDocument(name=document.database)
        catalogs.create_database(home, catalog=catalog, if_not_exists=True)
        catalogs.save(document, catalog=catalog)
    return frozenset(outside)


def sources_outside(
    catalogs: CatalogManager, operation: QueryOperation
) -> frozenset[tuple[str, ...]]:
    """Returns the tables that are in none of the catalogs, but those of a session or metadata."""
    return frozenset(
        path for path in _read(operation) if len(path) > 3 or not _has_catalog(catalogs, path[0])
    )


def _read(operation: QueryOperation) -> dict[tuple[str, ...], None]:
    found: dict[tuple[str, ...], None] = {}
    for node in preorder(operation):
        if isinstance(node, CatalogSource):
            found[node.path] = None
        elif isinstance(node, SqlText):
            found.update(dict.fromkeys(node.dependencies))
    return found


def _is_known(catalogs: CatalogManager, path: tuple[str, ...]) -> bool:
    try:
        catalogs.relation(path)  # a document that cannot be read is told before a view is stored
    except (ObjectNotFoundError, CatalogNotFoundError):
        return False
    return True


def _has_catalog(catalogs: CatalogManager, name: str) -> bool:
    try:
        catalogs.catalog(name)
    except CatalogNotFoundError:
        return False
    return True


def _document(spark: SparkSession, path: tuple[str, ...]) -> TableDocument | None:
    """The document of a table of files; None for what is more than files."""
    described = _describe_table(spark, path)
    provider = str(described.get("provider", "")).lower()
    if described.get("type") not in ("MANAGED", "EXTERNAL") or provider not in _FILES:
        return None
    fields = schema_from_spark(spark.table(quote_name(path)).schema)
    properties = described.get("storage_properties") or {}
    return TableDocument(
        database=path[-2],
        name=path[-1],
        comment=described.get("comment"),
        columns=columns_of_fields(fields),
        format=provider,
        location=described.get("location"),
        options={key: value for key, value in properties.items() if key != "serialization.format"},
        partitioned_by=tuple(described.get("partition_columns") or ()),
        viewscribe_version=__version__,
    )


def _describe_table(spark: SparkSession, path: tuple[str, ...]) -> dict[str, Any]:
    try:
        with silence_errors():
            rows = run_as_written(
                spark, f"DESCRIBE TABLE EXTENDED {quote_name(path)} AS JSON"
            ).collect()
    except SPARK_ERRORS:
        return {}  # a catalog that cannot describe its tables so keeps them to itself
    found: dict[str, Any] = json.loads(rows[0][0])
    return found
