"""Names of two parts that are tables: one that is no table, Spark takes for a format and a path.

``foo.bar`` looks like the table ``bar`` of the database ``foo``. Where the session has none, Spark
looks for the file ``bar`` in the format ``foo``, as of a library that the session has. What reads
files needs a permission, and the formats that anybody may bring are not known by name; so a name of
two parts that the session has no table for gets the catalog before it, and three parts are no file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from viewscribe.errors import ViewscribeError
from viewscribe.operations.paths import is_path
from viewscribe.parser.names import edit, read_names
from viewscribe.parser.settings import make_reading
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def table_name(spark: SparkSession, path: Sequence[str]) -> tuple[str, ...]:
    """The name of a table by which Spark looks for no file."""
    may_be_file = len(path) == 2 and not is_path(*path)
    if not may_be_file or spark.catalog.tableExists(quote_name(path)):
        return tuple(path)
    return (spark.catalog.currentCatalog(), *path)


def with_tables_alone(text: str, spark: SparkSession, settings: Mapping[str, str]) -> str:
    """The query with such names for its tables; one that is not read stays as it is.

    Args:
        text: one query in Spark SQL.
        spark: the session.
        settings: those that decide how the text is read.
    """
    try:
        named = read_names(text, make_reading(settings)).tables
    except ViewscribeError:
        return text
    full = [(each, table_name(spark, each.parts)) for each in named]
    return edit(
        text,
        [
            (each.start, each.end, quote_name(name))
            for each, name in full
            if len(name) > len(each.parts)
        ],
    )
