"""Creates what a view reads in the session's own catalog, and says what is there already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store import ObjectPath
from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.permissions import FORMATS, permissions_in_force
from viewscribe.errors import CatalogError, DataTypeError
from viewscribe.operations.reach import plain_location
from viewscribe.secrets import remember_in, remember_settings
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import MissingSourceError
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.session_catalog.statements import NOT_JSON
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import quote_identifier

_DEFAULT_CATALOG = "spark_catalog"


def register_table(spark: SparkSession, path: ObjectPath, document: TableDocument) -> None:
    """Creates a stored table over its data, unless the session has it.

    Raises:
        MissingSourceError: the document does not say where the data is, or the session has others.
    """
    name = quote_path(path)
    if spark.catalog.tableExists(name):
        _check_location(spark, path, document)
        return
    if document.format is None or not _says_where(document):
        raise MissingSourceError(
            f"the session has no table {path}, and its document does not say where the data is",
            hint="store the table with format=… and location=…, or register it in the session",
        )
    permissions_in_force().require_table(f"the table {path}", document)
    create_database(spark, path)
    run_statement(spark, create_table_text(name, document), f"table {path}")
    if document.partitioned_by:
        run_statement(spark, f"MSCK REPAIR TABLE {name}", f"the partitions of table {path}")


def _says_where(document: TableDocument) -> bool:
    """Whether there is a place to read: without one Spark makes a table that has no rows."""
    paths = [value for key, value in document.options.items() if key.lower() == "path"]
    return (document.format or "").lower() not in FORMATS or any((document.location, *paths))


def create_table_text(name: str, document: TableDocument) -> str:
    """Returns the CREATE TABLE statement of a stored table, with everything in it escaped.

    Args:
        name: its full name, as SQL.
        document: its columns and the location of its data.

    Raises:
        CatalogError: a column has an invalid type.
    """
    columns = ", ".join(
        f"{quote_path([column.name])} {_type(document, column.type)}"
        f"{'' if column.nullable else ' NOT NULL'}"
        for column in document.columns
    )
    text = f"CREATE TABLE {name} ({columns}) USING {quote_identifier(document.format or '')}"
    if document.options:
        remember_settings(document.options)
        pairs = [
            f"{quote_string(key)} = {quote_string(value)}"
            for key, value in document.options.items()
        ]
        text += f" OPTIONS ({', '.join(pairs)})"
    if document.partitioned_by:
        text += f" PARTITIONED BY ({', '.join(map(quote_identifier, document.partitioned_by))})"
    if document.location:
        remember_in(document.location)
        text += f" LOCATION {quote_string(document.location)}"
    return text


def _type(document: TableDocument, text: str) -> str:
    try:
        return type_text(parse_type(text))
    except DataTypeError as error:
        raise CatalogError(
            f"table {document.database}.{document.name} has a column of no type: {error.message}"
        ) from error


def _check_location(spark: SparkSession, path: ObjectPath, document: TableDocument) -> None:
    """Raises if an existing table of that name has other data than the document says."""
    if document.location is None:
        return
    known = describe_table(spark, path).get("location")
    if known is None or plain_location(known) == plain_location(document.location):
        return
    raise MissingSourceError(
        f"the session's table {path} reads {known}, and the stored one {document.location}",
        hint="drop the session's table, or open the view in another session",
    )


def describe_table(spark: SparkSession, path: ObjectPath) -> dict[str, Any]:
    """What Spark says of a table or view of the session; of Delta's tables the place alone."""
    text = f"DESCRIBE TABLE EXTENDED {quote_path(path)}"
    try:
        with silence_errors():
            rows = run_as_written(spark, f"{text} AS JSON").collect()
    except PySparkException as error:
        if error.getCondition() not in NOT_JSON:
            raise
        told = run_as_written(spark, text).collect()
        return {"location": next((row[1] for row in told if row[0] == "Location"), None)}
    found: dict[str, Any] = json.loads(rows[0][0])
    return found


def create_database(spark: SparkSession, path: ObjectPath) -> None:
    """Creates the database of a path in the session's own catalog, unless it is there."""
    if path.catalog.lower() == _DEFAULT_CATALOG and path.database.lower() != "default":
        name = quote_path([path.catalog, path.database])
        run_statement(spark, f"CREATE DATABASE IF NOT EXISTS {name}", f"database {path.database}")


def run_statement(spark: SparkSession, text: str, what: str) -> None:
    """Runs what registers something. Raises ``MissingSourceError``."""
    try:
        with_functions(spark, lambda: run_as_written(spark, text))
    except SPARK_ERRORS as error:
        raise MissingSourceError(
            f"{what} cannot be registered in the session: {first_line(error)}"
        ) from error


def quote_path(parts: Sequence[str]) -> str:
    """The parts of a name as SQL, each in backticks."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)
