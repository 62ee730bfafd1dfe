"""Comparing two trees that may mean the same: their plans, and their rows over given tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.spark.compare import SQL, TREE, RowComparison, compare_plans, row_types
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.report import Check
from viewscribe.spark.session import SPARK_ERRORS, first_line, settings
from viewscribe.spark.types import schema_to_spark
from viewscribe.spark.verify import clock_calls, nondeterministic_calls, order_dependent_parts
from viewscribe.types.identifiers import parse_name

Tables = Mapping[tuple[str, ...], CatalogSource]
Rows = Sequence[Any]

_IN_MEMORY = 10_000
_BEFORE, _AFTER = "the SQL before", "the SQL after"


def compare_optimized_plans(
    before: QueryOperation,
    after: QueryOperation,
    spark: SparkSession,
    meant: Mapping[str, str],
) -> Check:
    """Compares Spark's plans of two trees; equal ones prove that they give the same rows.

    The tables of the session are not touched: the trees read files that are not there, of which
    Spark knows nothing until it would read them.

    Args:
        before: one tree.
        after: the other.
        spark: the session that plans them.
        meant: the settings of both.
    """
    tables = _tables(before, after)
    with tempfile.TemporaryDirectory(prefix="viewscribe-") as home:
        sources = {}
        try:
            for number, (path, source) in enumerate(tables.items()):
                place = Path(home, str(number))
                place.mkdir()
                schema = schema_to_spark(source.fields)
                sources[path] = spark.read.schema(schema).parquet(place.as_uri())
            with _frames(before, after, spark, meant, sources) as (one, other):
                return _in_words(compare_plans(one, other))
        except (*SPARK_ERRORS, ViewscribeError) as error:
            return Check("not compared", f"Spark does not plan it: {first_line(error)}")


def compare_rows(
    before: QueryOperation,
    after: QueryOperation,
    spark: SparkSession,
    meant: Mapping[str, str],
    data: Mapping[str, Rows],
) -> Check:
    """Compares the rows that two trees give over the same tables.

    Args:
        before: one tree.
        after: the other.
        spark: the session that runs them.
        meant: the settings of both.
        data: rows of the tables that they read, by name; tables without are empty.

    Raises:
        ValidationError: neither reads a table of ``data``, or its rows do not fit.
    """
    tables = _tables(before, after)
    sources = _make_sources(spark, tables, _find_rows(tables, data))
    chance = ", ".join(filter(None, [*map(_free, (before, after))]))
    if chance:
        return Check("not compared", f"Spark is free to choose the rows: {chance}")
    try:
        with _frames(before, after, spark, meant, sources) as (one, other):
            if [each.simpleString() for each in row_types(one)] != [
                each.simpleString() for each in row_types(other)
            ]:
                return Check("not compared", "the columns are of different types")
            rows, _ = RowComparison(one, other, in_memory=_IN_MEMORY).compare()
            return _in_words(rows.check)
    except (*SPARK_ERRORS, ViewscribeError) as error:
        return Check("not compared", f"Spark does not run it: {first_line(error)}")


@contextmanager
def _frames(
    before: QueryOperation,
    after: QueryOperation,
    spark: SparkSession,
    meant: Mapping[str, str],
    sources: Mapping[tuple[str, ...], DataFrame],
) -> Iterator[tuple[DataFrame, DataFrame]]:
    with settings(spark, meant):
        one, other = (
            to_dataframe(tree, spark, meant, {path: sources[path] for path in _tables(tree)})
            for tree in (before, after)
        )
        yield one, other


def _tables(*trees: QueryOperation) -> Tables:
    """The tables that trees read, by their paths."""
    return {
        node.path: node
        for tree in trees
        for node in preorder(tree)
        if isinstance(node, CatalogSource)
    }


def _find_rows(tables: Tables, data: Mapping[str, Rows]) -> dict[tuple[str, ...], Rows]:
    """The rows by the paths of their tables, of which a test gives the end of the name."""
    found: dict[tuple[str, ...], Rows] = {}
    for name, rows in data.items():
        wanted = [part.casefold() for part in parse_name(name)]
        meant = [p for p in tables if [part.casefold() for part in p][-len(wanted) :] == wanted]
        if len(meant) > 1:
            raise ValidationError(f"`{name}` may be {' or '.join(map('.'.join, meant))}")
        if meant:  # a change may be that a table is no longer read
            found[meant[0]] = rows
    if data and not found:
        known = ", ".join(sorted(map(".".join, tables))) or "no table"
        raise ValidationError(f"there are rows for {', '.join(data)}, and the SQL reads {known}")
    return found


def _make_sources(
    spark: SparkSession, tables: Tables, rows: Mapping[tuple[str, ...], Rows]
) -> dict[tuple[str, ...], DataFrame]:
    sources = {}
    for path, table in tables.items():
        schema = schema_to_spark(table.fields)
        try:
            given = [_row(each, schema) for each in rows.get(path, ())]
            sources[path] = spark.createDataFrame(given, schema)
        except (PySparkException, TypeError, ValueError, ArithmeticError) as error:
            raise ValidationError(
                f"the rows of {'.'.join(path)} do not fit its columns: {first_line(error)}",
                location=f"({table.schema})",
            ) from error
    return sources


def _row(row: Any, schema: t.StructType) -> tuple[Any, ...]:
    """The values of a row in the order of the columns; what a dict leaves out is NULL."""
    names = schema.names
    if isinstance(row, Mapping):
        unknown = [name for name in row if name not in names]
        if unknown:
            raise ValueError(f"there is no column `{unknown[0]}`")
        row = [row.get(name) for name in names]
    if len(row) != len(names):
        raise ValueError(f"a row has {len(row)} values, the table {len(names)} columns")
    return tuple(_value(each, f.dataType) for each, f in zip(row, schema.fields, strict=True))


def _value(value: Any, type_: t.DataType) -> Any:
    """A value as PySpark wants it: whole numbers and ISO dates are written as people do."""
    if isinstance(type_, t.DecimalType) and isinstance(value, int | str):
        return Decimal(value)
    if isinstance(type_, t.FloatType | t.DoubleType) and type(value) is int:
        return float(value)
    if isinstance(type_, t.DateType) and isinstance(value, str):
        return date.fromisoformat(value)
    if isinstance(type_, t.TimestampType | t.TimestampNTZType) and isinstance(value, str):
        return datetime.fromisoformat(value)
    return value


def _free(tree: QueryOperation) -> str:
    parts = (nondeterministic_calls(tree), clock_calls(tree), order_dependent_parts(tree))
    return ", ".join(filter(None, parts))


def _in_words(check: Check) -> Check:
    """The check in words for two texts, and not for a text and its tree."""

    def say(text: str) -> str:
        return text.replace(SQL, _BEFORE).replace(TREE, _AFTER)

    return replace(check, detail=say(check.detail), differences=[*map(say, check.differences)])
