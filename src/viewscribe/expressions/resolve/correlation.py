"""Finds the columns of an outer row that Spark would lose rows over."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.node import Node
from viewscribe.expressions.properties import outer_references, refers_outside
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.schema import Schema


def refuse_outer(scope: Scope, place: str) -> None:
    """Refuses columns of the row around that the scope met where Spark has none."""
    if scope.outer is not None:
        raise ValidationError(
            f"`{scope.outer}` of the row around the sub-query cannot stand in {place}",
            hint="use it in filter(…), or in a column that add_columns(…) makes first",
        )


def refuse_columns_around_limits(query: Any, outer: Schema) -> None:
    """Refuses an outer column above a LIMIT or OFFSET that counts the rows of another one.

    Spark 4.3 counts the rows for each value of the outer columns below the LIMIT, but has them once
    for each value of the one above: most outer rows lose theirs.

    Args:
        query: the operation of a sub-query or lateral join.
        outer: the columns of the row around.

    Raises:
        ValidationError: names the column, and what to do.
    """
    if not refers_outside(query):
        return
    seen: set[tuple[int, frozenset[int]]] = set()
    stack: list[tuple[Any, frozenset[int]]] = [(query, frozenset())]
    while stack:
        operation, above = stack.pop()
        if (id(operation), above) in seen:
            continue
        seen.add((id(operation), above))
        below = _columns_of(operation) if operation.counts_rows else frozenset()
        if below and above - below:
            raise _refused(outer.fields[min(above - below)].name)
        inputs = operation.inputs()
        for child in operation.children():
            if not any(child is each for each in inputs):
                above |= _columns_of(child)
        inner = [getattr(operation, name) for name in operation.inner_fields]
        stack += [(each, above) for each in inputs if not any(each is node for node in inner)]


def _columns_of(node: Node) -> frozenset[int]:
    return frozenset(index for level, index in outer_references(node) if level == 1)


def _refused(name: str) -> ValidationError:
    return ValidationError(
        f"a sub-query uses `{name}` of the row around it above a limit that counts rows for "
        "other columns of that row: Spark 4.3 would lose rows",
        hint=f"use it before the limit: select or filter first, or keep it as a column, as in "
        f'add_columns(outer("{name}").alias("outer_{name}"))',
    )
