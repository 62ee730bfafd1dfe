"""Filters and sorts by columns that a select left out: Spark brings them back for the moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError
from viewscribe.expressions.nodes import FieldReference
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk

_TRANSPARENT = (n.Filter, n.Sort, n.Limit, n.Offset, n.Hint, n.Sample)


def over_hidden(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the input with the columns it left out.

    Raises:
        UnknownColumnError: no step below has the column.
    """
    width = len(child.schema)
    try:
        return make(walk.reader(child), child)
    except UnknownColumnError as error:
        wider = widened(child)
        while wider is not None:
            try:
                made = make(walk.reader(wider, visible=width), wider)
            except UnknownColumnError:
                wider = widened(wider)
                continue
            return n.Project.of(made, made.schema.references[:width])
        raise error


def widened(operation: QueryOperation) -> QueryOperation | None:
    """The step with the columns at its end that its nearest projection left out."""
    path: list[QueryOperation] = []
    while isinstance(operation, _TRANSPARENT):
        path.append(operation)
        operation = operation.child
    if not isinstance(operation, n.Project):
        return None
    before = operation.child.schema.references
    shown = {
        expression.index
        for expression in operation.expressions
        if type(expression) is FieldReference
    }
    lacking = tuple(ref for ref in before if ref.index not in shown)
    if not lacking:
        return None
    wider: QueryOperation = n.Project.of(operation.child, (*operation.expressions, *lacking))
    for step in reversed(path):
        wider = step.copy_with({"child": wider})
    return wider
