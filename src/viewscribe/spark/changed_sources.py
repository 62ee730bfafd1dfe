"""Which tables and views are no longer what a tree was built over: why its proof fails."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import SparkSession

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.session import SPARK_ERRORS
from viewscribe.spark.sources import open_table
from viewscribe.spark.types import schema_from_spark
from viewscribe.types.nested_types import deeply_nullable, value_type


def changed_sources(operation: QueryOperation, spark: SparkSession) -> tuple[str, ...]:
    """Returns a line for each column that has another type in the session, or that is missing."""
    sources = {
        each.path: each
        for each in preorder(operation)
        if isinstance(each, n.CatalogSource) and each.as_of is None
    }
    return tuple(line for path in sorted(sources) for line in _changes(sources[path], spark))


def _changes(source: n.CatalogSource, spark: SparkSession) -> Iterator[str]:
    name = ".".join(source.path)
    try:
        with silence_errors():
            found = schema_from_spark(open_table(spark, source.path).schema)
    except (*SPARK_ERRORS, ViewscribeError):
        return  # whoever needs it says why it cannot be opened
    types = {field.name.lower(): value_type(field.type) for field in found}
    for field in source.schema:
        now, then = types.get(field.name.lower()), value_type(field.type)
        if now is None:
            yield f"{name} has changed: it has no column `{field.name}` any more"
        elif deeply_nullable(now) != deeply_nullable(then):
            yield f"{name} has changed: `{field.name}` is {now.ddl}, it was {then.ddl}"
