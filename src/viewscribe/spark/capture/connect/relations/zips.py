"""``zip``: the columns of two DataFrames side by side, which are projections of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

Items = Sequence[ResolvedExpression]


def _zip(walk: Walk, message: Any) -> QueryOperation:
    left, right = walk.input(message.left), walk.input(message.right)
    below, items = _over_source(left)
    other, further = _over_source(right)
    if below is not other and below != other:
        raise CaptureError(
            "zip() of DataFrames that are not made by select() and its kin of one and the same",
            hint="join them by a key: SQL has no rows side by side by their order",
        )
    return n.Project.of(below, (*items, *further))


def _over_source(operation: QueryOperation) -> tuple[QueryOperation, list[ResolvedExpression]]:
    """What lies below all projections, and the columns over it."""
    items: list[ResolvedExpression] = list(operation.schema.references)
    while isinstance(operation, n.Project | n.WithColumns):
        outputs = [strip_alias(each) for each in _outputs(operation)]
        if any(is_special(each) for each in outputs):
            raise CaptureError(
                "zip() over a column of chance, a window or a sub-query",
                hint="add the column to one DataFrame with withColumn()",
            )
        items = [_move_item(item, outputs) for item in items]
        operation = operation.child
    return operation, items


def _outputs(operation: n.Project | n.WithColumns) -> Items:
    if isinstance(operation, n.Project):
        return operation.expressions
    columns: list[ResolvedExpression] = [*operation.child.schema.references]
    for place, column in zip(operation.places(), operation.columns, strict=True):
        columns[place : place + 1] = [column]
    return columns


def _move_item(item: ResolvedExpression, outputs: Items) -> ResolvedExpression:
    """The item over what the projection reads, under its name."""

    def step(node: Node) -> Node:
        return outputs[node.index] if type(node) is FieldReference else node

    made = replace(strip_alias(item), step)
    assert isinstance(made, ResolvedExpression)
    return alias(made, n.output_name(item))


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"zip": _zip}
