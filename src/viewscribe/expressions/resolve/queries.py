"""Resolves sub-queries and their outer references."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, cast

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import (
    Exists,
    FieldReference,
    InSubquery,
    OuterReference,
    ResolvedExpression,
    ScalarSubquery,
)
from viewscribe.expressions.resolve.correlation import refuse_columns_around_limits
from viewscribe.expressions.resolve.scope import Scope, outer_scopes
from viewscribe.expressions.resolve.walk import resolve, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.types import BOOLEAN
from viewscribe.types.coercion import is_comparable
from viewscribe.types.nested_types import value_type


def resolve_query(expression: dsl.QueryExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a scalar, EXISTS or IN sub-query."""
    scope.subqueries = True
    query = evaluate_query(expression.query, scope.schema)
    fields = query.schema.fields
    if expression.kind == "exists":
        return Exists(query)
    if expression.kind == "scalar":
        if len(fields) != 1:
            raise ValidationError(f"a scalar sub-query has one column, not {len(fields)}")
        return ScalarSubquery(query, value_type(fields[0].type).as_nullable())
    operands = tuple(resolve_in(item, scope) for item in expression.operands)
    if len(operands) != len(fields):
        raise ValidationError(f"{len(operands)} operands IN a query of {len(fields)} columns")
    for item, field in zip(operands, fields, strict=True):
        if not is_comparable(item.type, field.type):
            raise TypeMismatchError(f"{item.type.ddl} and {field.type.ddl} cannot be compared")
    nullable = any(item.type.nullable for item in operands) or any(f.nullable for f in fields)
    return InSubquery(operands, query, BOOLEAN.with_nullability(nullable))


def resolve_outer(expression: dsl.OuterExpression, scope: Scope) -> ResolvedExpression:
    """Resolves an outer reference to the number of queries out and the column's position."""
    scopes = outer_scopes.get()
    level = len(scopes) - expression.depth
    if level < 1:
        raise ValidationError(
            "a column of an enclosing query was used outside of its sub-query",
            hint="use outer(…) only inside the function that exists(), scalar() or a lateral "
            "join was given",
        )
    found = resolve(expression.column, scopes[expression.depth])
    scope.outer = found.as_summary_string()

    def outwards(node: Node) -> Node:
        if isinstance(node, FieldReference):
            return OuterReference(level, node.index, node.name, node.type)
        return node

    return cast(ResolvedExpression, replace(found, outwards))


class OuterColumns:
    """The columns of an enclosing row: ``outer("name")`` or ``outer["name"]``."""

    __slots__ = ("_depth",)

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def __call__(self, name: str) -> dsl.Expression:
        return dsl.OuterExpression(dsl.column(name), self._depth)

    __getitem__ = __call__


TAKE_TABLE: ContextVar[Callable[[Any], Any] | None] = ContextVar("take_table", default=None)
"""What gives the operation of another table, or refuses the table, for the step being built."""


def _operation_of(table: Any) -> Any:
    take = TAKE_TABLE.get()
    return table.operation if take is None else take(table)


def evaluate_query(query: object, outer: Schema) -> Any:
    """Builds the operation of a sub-query, which may refer to the columns of ``outer``.

    ``query`` is a table, or a function from ``OuterColumns`` to a table.
    """
    if hasattr(query, "operation"):
        return _operation_of(query)
    if not callable(query):
        raise ValidationError(f"a sub-query is a table or a function that gives one, not {query!r}")
    scopes = outer_scopes.get()
    token = outer_scopes.set((*scopes, outer))
    try:
        found = query(OuterColumns(len(scopes)))
    finally:
        outer_scopes.reset(token)
    if not hasattr(found, "operation"):
        raise ValidationError(f"the function of a sub-query gave {found!r}, not a table")
    refuse_columns_around_limits(found.operation, outer)
    return _operation_of(found)
