"""Unpivot, a schema to fit, table functions, and what leaves the rows as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import resolve, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.calls import no_function
from viewscribe.spark.capture.connect.known_names import is_column
from viewscribe.spark.capture.connect.types import logical_type
from viewscribe.types import ArrayType, Field, LogicalType, MapType, StructType
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


def _unpivot(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    reader = walk.reader(child)
    ids = _columns(reader, message.ids)
    if message.HasField("values"):
        values = _columns(reader, message.values.values)
    else:
        taken = {_place(each) for each in ids}
        values = [ref for ref in child.schema.references if ref.index not in taken]
    named = (*ids, *values)
    places = [_place(each) for each in named]
    repeated = len(set(places)) < len(places)
    first = places[: len(ids)]
    as_they_are = first == sorted(first) and not any(type(each) is Alias for each in named)
    if repeated or not as_they_are or len(places) < len(child.schema):
        child = n.Project.of(child, named)
        start = len(ids)
        values = [child.schema.reference(start + place) for place in range(len(values))]
    return build.unpivot(
        child,
        values,
        message.variable_column_name,
        message.value_column_name,
        include_nulls=True,
    )


def _columns(reader: Reader, messages: Any) -> list[Any]:
    """The columns under the names that they were asked for by, which the rows then show."""
    found = reader.read_all(messages)
    if not all(is_column(each) for each in found):
        raise CaptureError("unpivot() by an expression", hint="add it with withColumn() first")
    return [alias(each.resolved, reader.spelling.output_name(each)) for each in found]


def _place(column: ResolvedExpression) -> int:
    reference = strip_alias(column)
    assert isinstance(reference, FieldReference)
    return reference.index


def _to_schema(walk: Walk, message: Any) -> QueryOperation:
    """The columns of a schema in its order; what is not there is NULL."""
    child = walk.input(message.input)
    wanted = logical_type(message.schema)
    assert isinstance(wanted, StructType)
    expressions = []
    for field in wanted.fields:
        place = child.schema.by_name.get(field.name.lower())
        if place is None:
            expressions.append(_null(field))
            continue
        reference = child.schema.reference(child.schema.find(field.name))
        if not _same(reference.type, field.type):
            expressions.append(_store(walk, child.schema, reference, field))
        else:
            expressions.append(Alias(reference, field.name, reference.type))
    return n.Project.of(child, tuple(expressions))


def _store(walk: Walk, schema: Schema, reference: FieldReference, field: Field) -> Any:
    """The column as one of another type: with ANSI a cast fails for what does not fit, as it does.

    Of structs, arrays and maps the parts are matched by name, which a cast does not do.
    """
    ansi = walk.sources.setting("spark.sql.ansi.enabled") in (None, "true")
    nested = isinstance(reference.type, StructType | ArrayType | MapType)
    if nested or not ansi:
        raise CaptureError(
            f"to() makes {field.type.ddl} of `{field.name}`, which is {reference.type.ddl}",
            hint="cast the column first",
        )
    made = ValueExpression(reference).cast(field.type.as_nullable())
    return alias(resolve(made, schema), field.name)


def _same(one: LogicalType, other: LogicalType) -> bool:
    return deeply_nullable(one) == deeply_nullable(other)


def _null(field: Field) -> Any:
    if not field.type.nullable:
        raise CaptureError(f"to() needs `{field.name}`, which is NOT NULL and not there")
    value = literal(None, field.type)
    return Alias(value, field.name, value.type)


def _function(walk: Walk, message: Any) -> QueryOperation:
    """A function that is a table; a generator is one over a single row."""
    definition = find_built_in(message.function_name)
    if definition is None:
        raise no_function(message.function_name)
    nothing = n.Values.of((), ())
    args = walk.reader(nothing).read_all(message.arguments)
    if definition.kind is FunctionKind.TABLE:
        return build.table_function(definition, [_constant(arg) for arg in args])
    if definition.kind is not FunctionKind.GENERATOR:
        raise CaptureError(f"`{message.function_name}` does not make a table")
    one_row = n.OneRow.of()
    call = walk.reader(one_row).call(message.function_name, args)
    return build.generate(one_row, call)


def _constant(arg: Any) -> Any:
    resolved = resolve_in(arg, Resolution(Schema(())))
    return resolved.value if isinstance(resolved, Literal) else arg


def _as_it_is(walk: Walk, message: Any) -> QueryOperation:
    """What is observed or kept of a run is no part of the rows."""
    return walk.input(message.input)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "unpivot": _unpivot,
    "to_schema": _to_schema,
    "unresolved_table_valued_function": _function,
    "collect_metrics": _as_it_is,
    "with_watermark": _as_it_is,
}
