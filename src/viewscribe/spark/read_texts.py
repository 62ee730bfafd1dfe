"""The tree of a text that nobody stored a plan of, read among the tables of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from pyspark.sql import SparkSession

from viewscribe.catalog_store import CatalogManager
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.errors import (
    NotSerializableError,
    ValidationError,
    VerificationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.reach import is_path
from viewscribe.parser.qualify import with_full_tables
from viewscribe.parser.read import read_sql
from viewscribe.parser.scopes import rename
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.session_catalog import catalog_of_session
from viewscribe.spark.stand_ins import stand_ins
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import coercion, coercion_of

SPARKS_OWN = "spark_catalog"


class SessionWorld:
    """Where a text finds its tables and functions: in a session.

    Args:
        spark: the session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        if len(parts) == 2 and is_path(*parts):
            text = f"SELECT * FROM {quote_name(parts)}"
            return SqlText.of(text, self._columns(text, parts))
        path = (SPARKS_OWN, *parts) if len(parts) == 2 else tuple(parts)
        name = stand_ins(self._spark).name_of_view(path) or quote_name(path)
        return CatalogSource.of(path, self._columns(f"SELECT * FROM {name}", path))

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...]:
        """The columns of a table as it was."""
        return self._columns(f"SELECT * FROM {quote_name(path)} {as_of}", path)

    def _columns(self, text: str, path: Sequence[str]) -> tuple[Field, ...]:
        try:
            with silence_errors():
                return schema_from_spark(run_as_written(self._spark, text).schema)
        except SPARK_ERRORS as error:
            raise ValidationError(
                f"`{'.'.join(path)}` cannot be read: {first_line(error)}"
            ) from error

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function that the session's catalog has under a full name."""
        if len(parts) != 3 or parts[0].lower() == "system":
            return None
        catalog, database, name = parts
        manager = CatalogManager()
        manager.register(catalog, catalog_of_session(self._spark, catalog), replace=True)
        return StoredFunctions(manager).find(FunctionIdentifier(name, database, catalog))

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Nothing: what such a function gives is known where it can be imported."""
        raise NotSerializableError(f"what the function `{'.'.join(parts)}` gives is not known here")


def in_full(view: ViewDocument, catalog: str = SPARKS_OWN) -> ViewDocument:
    """The view with the full names of tables in its text."""
    reading = make_reading(view.settings)
    sql = with_full_tables(view.sql, (catalog, view.database), reading)
    return msgspec.structs.replace(view, sql=sql)


def read_in_session(view: ViewDocument, spark: SparkSession) -> QueryOperation:
    """What the text of a view means to viewscribe, under the view's settings and column names.

    Args:
        view: the view, with full names in its text.
        spark: the session that has its tables.

    Raises:
        VerificationError: the text is not read; says why.
    """
    try:
        refuse_settings(view.settings, view.sql)
        with coercion(coercion_of(view.settings)):
            tree = read_sql(view.sql, SessionWorld(spark), make_reading(view.settings))
    except ViewscribeError as error:
        raise VerificationError(
            f"the view {view.database}.{view.name} has no plan, and its text is not read: "
            f"{error.message}",
            location=error.location,
            hint=error.hint,
        ) from error
    names = tuple(column.name for column in view.columns)
    if len(names) != len(tree.schema) or names == tree.schema.names:
        return tree
    return rename(tree, names)
