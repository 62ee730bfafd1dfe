"""Statements to a session, with names and texts of others in them, and what Spark answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from pyspark.errors import PySparkException

from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    CatalogUnreachableError,
    DamagedDocumentError,
    InvalidDocumentError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.hosted.embedded_document import COMMENT, PREFIX
from viewscribe.catalog_store.hosted.types import UnknownTypeError, columns_of
from viewscribe.catalog_store.messages import label
from viewscribe.catalog_store.permissions import (
    ForbiddenSourceError,
    is_authored,
    permissions_in_force,
    raise_first,
)
from viewscribe.catalog_store.settings import not_stored
from viewscribe.errors import DataTypeError, ValidationError
from viewscribe.operations.reach import Part
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.gate import gate_of
from viewscribe.spark.java_classes import Py4JError
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.session import (
    columns_json,
    execute_as_written,
    first_line,
    first_value,
    run_as_written,
)
from viewscribe.spark.timing import log_duration
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import parse_name, quote_name
from viewscribe.types.nested_types import (
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOG = logging.getLogger(__name__)


NO_DATABASE = ("SCHEMA_NOT_FOUND",)
NO_TABLE = ("TABLE_OR_VIEW_NOT_FOUND",)
TAKEN = ("TABLE_OR_VIEW_ALREADY_EXISTS",)
NOT_HELD = "MISSING_CATALOG_ABILITY"
"""The catalog is of a kind that holds no views, no tables or no functions, as its details say."""


class RefusedError(Exception):
    """Spark does not carry out a statement.

    Args:
        condition: the name of Spark's error; None where Spark did not get so far as to have one.
    """

    def __init__(self, condition: str | None, message: str) -> None:
        super().__init__(message)
        self.condition = condition

    def is_one_of(self, conditions: Iterable[str]) -> bool:
        """Whether it is one of these errors of Spark, or a special case of one."""
        return self.condition is not None and self.condition.startswith(tuple(conditions))


class Statements:
    """What is said to a session about one of its catalogs.

    Args:
        spark: the session, classic or Connect.
        catalog: the catalog's name.
    """

    def __init__(self, spark: SparkSession, catalog: str) -> None:
        self.spark = spark
        self.catalog = catalog

    def name(self, *parts: str) -> str:
        """The full name of something in the catalog, as SQL."""
        return quote_name((self.catalog, *parts))

    def admit(self, text: str, document: ObjectDocument, part: Part = Part.QUERY) -> str:
        """The text of a document as a statement may hold it.

        Raises:
            InvalidDocumentError: it is not what it should be, or names what nobody allowed.
        """
        try:
            written = document.settings if isinstance(document, ViewDocument) else None
            return gate_of(self.spark, written=written).admit(text, label(document), part)
        except ForbiddenSourceError as error:
            raise InvalidDocumentError(
                error.message, location=label(document), hint=error.hint
            ) from error

    def require_allowed(self, document: TableDocument | FunctionDocument) -> None:
        """Refuses a table or function that Spark would load something for which nobody allowed.

        Raises:
            InvalidDocumentError: its format, a place, an option, a class or a jar is not allowed.
        """
        if is_authored():
            return
        try:
            if isinstance(document, TableDocument):
                permissions_in_force().require_table(label(document), document)
            else:
                source = source_of(document)
                raise_first(permissions_in_force().refused_class(label(document), source))
        except ForbiddenSourceError as error:
            raise InvalidDocumentError(
                error.message, location=label(document), hint=error.hint
            ) from error

    def run(self, text: str) -> list[Any]:
        """The rows that a statement gives.

        Raises:
            RefusedError: Spark does not carry it out.
        """
        with refusals(), log_duration(_LOG, "%s", text):
            return run_as_written(self.spark, text).collect()

    def list_rows(self, text: str) -> list[Any]:
        """The rows of a listing; none where catalogs of that kind hold no such objects.

        Raises:
            RefusedError: Spark does not carry it out.
        """
        try:
            return self.run(text)
        except RefusedError as error:
            if error.is_one_of((NOT_HELD,)):
                return []
            raise

    def execute(self, text: str) -> None:
        """Carries out a statement that gives no rows.

        Raises:
            RefusedError: Spark does not carry it out.
        """
        with refusals(), log_duration(_LOG, "%s", text):
            execute_as_written(self.spark, text)

    def value(self, text: str) -> str:
        """The one text that a statement gives.

        Raises:
            RefusedError: Spark does not carry it out.
        """
        with refusals(), log_duration(_LOG, "%s", text):
            return first_value(self.spark, text)

    def schema(self, query: str) -> str:
        """The JSON of a query's columns; nothing runs.

        Raises:
            RefusedError: Spark does not understand the query.
        """
        with refusals():
            return columns_json(self.spark, query)

    def schema_with_functions(self, query: str) -> str:
        """As ``schema``, with the Python functions that the query calls attached to the session.

        Raises:
            RefusedError: Spark does not understand the query.
            ForbiddenModuleError: the module of such a function was not allowed.
        """
        with refusals():
            return with_functions(self.spark, lambda: columns_json(self.spark, query))


@contextmanager
def refusals() -> Iterator[None]:
    """Turns the errors of a session into ``RefusedError``."""
    try:
        with silence_errors():
            yield
    except PySparkException as error:
        raise RefusedError(error.getCondition(), first_line(error)) from error
    except Py4JError as error:
        raise RefusedError(None, first_line(error)) from error


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Turns what is left of Spark's errors into those of catalogs."""
    try:
        yield
    except RefusedError as error:
        if error.condition is None:
            raise CatalogUnreachableError(
                f"the session of {url} failed: {error}", hint="see whether Spark still runs"
            ) from error
        if error.condition == f"{NOT_HELD}.VIEWS":
            raise no_views(url) from error
        raise StorageError(f"Spark refuses at {url}: {error}") from error


