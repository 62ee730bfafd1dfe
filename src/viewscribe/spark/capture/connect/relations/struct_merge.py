"""Structs of two sides of ``unionByName()``, whose fields go by name too.

Spark (``ResolveUnion``) gives the right side the fields of the left one in its order, NULL for
those that are missing, its own others at the end; and then the left side the fields of the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import SetOperation

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import ItemExpression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, alias
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.qualifiers import with_qualifiers
from viewscribe.types import Field, LogicalType, StructType
from viewscribe.types.nested_types import change_inside, contains

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def merge(
    left: QueryOperation, right: QueryOperation, *, allow_missing: bool
) -> tuple[QueryOperation, QueryOperation]:
    """Both sides, structs with the fields of both.

    Args:
        left: one side, whose fields come first.
        right: the other.
        allow_missing: whether a struct may lack fields; else only their order changes.

    Raises:
        CaptureError: structs in arrays or maps differ in their fields.
    """
    if not allow_missing:
        return left, _with_fields_of(right, left.schema, _has_fields_of)
    right = _with_fields_of(right, left.schema, _is_other_struct)
    return _with_fields_of(left, right.schema, _is_other_struct), right


def _with_fields_of(
    child: QueryOperation, other: Schema, changes: Callable[[LogicalType, LogicalType], bool]
) -> QueryOperation:
    made: dict[int, Any] = {}
    for reference, target in _pairs(child.schema, other):
        if changes(reference.type, target):
            made[reference.index] = _merge(ValueExpression(reference), target, child.schema)
    if not made:
        return child
    columns = [
        alias(resolve(made[ref.index], child.schema), ref.name) if ref.index in made else ref
        for ref in child.schema.references
    ]
    return n.Project.of(child, tuple(columns))


def _pairs(schema: Schema, other: Schema) -> Iterator[tuple[FieldReference, LogicalType]]:
    for reference in schema.references:
        if reference.name.lower() in other.by_name:
            yield reference, other[other.find(reference.name)].type


def _is_other_struct(type_: LogicalType, target: LogicalType) -> bool:
    """Whether both are structs that have not the same fields in the same order."""
    if isinstance(type_, StructType) and isinstance(target, StructType):
        return not _same(type_, target)
    if contains(type_, StructType) and contains(target, StructType) and not _same(type_, target):
        raise CaptureError(
            f"unionByName() of {type_.ddl} and {target.ddl}, whose structs have other fields",
            hint="make the fields the same with transform() first",
        )
    return False


def _has_fields_of(type_: LogicalType, target: LogicalType) -> bool:
    """Whether both are structs of the same fields in another order, at any depth."""
    if not (isinstance(type_, StructType) and isinstance(target, StructType)):
        return False
    return not _same(type_, target) and _same(_sort(type_), _sort(target))


def _sort(type_: StructType) -> LogicalType:
    def by_name(inner: LogicalType) -> LogicalType:
        if not isinstance(inner, StructType):
            return inner
        return StructType(fields=tuple(sorted(inner.fields, key=lambda each: each.name.lower())))

    return change_inside(type_, by_name)


def _same(one: LogicalType, other: LogicalType) -> bool:
    return change_inside(one, _fold) == change_inside(other, _fold)


def _fold(type_: LogicalType) -> LogicalType:
    """The type as types are compared: names in lower case, and whatever may be NULL."""
    if not isinstance(type_, StructType):
        return type_.as_nullable()
    return StructType(fields=tuple(Field(field.name.lower(), field.type) for field in type_.fields))


def _merge(value: Any, target: LogicalType, schema: Schema) -> Any:
    resolved = resolve(value, schema)
    type_, known = resolved.type, ValueExpression(resolved)
    assert isinstance(type_, StructType)
    assert isinstance(target, StructType)
    own = {field.name.lower(): field for field in type_.fields}
    parts: list[Any] = []
    for wanted in target.fields:
        there = own.pop(wanted.name.lower(), None)
        if there is None:
            parts += [wanted.name, literal(None, wanted.type.as_nullable())]
            continue
        item: Any = ItemExpression(known, literal(there.name))
        if _is_other_struct(there.type, wanted.type):
            item = _merge(item, wanted.type, schema)
        parts += [wanted.name, item]
    for field in own.values():
        parts += [field.name, ItemExpression(known, literal(field.name))]
    made = function_call(built_in("named_struct"), parts)
    if not type_.nullable:
        return made
    return function_call(built_in("if"), (known.is_null(), None, made))


# Set operations, by position and by name.

_KINDS = {
    SetOperation.SET_OP_TYPE_UNION: n.SetKind.UNION,
    SetOperation.SET_OP_TYPE_INTERSECT: n.SetKind.INTERSECT,
    SetOperation.SET_OP_TYPE_EXCEPT: n.SetKind.EXCEPT,
}


def _set_operation(walk: Walk, message: Any) -> QueryOperation:
    left, right = walk.input(message.left_input), walk.input(message.right_input)
    kind = _KINDS[message.set_op_type]
    every = message.is_all if message.HasField("is_all") else False
    if not message.by_name:
        both = build.set_operation(left, right, kind, every)
        return with_qualifiers(both, left.schema.qualifiers)
    if kind is not n.SetKind.UNION:
        raise CaptureError(f"{kind.value} by name", hint="select the columns in one order first")
    left, right = merge(left, right, allow_missing=message.allow_missing_columns)
    made = build.union_by_name(left, right, allow_missing=message.allow_missing_columns)
    made = with_qualifiers(made, left.schema.qualifiers)
    return made if every else build.distinct(made)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"set_op": _set_operation}
