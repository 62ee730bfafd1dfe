"""Which output columns of an operation are one and the same attribute to Spark.

Spark gives each column that an expression makes an id, and passes it on: after ``SELECT a, * FROM
t`` both columns ``a`` have one id, so the name ``a`` is not ambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import ColumnOrigin, QueryOperation
from viewscribe.operations.nodes import Values

Attribute = tuple[tuple[int, ...], int, int]
"""The sides of joins on the way down, the operation that makes a column, and its place there."""


def attribute(operation: QueryOperation, index: int) -> Attribute:
    """Returns what identifies an output column: columns of one attribute are the same to Spark.

    The sides of joins are a part of it, since Spark tells the columns of an operation that is
    joined to itself apart.
    """
    return attributes(operation, (index,))[0]


def attributes(operation: QueryOperation, places: Sequence[int]) -> list[Attribute]:
    """As ``attribute``, of several columns: what lies below several of them is looked at once."""
    origins: dict[int, Sequence[ColumnOrigin | None]] = {}
    found: dict[tuple[int, int], Attribute] = {}
    return [_attribute(operation, place, origins, found) for place in places]


def _attribute(
    operation: QueryOperation,
    index: int,
    origins: dict[int, Sequence[ColumnOrigin | None]],
    found: dict[tuple[int, int], Attribute],
) -> Attribute:
    above: list[tuple[tuple[int, int], tuple[int, ...]]] = []
    while (at := (id(operation), index)) not in found:
        known = origins.get(at[0])
        if known is None:
            known = origins[at[0]] = operation.column_origins()
        below = known[index] if index < len(known) else None
        if below is None:
            found[at] = (), id(operation), index
            break
        above.append((at, (below.number,) if len(operation.input_fields) > 1 else ()))
        operation, index = operation.inputs()[below.number], below.place
    sides, maker, place = found[at]
    for over, side in reversed(above):
        sides = side + sides
        found[over] = sides, maker, place
    return sides, maker, place


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
    return len(set(attributes(operation, places))) == 1