def no_views(url: str) -> CatalogError:
    """The catalog has tables only."""
    return StorageError(
        f"the catalog of {url} holds tables and no views, so Spark cannot keep a view there",
        hint="store it in the session's own catalog, whose views may read these tables: "
        "spark_catalog.database.view",
    )


def settle(write: Callable[[], object], done: Callable[[], bool], what: str) -> None:
    """Does ``write``; where Spark does not say what came of it, ``done`` reads that.

    Raises:
        RefusedError: Spark says that it was not done.
        UnknownOutcomeError: it was not seen to be done, and may still be.
    """
    try:
        write()
    except RefusedError as error:
        if error.condition is not None:
            raise
        try:
            if done():
                return
        except (RefusedError, CatalogError):
            pass
        raise UnknownOutcomeError(
            f"the session did not say whether the {what} was written: {error}",
            hint="read it again; doing the same again is safe",
        ) from error


def pairs(properties: Mapping[str, str]) -> str:
    """``('key' = 'value', …)``."""
    told = (f"{quote_string(key)} = {quote_string(value)}" for key, value in properties.items())
    return f"({', '.join(told)})"


def keys(names: Iterable[str]) -> str:
    """``('key', …)``."""
    return f"({', '.join(map(quote_string, names))})"


# The types of ``DESCRIBE TABLE … AS JSON`` as those of documents.
#
# The form is documented with that statement: ``{"name": "array", "element_type": …}`` and the like.

Plain = Mapping[str, Any]


def type_of(plain: Plain) -> LogicalType:
    """The type, nullable.

    Raises:
        DataTypeError: it is none that is known.
        KeyError: a part of it is missing.
    """
    handler = _HANDLERS.get(plain["name"])
    return parse_type(plain["name"]) if handler is None else handler(plain)


def type_told(plain: Plain) -> str:
    """The type as text."""
    return type_text(type_of(plain))


def _array(plain: Plain) -> LogicalType:
    element = type_of(plain["element_type"])
    return ArrayType(element=element.with_nullability(plain.get("element_nullable", True)))


def _map(plain: Plain) -> LogicalType:
    value = type_of(plain["value_type"])
    return MapType(
        key=type_of(plain["key_type"]).not_null(),
        value=value.with_nullability(plain.get("value_nullable", True)),
    )


def _struct(plain: Plain) -> LogicalType:
    fields = [
        Field(
            each["name"],
            type_of(each["type"]).with_nullability(each.get("nullable", True)),
            each.get("comment"),
        )
        for each in plain["fields"]
    ]
    return StructType(fields=tuple(fields))


def _string(plain: Plain) -> LogicalType:
    collation = plain.get("collation")
    return StringType() if collation is None else StringType(collation=collation)


def _decimal(plain: Plain) -> LogicalType:
    return parse_type(f"decimal({plain['precision']}, {plain['scale']})")


def _with_length(plain: Plain) -> LogicalType:
    return parse_type(f"{plain['name']}({plain['length']})")


def _interval(plain: Plain) -> LogicalType:
    start, end = plain.get("start_unit"), plain.get("end_unit")
    if start is None:
        return parse_type("interval")
    return parse_type(f"interval {start}" if end in (None, start) else f"interval {start} to {end}")


_HANDLERS: dict[str, Callable[[Plain], LogicalType]] = {
    "array": _array,
    "map": _map,
    "struct": _struct,
    "string": _string,
    "decimal": _decimal,
    "char": _with_length,
    "varchar": _with_length,
    "interval": _interval,
}


# What Spark tells of a table or view.

REDACTED = "*********(redacted)"
"""What Spark shows of a property that looks like a password."""

KIND = f"{PREFIX}kind"
"""A property of views that stand for something else: the kind of the document that they keep."""

