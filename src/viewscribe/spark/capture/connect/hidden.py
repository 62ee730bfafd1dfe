"""Filters and sorts by columns that a select left out: Spark brings them back for the moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError, ViewscribeError
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression
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
    wider: QueryOperation | None = child
    first: ViewscribeError | None = None
    while wider is not None:
        try:
            made = make(walk.reader(wider, visible=width), wider)
        except ViewscribeError as error:
            if not is_unknown_column(error):
                raise
            first = first or error
            wider = widened(wider)
            continue
        return made if wider is child else n.Project.of(made, made.schema.references[:width])
    assert first is not None
    raise first


def is_unknown_column(error: BaseException | None) -> bool:
    """Whether the error is, or was made of, one of a column that is not there."""
    while error is not None:
        if isinstance(error, UnknownColumnError):
            return True
        error = error.__cause__
    return False


def widened(operation: QueryOperation) -> QueryOperation | None:
    """The step with the columns at its end that its nearest projection left out."""
    path: list[QueryOperation] = []
    while isinstance(operation, _TRANSPARENT):
        path.append(operation)
        operation = operation.child
    shown = _shown(operation)
    if shown is None:
        return None
    below, expressions = shown
    known = {each.index for each in expressions if type(each) is FieldReference}
    lacking = tuple(ref for ref in below.schema.references if ref.index not in known)
    if not lacking:
        return None
    wider: QueryOperation = n.Project.of(below, (*expressions, *lacking))
    for step in reversed(path):
        wider = step.copy_with({"child": wider})
    return wider


def _shown(
    operation: QueryOperation,
) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """What a projection reads, and the columns it makes of it."""
    if isinstance(operation, n.Project):
        return operation.child, operation.expressions
    if not isinstance(operation, n.WithColumns):
        return None
    columns: list[ResolvedExpression] = [*operation.child.schema.references]
    for place, column in zip(operation.places(), operation.columns, strict=True):
        columns[place : place + 1] = [column]
    return operation.child, tuple(columns)
