"""Grouping operations: aggregates and pivots."""

from __future__ import annotations

from typing import ClassVar, Self

from viewscribe.expressions.nodes import (
    FieldReference,
    Literal,
    ResolvedExpression,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Clause, Grouping
from viewscribe.operations.schemas import (
    output_name,
    pivoted_types,
    project_schema,
)
from viewscribe.types import Field


class Aggregate(QueryOperation, frozen=True, eq=False):
    """Groups rows with equal keys. Outputs the keys, then the aggregates.

    ``sets`` holds, for GROUPING SETS, the positions of the keys of each set.
    """

    child: QueryOperation
    keys: tuple[ResolvedExpression, ...]
    aggregates: tuple[ResolvedExpression, ...]
    grouping: Grouping
    sets: tuple[tuple[int, ...], ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys", "aggregates")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.GROUP_BY
    mixes_rows: ClassVar[bool] = True
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        keys: tuple[ResolvedExpression, ...],
        aggregates: tuple[ResolvedExpression, ...],
        grouping: Grouping = Grouping.SIMPLE,
        sets: tuple[tuple[int, ...], ...] = (),
    ) -> Self:
        schema = project_schema(child.schema, (*keys, *aggregates))
        if grouping is not Grouping.SIMPLE:
            everywhere = set.intersection(*map(set, sets)) if sets else set()
            fields = [
                Field(field.name, field.type.as_nullable())
                if place < len(keys) and place not in everywhere
                else field
                for place, field in enumerate(schema.fields)
            ]
            schema = Schema(fields, schema.qualifiers)
        return cls(child, keys, aggregates, grouping, sets, schema)

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        return (*self.keys, *self.aggregates)


class Pivot(QueryOperation, frozen=True, eq=False):
    """Groups by ``keys`` with, for each value of ``column``, the aggregates over its rows.

    Output: the keys, then for each value each aggregate, named after the value, and after the
    aggregate too where there are several.
    """

    child: QueryOperation
    keys: tuple[FieldReference, ...]
    column: FieldReference
    values: tuple[Literal, ...]
    value_names: tuple[str, ...]
    aggregates: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys", "column", "values", "aggregates")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    mixes_rows: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        keys: tuple[FieldReference, ...],
        column: FieldReference,
        values: tuple[Literal, ...],
        value_names: tuple[str, ...],
        aggregates: tuple[ResolvedExpression, ...],
    ) -> Self:
        fields = [Field(key.name, key.type) for key in keys]
        types = pivoted_types(aggregates)
        for name in value_names:
            for aggregate, type_ in zip(aggregates, types, strict=True):
                full = f"{name}_{output_name(aggregate)}" if len(aggregates) > 1 else name
                fields.append(Field(full, type_))
        return cls(child, keys, column, values, value_names, aggregates, Schema(fields))
