"""Derives the schema of each operation from those of its inputs."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations.kinds import JoinKind, SetKind
from viewscribe.types import (
    STRING,
    ArrayType,
    BooleanType,
    CharType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StructType,
    VarcharType,
)
from viewscribe.types.casts import cast_introduces_null
from viewscribe.types.coercion import common_type_of, merged_type_of
from viewscribe.types.widening import value

_LONGEST_NAME = 80
_NULLS_ON_LEFT = (JoinKind.RIGHT, JoinKind.FULL)
_NULLS_ON_RIGHT = (JoinKind.LEFT, JoinKind.FULL)


def output_name(expression: ResolvedExpression) -> str:
    """Returns the output name of an expression: its alias, its column's name, or else its text.

    The text is its SQL if that is short, close to Spark's own naming: ``price * 2``.
    """
    if type(expression) is Alias or type(expression) is FieldReference:
        return expression.name
    try:
        text = expression.as_serializable_string()
    except NotSerializableError:
        return expression.as_summary_string()
    short = len(text) <= _LONGEST_NAME and "\n" not in text
    return text if short else expression.as_summary_string()


_TAKEN_FIRST = (BooleanType, IntegralType, FloatType, DoubleType, DecimalType)


def pivoted_types(aggregates: Sequence[ResolvedExpression]) -> list[LogicalType]:
    """Returns the types of the aggregates of a pivot.

    Where all are numbers, Spark groups by the value first (``PivotFirst``), and a group may lack
    it; otherwise each aggregate is of NULLs there.
    """
    types = [strip_alias(each).type for each in aggregates]
    return [each.as_nullable() for each in types] if are_taken_first(aggregates) else types


def are_taken_first(aggregates: Sequence[ResolvedExpression]) -> bool:
    """Whether Spark computes the aggregates of a pivot for each of its values in turn."""
    return all(isinstance(strip_alias(each).type, _TAKEN_FIRST) for each in aggregates)


def project_schema(before: Schema, expressions: tuple[ResolvedExpression, ...]) -> Schema:
    """Returns the schema of a projection; plain column references keep their qualifiers."""
    known, sources = before.fields, before.qualifiers
    fields = []
    qualifiers: list[Qualifier] = []
    for expression in expressions:
        if type(expression) is FieldReference:
            fields.append(known[expression.index])
            qualifiers.append(sources[expression.index])
        else:
            fields.append(Field(output_name(expression), expression.type))
            qualifiers.append(())
    return Schema(fields, qualifiers)


def with_columns_schema(before: Schema, columns: tuple[Alias, ...]) -> Schema:
    """The input's columns, some replaced in place, others added at the end."""
    by_name = before.by_name
    if not any(column.name.lower() in by_name for column in columns):
        added = tuple([Field(column.name, column.type) for column in columns])
        return before.extended(added)
    changed, changed_qualifiers = list(before.fields), list(before.qualifiers)
    for column in columns:
        place = by_name.find_unique(column.name.lower())
        field = Field(column.name, column.type)
        if place < 0:
            changed.append(field)
            changed_qualifiers.append(())
        else:
            changed[place], changed_qualifiers[place] = field, ()
    return Schema(changed, changed_qualifiers)


def join_schema(left: Schema, right: Schema, kind: JoinKind) -> Schema:
    """Returns the columns of a join, nullable on a side that may be missing."""
    if not kind.keeps_right:
        return left
    if kind in _NULLS_ON_LEFT:
        left = _nullable(left)
    if kind in _NULLS_ON_RIGHT:
        right = _nullable(right)
    return left.extended(right.fields, right.qualifiers)


def _nullable(schema: Schema) -> Schema:
    if all(field.type.nullable for field in schema.fields):
        return schema
    fields = [Field(each.name, each.type.as_nullable(), each.comment) for each in schema.fields]
    return Schema(fields, schema.qualifiers)


