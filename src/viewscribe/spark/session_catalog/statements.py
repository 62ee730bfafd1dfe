"""Statements to a session, with names and texts of others in them, and what Spark answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    CatalogUnreachableError,
    InvalidDocumentError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.messages import label
from viewscribe.catalog_store.permissions import (
    ForbiddenSourceError,
    is_authored,
    permissions_in_force,
    raise_first,
)
from viewscribe.operations.reach import Part
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.classic import Py4JError
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.gate import gate_of
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.session import (
    columns_json,
    execute_as_written,
    first_line,
    first_value,
    run_as_written,
)
from viewscribe.spark.timing import log_duration
from viewscribe.types.identifiers import quote_name

_LOG = logging.getLogger(__name__)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