NOT_JSON = ("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "UNSUPPORTED_FEATURE", "DESCRIBE_JSON")


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A table or view as Spark tells of it; ``columns`` in Spark's plain form."""

    database: str
    name: str
    type: str
    columns: tuple[Mapping[str, Any], ...] = ()
    known_columns: tuple[Column, ...] | None = None
    comment: str | None = None
    owner: str | None = None
    properties: Mapping[str, str] = {}
    text: str | None = None
    namespace: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    spark_version: str | None = None
    changed_ms: int = 0
    provider: str | None = None
    location: str | None = None
    options: Mapping[str, str] = {}
    partitions: tuple[str, ...] = ()

    @property
    def is_view(self) -> bool:
        """Whether it is a view to Spark."""
        return self.type == "VIEW"

    @property
    def kind(self) -> str:
        """What kind of document it is; ``note`` for one that only keeps notes."""
        return self.properties.get(KIND, "view") if self.is_view else "table"

    @property
    def object_kind(self) -> ObjectKind:
        """View or table."""
        return "view" if self.kind == "view" else "table"


def describe(statements: Statements, database: str, name: str) -> Described:
    """What Spark tells of a table or view.

    Raises:
        RefusedError: there is none.
    """
    full = statements.name(database, name)
    try:
        told = statements.value(f"DESCRIBE TABLE EXTENDED {full} AS JSON")
    except RefusedError as error:
        if error.is_one_of(NOT_JSON):
            return _described_v2(statements, database, name)
        raise
    return _from_json(json.loads(told), database, name)


def _from_json(plain: Mapping[str, Any], database: str, name: str) -> Described:
    properties = dict(plain.get("table_properties", {}))
    comment = plain.get("comment") or properties.pop(COMMENT, None)
    namespace = plain.get("view_catalog_and_namespace")
    return Described(
        database=database,
        name=name,
        type=plain.get("type", "MANAGED"),
        columns=tuple(plain.get("columns", ())),
        comment=comment or None,
        owner=plain.get("owner"),
        properties=properties,
        text=plain.get("view_text") or plain.get("view_original_text"),
        namespace=_names(namespace) if namespace else (),
        outputs=tuple(plain.get("view_query_output_columns", ())),
        settings={
            **not_stored(_version(plain.get("created_by"))),
            **plain.get("view_creation_spark_configuration", {}),
        },
        spark_version=_version(plain.get("created_by")),
        changed_ms=_milliseconds(plain.get("created_time")),
        provider=plain.get("provider"),
        location=plain.get("location"),
        options=dict(plain.get("storage_properties", {})),
        partitions=tuple(plain.get("partition_columns", ())),
    )


def _names(text: str) -> tuple[str, ...]:
    try:
        return parse_name(text)
    except ValidationError:
        return ()


def _version(created_by: str | None) -> str | None:
    name, _, version = (created_by or "").partition(" ")
    return version if name == "Spark" and version[:1].isdigit() else None


def _milliseconds(moment: str | None) -> int:
    try:
        return int(datetime.fromisoformat(moment or "").timestamp() * 1000)
    except ValueError:
        return 0


def _described_v2(statements: Statements, database: str, name: str) -> Described:
    """A table of a catalog of which Spark only tells what every table has."""
    full = statements.name(database, name)
    columns = columns_of(statements.schema(f"SELECT * FROM {full}"))
    told: dict[str, str] = {}
    for row in statements.run(f"DESCRIBE TABLE EXTENDED {full}"):
        if row[0] in ("Comment", "Provider", "Location", "Owner", "Type"):
            told[row[0]] = row[1]
    shown = statements.run(f"SHOW TBLPROPERTIES {full}")
    return Described(
        database=database,
        name=name,
        type=told.get("Type", "MANAGED"),
        known_columns=columns,
        comment=told.get("Comment") or None,
        owner=told.get("Owner") or None,
        properties={row[0]: row[1] for row in shown},
        provider=told.get("Provider") or None,
        location=told.get("Location") or None,
    )


def columns(statements: Statements, described: Described, path: str) -> tuple[Column, ...]:
    """The columns, with the lengths of CHAR and VARCHAR, which the JSON leaves out.

    Raises:
        DamagedDocumentError: a type is unknown.
    """
    if described.known_columns is not None:
        return described.known_columns
    exact = _exact_types(statements, described)
    try:
        return tuple(
            Column(
                each["name"],
                exact.get(each["name"]) or type_told(each["type"]),
                bool(each.get("nullable", True)),
                each.get("comment") or None,
            )
            for each in described.columns
        )
    except (DataTypeError, UnknownTypeError, KeyError, TypeError) as fault:
        raise DamagedDocumentError(f"its columns cannot be read: {fault}", path=path) from None


def _exact_types(statements: Statements, described: Described) -> dict[str, str]:
    """Types that only the other form of DESCRIBE tells; it leaves out fields of long ones."""
    if '"string"' not in json.dumps(described.columns):
        return {}
    full = statements.name(described.database, described.name)
    found: dict[str, str] = {}
    for name, type_, *_ in statements.run(f"DESCRIBE TABLE {full}"):
        if not name or name.startswith("#"):
            break
        if "char(" in type_ and " more fields" not in type_:
            found[name] = type_text(parse_type(type_))
    return found
