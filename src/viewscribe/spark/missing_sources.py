"""What a pipeline reads and the session does not have, in words and with the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException, PySparkException

from viewscribe.spark.errors import MissingSourceError
from viewscribe.spark.session import first_line

_TABLES = "register it in this session, or open the stored view with open_view(…)"
_FILES = "see that the files are where this session looks for them, and that it may read them"
_FORMATS = "start the session with the library of that format, or read the files as a table"

_VERSIONS = (
    "only tables of a format that keeps versions, like Delta and Iceberg, are read as they were; "
    "see which the table has"
)

_WAYS_OUT = {
    "TABLE_OR_VIEW_NOT_FOUND": _TABLES,
    "PATH_NOT_FOUND": _FILES,
    "UNABLE_TO_INFER_SCHEMA": _FILES,
    "FAILED_READ_FILE": _FILES,
    "DATA_SOURCE_NOT_FOUND": _FORMATS,
    "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY": _FORMATS,
}
"""What to do, by the condition that Spark names."""


@contextmanager
def telling_what_is_missing(table: str | None = None, text: str | None = None) -> Iterator[None]:
    """Turns what Spark says of missing tables, files and formats into our error.

    Args:
        table: the name that is read.
        text: the query that reads, where it is one.

    Raises:
        MissingSourceError: the session does not have what is read.
    """
    try:
        yield
    except AnalysisException as error:
        message = first_line(error)
        way_out = next((way for name, way in _WAYS_OUT.items() if f"[{name}" in message), None)
        if way_out is None:
            raise
        if table is None:
            what = f"the session cannot read what a query names: {message}"
        elif way_out is _TABLES:
            what = f"the session has no table {table}"
        else:
            what = f"the session cannot read {table}: {message}"
        raise MissingSourceError(what, location=text, hint=way_out) from error


@contextmanager
def telling_what_was_not(table: str, as_of: str) -> Iterator[None]:
    """Turns what Spark says of a table that it cannot read as it was into our error.

    Args:
        table: the name that is read.
        as_of: which version of it, as in SQL.

    Raises:
        MissingSourceError: the session does not have the table, or not as it was.
    """
    try:
        with telling_what_is_missing(table):
            yield
    except PySparkException as error:  # each format has conditions of its own
        raise MissingSourceError(
            f"the session cannot read {table} as it was ({as_of}): {first_line(error)}",
            hint=_VERSIONS,
        ) from error
