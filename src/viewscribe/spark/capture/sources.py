"""Where the tables that a DataFrame reads get their full names and columns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.catalog_store.manager import CatalogManager, Temporary
from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.catalog import FunctionCatalog
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.paths import is_place
from viewscribe.spark.capture.lengths import refuse_lengths_in_text, refuse_lengths_of_spark
from viewscribe.spark.catalog_functions import find_catalog_function
from viewscribe.spark.session import SPARK_ERRORS, current_namespace, first_line
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.spark.stand_ins import stand_ins
from viewscribe.spark.types import from_spark, schema_from_spark
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type, schema_text
from viewscribe.types.identifiers import quote_name


class Sources(Protocol):
    """Answers what a plan leaves open: what a name means, and what only Spark can work out."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name: a ``CatalogSource`` with its full path and columns.

        The body of a temporary view stands in its place, for no stored view may read one.

        Raises:
            CaptureError: there is none, or it cannot be told what it is made of.
        """

    def asked_by(self, walk: Any) -> Sources:
        """The same for a walk over a plan, which knows what it is reading at each moment."""
        return self

    def query_schema(self, text: str) -> tuple[Field, ...] | None:
        """The columns of a query in SQL text; None where nobody can be asked."""

    def columns_of_files(
        self, form: str, paths: Sequence[str], options: Mapping[str, str], given: Sequence[Field]
    ) -> tuple[Field, ...]:
        """The columns of files that are read with a schema; as given where nobody can be asked."""
        return tuple(given)

    def setting(self, name: str, *default: str) -> str | None:
        """The value of a Spark setting, set or not; None where nobody knows it.

        With a default it is the value that was set, else the default, as in ``spark.conf.get``.
        """

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a catalog that a name means; None where it is not known, or Spark's."""


class SessionSources(Sources):
    """Asks a Spark session, classic or Connect.

    Args:
        session: the session.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._own = SessionObjects(session)
        self.is_connect = type(session).__module__.startswith("pyspark.sql.connect.")

    def table(self, parts: Sequence[str]) -> QueryOperation:
        name = quote_name(tuple(parts))
        if is_place(parts):  # one of Delta is listed as a table, too
            text = f"SELECT * FROM {name}"
            return n.SqlText.of(text, self.query_schema(text))
        try:
            found = self._session.catalog.getTable(name)
        except SPARK_ERRORS as error:
            path, schema = self._unlisted(parts, error)
        else:
            if found.isTemporary:
                return self._body(name, found.name)
            path = (found.catalog, *found.namespace, found.name)
            schema = self._session.table(quote_name(path)).schema
        refuse_lengths_of_spark(schema.simpleString())
        return n.CatalogSource.of(path, tuple(schema_from_spark(schema)))

    def _unlisted(self, parts: Sequence[str], error: Exception) -> tuple[tuple[str, ...], Any]:
        """The full name and columns of what Spark reads and does not list: views of Iceberg."""
        home = current_namespace(self._session)
        path = (*home[: max(3 - len(parts), 0)], *parts)
        try:
            return path, self._session.table(quote_name(path)).schema
        except SPARK_ERRORS:
            raise CaptureError(
                f"the session has no table or view {quote_name(tuple(parts))}",
                location="read",
                hint="create it, or read the table by its full name",
            ) from error

    def _body(self, name: str, view: str) -> QueryOperation:
        """What a temporary view is made of, which only a classic session tells."""
        if not type(self._session).__module__ == "pyspark.sql.session":
            raise temporary_view(view)
        from viewscribe.spark.capture.classic import capture_classic

        return n.SubqueryAlias.of(capture_classic(self._session.table(name)), view)

    def query_schema(self, text: str) -> tuple[Field, ...]:
        refuse_lengths_in_text(text, self.setting)
        from viewscribe.spark.error_logging import silence_errors

        try:
            with silence_errors():
                schema = self._session.sql(text).schema
                self._own.refuse_variables(text)
        except SPARK_ERRORS as error:
            raise CaptureError(
                f"Spark does not tell the columns of a query: {first_line(error)}",
                location="sql",
                hint="see that the query runs in this session",
            ) from error
        refuse_lengths_of_spark(schema.simpleString())
        return tuple(
            Field(field.name, from_spark(field.dataType, field.nullable)) for field in schema
        )

    def columns_of_files(
        self, form: str, paths: Sequence[str], options: Mapping[str, str], given: Sequence[Field]
    ) -> tuple[Field, ...]:
        """Spark gives all of them as nullable, and those of partitions last."""
        reader = self._session.read.format(form).options(**options)
        try:
            return schema_from_spark(reader.schema(schema_text(given)).load([*paths]).schema)
        except SPARK_ERRORS as error:
            raise CaptureError(
                f"Spark does not read the files: {first_line(error)}", location="read"
            ) from error

    def setting(self, name: str, *default: str) -> str | None:
        from pyspark.errors import PySparkException

        try:  # asked with a default, Spark does not tell its own
            value: str | None = self._session.conf.get(name, *default)
        except PySparkException:  # this Spark does not know it
            return None
        return value

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """What was attached, and what catalogs have themselves; others tell no types."""
        found = stand_ins(self._session).find(parts)
        if found is not None:
            return found
        self._own.refuse_function(parts)
        return find_catalog_function(parts, self._session)


class CatalogSources(Sources):
    """Asks viewscribe's own catalogs, so that no server and no JVM is needed.

    Args:
        catalogs: a ``CatalogManager``, or what has one as ``catalogs``: a ``TableEnvironment``.
    """

    def __init__(self, catalogs: Any) -> None:
        self._manager: CatalogManager = getattr(catalogs, "catalogs", catalogs)
        self._functions: FunctionCatalog | None = getattr(catalogs, "functions", None)

    def table(self, parts: Sequence[str]) -> QueryOperation:
        found = self._manager.relation(parts)
        if isinstance(found, Temporary):
            operation = getattr(found.value, "operation", None)
            if operation is None:
                raise temporary_view(parts[-1])
            return n.SubqueryAlias.of(operation, parts[-1])
        fields = [
            Field(column.name, parse_type(column.type).with_nullability(column.nullable))
            for column in found.document.columns
        ]
        return n.CatalogSource.of(tuple(found.path), tuple(fields))

    def query_schema(self, text: str) -> tuple[Field, ...] | None:
        return None

    def setting(self, name: str, *default: str) -> str | None:
        return default[0] if default else None

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        if self._functions is None:
            self._functions = FunctionCatalog(StoredFunctions(self._manager))
        return self._functions.find_in_text(parts)


def temporary_view(name: str) -> CaptureError:
    """The error for a temporary view whose body is not known."""
    return CaptureError(
        f"`{name}` is a temporary view, which no stored view may read",
        location="read",
        hint="start from the DataFrame it was made of instead of its name, or store it first",
    )