def using_schema(left: Schema, right: Schema, kind: JoinKind, using: tuple[str, ...]) -> Schema:
    """Returns the schema of a USING join: the shared columns, then the others of each side."""
    order = using_columns(left, right, kind, using)
    if all(pair == (place, None) for place, pair in enumerate(order[: len(left)])):
        # The columns of the left side stay where they are: those of long chains are not copied.
        added = right if kind not in _NULLS_ON_RIGHT else _nullable(right)
        kept = [place - len(left) for place, _ in order[len(left) :]]
        return left.extended([added[p] for p in kept], [added.qualifiers[p] for p in kept])
    joined = join_schema(left, right, kind)
    fields, qualifiers = [], []
    for place, other in order:
        field = joined.fields[place]
        if other is not None:
            common = common_type_of([left.fields[place].type, joined.fields[other].type])
            field = Field(field.name, (common or field.type).as_nullable())  # as Spark says
        fields.append(field)
        qualifiers.append(joined.qualifiers[place] if other is None else ())
    return Schema(fields, qualifiers)


def using_columns(
    left: Schema, right: Schema, kind: JoinKind, using: tuple[str, ...]
) -> list[tuple[int, int | None]]:
    """Returns the output of a USING join as positions in (left, right).

    A pair (left, right) stands for the shared column of a full join, which is the left value
    coalesced with the right one.
    """
    keys_left = [left.find(name) for name in using]
    if not kind.keeps_right:
        rest = [place for place in range(len(left)) if place not in keys_left]
        return [(place, None) for place in (*keys_left, *rest)]
    keys_right = [right.find(name) + len(left) for name in using]
    order: list[tuple[int, int | None]] = []
    for on_left, on_right in zip(keys_left, keys_right, strict=True):
        if kind is JoinKind.FULL:
            order.append((on_left, on_right))
        else:
            order.append((on_right if kind is JoinKind.RIGHT else on_left, None))
    rest = [place for place in range(len(left)) if place not in keys_left]
    rest += [p for p in range(len(left), len(left) + len(right)) if p not in keys_right]
    return order + [(place, None) for place in rest]


def _merged(left: LogicalType, right: LogicalType) -> LogicalType:
    return merged_type_of([left, right]) or _merged_in_place(left, right)


def _merged_in_place(left: LogicalType, right: LogicalType) -> LogicalType:
    """Merges nullability into the left type, which is built like the right one, as Spark does."""
    merged: LogicalType = left
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        merged = ArrayType(element=_merged(left.element, right.element))
    elif isinstance(left, MapType) and isinstance(right, MapType):
        merged = MapType(key=_merged(left.key, right.key), value=_merged(left.value, right.value))
    elif (
        isinstance(left, StructType)
        and isinstance(right, StructType)
        and len(left.fields) == len(right.fields)
    ):
        fields = (
            Field(a.name, _merged(a.type, b.type))
            for a, b in zip(left.fields, right.fields, strict=True)
        )
        merged = StructType(fields=tuple(fields))
    return merged.with_nullability(left.nullable or right.nullable)


def set_schema(left: Schema, right: Schema, kind: SetKind) -> Schema:
    """Returns the columns of a set operation: the left names with the common types."""
    if kind is SetKind.UNION and left.fields == right.fields:
        return Schema(left.fields)
    fields = []
    for a, b in zip(left.fields, right.fields, strict=True):
        common = _merged(a.type, b.type)
        if kind is SetKind.UNION:
            nullable = common.nullable
        else:
            nullable = a.type.nullable or cast_introduces_null(value(a.type), common)
            if kind is SetKind.INTERSECT:
                nullable &= b.type.nullable or cast_introduces_null(value(b.type), common)
        # What needs no cast keeps its length, whatever the other side has.
        uncast = isinstance(a.type, CharType | VarcharType) and common.same_type(STRING)
        kept = a.type if uncast else common
        fields.append(Field(a.name, kept.with_nullability(nullable)))
    return Schema(fields)
