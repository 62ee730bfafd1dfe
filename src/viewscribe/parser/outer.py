"""Columns of the rows around sub-queries, where those rows change."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import OuterReference, ResolvedExpression


def with_outer_columns(
    expression: ResolvedExpression, place: Callable[[OuterReference], int]
) -> ResolvedExpression:
    """The expression whose sub-queries use the columns around it at other places.

    Args:
        expression: over the new rows already, but for its sub-queries.
        place: the new place of a column around the expression.
    """
    made = _moved(expression, 0, place, {})
    assert isinstance(made, ResolvedExpression)
    return made


def _moved(
    node: Node,
    inside: int,
    place: Callable[[OuterReference], int],
    done: dict[tuple[int, int], Node],
) -> Node:
    known = done.get((id(node), inside))
    if known is not None:
        return known
    if type(node) is OuterReference:
        if node.level != inside:
            return node
        return OuterReference(node.level, place(node), node.name, node.type)
    inner = [getattr(node, name) for name in node.inner_fields]
    children = node.children()
    made = [
        _moved(child, inside + any(child is each for each in inner), place, done)
        for child in children
    ]
    if all(new is old for new, old in zip(made, children, strict=True)):
        found = node
    else:
        found = node.with_children(made)
    done[id(node), inside] = found
    return found
