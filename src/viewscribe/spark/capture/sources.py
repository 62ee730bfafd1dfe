"""Where the tables that a DataFrame reads get their full names and columns from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from viewscribe.catalog_store import DatabaseDocument, TableDocument
from viewscribe.catalog_store.columns import columns_of_fields
from viewscribe.catalog_store.errors import CatalogNotFoundError, ObjectNotFoundError
from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.catalog_store.manager import CatalogManager, Temporary
from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.of_catalogs import FunctionCatalog
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.reach import is_place
from viewscribe.spark.capture.lengths import refuse_lengths_in_text, refuse_lengths_of_spark
from viewscribe.spark.catalog_functions import find_catalog_function
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.session import SPARK_ERRORS, current_namespace, first_line, run_as_written
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.spark.stand_ins import stand_ins
from viewscribe.spark.types import from_spark, schema_from_spark
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type, schema_text
from viewscribe.types.identifiers import quote_name
from viewscribe.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# The tables that a captured DataFrame reads, as documents for the catalog that stores its view.

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


# Tables over files that are read with a schema of their own, which SQL on a file cannot hold.

_ABSOLUTE = re.compile(r"([a-z][a-z0-9+.-]*:)?/")


class FileTables:
    """The tables that a view needs beside it, called after the view and the files.

    Args:
        view: the full name of the view.
    """

    def __init__(self, view: Sequence[str]) -> None:
        self.view = tuple(view)
        self.documents: list[TableDocument] = []

    @property
    def catalog(self) -> str:
        """The catalog of the view, which has the tables, too."""
        return self.view[0]

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """The full names of the tables."""
        return [(*self.view[:-1], each.name) for each in self.documents]

    def read(self, table: TableDocument) -> CatalogSource:
        """The read of files as that of a table; of one definition there is one table.

        Raises:
            CaptureError: the path is relative, to Spark's working directory here and to that of
                the database in a table.
        """
        if not is_absolute(table.location or ""):
            raise CaptureError(
                f"the path `{table.location}` is relative, and that of a table means another place",
                location="read",
                hint="read the files by their whole path",
            )
        name = self._name_of(table)
        fields = [Field(each.name, parse_type(each.type)) for each in table.columns]
        return CatalogSource.of((*self.view[:-1], name), tuple(fields))

    def _name_of(self, table: TableDocument) -> str:
        for each in self.documents:
            if msgspec.structs.replace(each, name="", database="") == table:
                return each.name
        name = self._free_name(table.location or "")
        named = msgspec.structs.replace(table, name=name, database=self.view[-2])
        self.documents.append(named)
        return name

    def _free_name(self, location: str) -> str:
        file = location.rstrip("/").rpartition("/")[2].partition(".")[0]
        words = [
            re.sub(r"\W+", "_", each, flags=re.ASCII).strip("_") for each in (self.view[-1], file)
        ]
        stem = "_".join(each.lower() or "files" for each in words)
        taken = {each.name for each in self.documents}
        names = (f"{stem}_{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (stem, *names) if name not in taken)


def is_absolute(path: str) -> bool:
    """Whether a path means the same wherever it is read."""
    return _ABSOLUTE.match(path) is not None


def table_of_files(
    form: str, path: str, options: Mapping[str, str], fields: Sequence[Field]
) -> TableDocument:
    """A table without a name that has the rows of files as they are read with a schema."""
    nullable = [Field(each.name, each.type.as_nullable()) for each in fields]
    return TableDocument(
        database="",
        name="",
        columns=columns_of_fields(nullable),
        format=form,
        location=path,
        options=dict(options),
        viewscribe_version=__version__,
    )


@contextmanager
def file_tables(view: Sequence[str]) -> Iterator[FileTables]:
    """In the block, files that are read with a schema of their own are read as tables."""
    tables = FileTables(view)
    token = _IN_FORCE.set(tables)
    try:
        yield tables
    finally:
        _IN_FORCE.reset(token)


def file_tables_in_force() -> FileTables | None:
    """The tables that files are read as; None where there are none."""
    return _IN_FORCE.get()


_IN_FORCE: ContextVar[FileTables | None] = ContextVar("file tables", default=None)


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
