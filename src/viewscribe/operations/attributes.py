"""Which output columns of an operation are one and the same attribute to Spark.

Spark gives each column that an expression makes an id, and passes it on: after ``SELECT a, * FROM
t`` both columns ``a`` have one id, so the name ``a`` is not ambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Values

Attribute = tuple[tuple[int, ...], int, int]
"""The sides of joins on the way down, the operation that makes a column, and its place there."""


def attribute(operation: QueryOperation, index: int) -> Attribute:
    """Returns what identifies an output column: columns of one attribute are the same to Spark.

    The sides of joins are a part of it, since Spark tells the columns of an operation that is
    joined to itself apart.
    """
    sides: list[int] = []
    while True:
        origins = operation.column_origins()
        below = origins[index] if index < len(origins) else None
        if below is None:
            return tuple(sides), id(operation), index
        if len(operation.input_fields) > 1:
            sides.append(below.number)
        operation, index = operation.inputs()[below.number], below.place


def find_expression(operation: QueryOperation, index: int) -> ResolvedExpression | None:
    """Returns what an output column is computed as, under whatever names; None for no expression.

    Its references are to the input of the operation that computes it.
    """
    while True:
        origins = operation.column_origins()
        below = origins[index] if index < len(origins) else None
        if below is not None:
            operation, index = operation.inputs()[below.number], below.place
            continue
        made = operation.column_expressions()
        if isinstance(operation, Values):
            return operation.values[index] if index < len(operation.values) else None
        found = strip_alias(made[index]) if index < len(made) else None
        if not isinstance(found, FieldReference):
            return found
        operation, index = operation.inputs()[0], found.index


def find_attribute(
    schema: Schema, parts: Sequence[str], operation: QueryOperation | None
) -> tuple[int, Sequence[str]]:
    """Resolves a dotted name, which several columns may have if they are one attribute.

    Args:
        schema: the columns, at the places that they have in the operation.
        parts: the parts of the name.
        operation: the operation that gives the columns, if it is known.

    Returns:
        The position of the first such column, and the remaining parts of the name (struct fields).

    Raises:
        UnknownColumnError, AmbiguousColumnError: no column has the name, or different ones have it.
    """
    places, fields = schema.find_places(parts)
    if len(places) > 1 and not _is_one(places, operation):
        raise schema.ambiguous(".".join(parts[: len(parts) - len(fields)]))
    return places[0], fields


def _is_one(places: Sequence[int], operation: QueryOperation | None) -> bool:
    if operation is None:
        return False
    return len({attribute(operation, place) for place in places}) == 1
