"""PARTITION BY of a table: which keys there may be, and what their columns are called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.constructors import col
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import StaticArgument
from viewscribe.expressions.nodes import Alias, Call, FieldReference, ResolvedExpression
from viewscribe.expressions.resolve import Scope, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.build.checks import forbid
from viewscribe.operations.build.process.arguments import TableArgument
from viewscribe.operations.nodes.process import path_of
from viewscribe.types import (
    CharType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    StringType,
    VarcharType,
    VariantType,
)
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import change_inside, contains

_T = ArgumentTrait


def add_key_columns(where: str, given: TableArgument) -> TableArgument:
    """The table with the keys that are computed, ``….alias("day")``, as columns of it.

    Raises:
        ValidationError: it has a column of that name.
    """
    scope = Scope(given.operation.schema)
    keys: list[Any] = []
    made: list[Alias] = []
    for key in given.partition_by or ():
        resolved = resolve_in(dsl.column_or(key), scope)
        if not isinstance(resolved, Alias):
            keys.append(key)
            continue
        if scope.schema.by_name.find_unique(resolved.name.lower()) >= 0:
            raise ValidationError(
                f"{where}: PARTITION BY computes the column `{resolved.name}`, and the table has "
                "one",
                hint="give it another name: ….alias(…)",
            )
        made.append(resolved)
        keys.append(col(quote_identifier(resolved.name)))
    if not made:
        return given
    forbid(scope, "partition_by")
    return replace(
        given,
        operation=n.WithColumns.of(given.operation, tuple(made)),
        partition_by=tuple(keys),
    )


def keys_of(
    where: str, argument: StaticArgument, given: TableArgument
) -> tuple[tuple[ResolvedExpression, ...], tuple[str, ...]]:
    """What a table is partitioned by, and the names of its partition columns.

    Raises:
        ValidationError: there is none, or one that Spark and Python compare in different ways.
    """
    if not argument.is_set:
        if given.partition_by is not None or given.order_by:
            raise ValidationError(
                f"{where} has row semantics, and the call partitions or orders it",
                hint="pass the table as it is: its rows have nothing to do with each other",
            )
        return (), ()
    if given.partition_by is None:
        if not argument.has(_T.OPTIONAL_PARTITION_BY):
            raise ValidationError(
                f"{where} has set semantics, and the call does not partition it",
                hint=f'write table.partition_by("key").as_argument("{argument.name}")',
            )
        return (), ()
    if not given.partition_by:
        raise ValidationError("partition_by() needs at least one column")
    schema = given.operation.schema
    scope = Scope(schema)
    keys = tuple(resolve_in(dsl.column_or(key), scope) for key in given.partition_by)
    forbid(scope, "partition_by")
    nested = argument.has(_T.SUPPORTS_NESTED_PARTITION_BY)
    for key in keys:
        check_path(where, "PARTITION BY", key, nested)
        check_key(where, key.as_summary_string(), key.type)
    names = tuple(_name(where, key, schema) for key in keys)
    return keys, names


def _name(where: str, key: ResolvedExpression, schema: Schema) -> str:
    """The name of a partition column: that of the column, or of the field.

    Tasks and SQL text know a key as a path, ``place.city``, so it must mean one thing.
    """
    path = path_of(key, schema.names)
    dotted = ".".join(path)
    if any("." in part for part in path) or (len(path) > 1 and dotted.lower() in schema.by_name):
        raise ValidationError(
            f"{where}: the key `{dotted}` is not told apart from a field of a struct",
            location=f"({', '.join(schema.names)})",
            hint="rename the column whose name has a dot: rename_columns(…)",
        )
    return path[-1]


def check_path(where: str, clause: str, key: ResolvedExpression, nested: bool) -> None:
    """Refuses what is no column, or where those are allowed no field of one.

    Raises:
        ValidationError: names the key.
    """
    inner = key
    while nested and isinstance(inner, Call) and inner.function.built_in_name == "get_field":
        inner = inner.args[0]
    if not isinstance(inner, FieldReference):
        raise ValidationError(
            f"{where}: {clause} {key.as_summary_string()} is no column",
            hint="compute it first: add_columns(….alias(name)), and name it here"
            if clause == "ORDER BY"
            else "give it a name, ….alias(name), and it becomes a column of the table",
        )


_INEXACT: tuple[type[LogicalType], ...] = (FloatType, DoubleType, MapType, VariantType)


def check_key(where: str, shown: str, type_: LogicalType) -> None:
    """Refuses a key of a type whose values Spark and Python do not tell apart in the same way.

    Raises:
        ValidationError: names the key, and what to write.
    """
    for kind in _INEXACT:
        if contains(type_, kind):
            raise ValidationError(
                f"{where}: the key {shown} is {type_.ddl}, whose values Spark and Python do not "
                "tell apart in the same way",
                hint="partition by a text or a number with a fixed scale: cast it first",
            )
    for collation in sorted(_collations(type_)):
        if collation != "UTF8_BINARY":
            raise ValidationError(
                f"{where}: the key {shown} has the collation {collation}, by which different texts "
                "are one key",
                hint="partition by lower(…) or another text with the collation UTF8_BINARY",
            )


def _collations(type_: LogicalType) -> set[str]:
    """The collations of all texts in the type."""
    found: set[str] = set()

    def look(inner: LogicalType) -> LogicalType:
        if isinstance(inner, StringType | CharType | VarcharType):
            found.add(inner.collation)
        return inner

    change_inside(type_, look)
    return found
