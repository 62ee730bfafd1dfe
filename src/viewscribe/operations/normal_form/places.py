"""Where rows stand: the parts of a tree of which something reads the order or the partitions.

There the steps are taken as they are written: another order of the inputs of a join, of its
conditions or of the keys of groups, or a hint, puts the rows elsewhere.
"""

from __future__ import annotations

from viewscribe.expressions.node import Node, find, is_query, postorder
from viewscribe.expressions.nodes import AggregateCall
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.sorted_rows import is_sorted


def placed_parts(tree: QueryOperation) -> frozenset[int]:
    """The ids of the operations below what draws, numbers, samples, or takes the first rows."""
    found: set[int] = set()
    pending: list[Node] = [
        child
        for node in postorder(tree)
        if isinstance(node, QueryOperation) and _reads_places(node)
        for child in node.children()
    ]
    while pending:
        node = pending.pop()
        if id(node) not in found:
            found.add(id(node))
            pending += node.children()
    return frozenset(found)


def _reads_places(node: QueryOperation) -> bool:
    if isinstance(node, n.Sample | n.Process):
        return True
    if isinstance(node, n.Limit | n.Offset):
        return not is_sorted(node)
    return any(
        not is_deterministic(each) or picks_any_row(each)
        for each in node.children()
        if not each.is_query
    )


def picks_any_row(expression: Node) -> bool:
    """Whether an aggregate in it depends on an order of rows that it does not name."""
    return any(
        call.function.picks_any_row and not call.order_by
        for call in find(expression, AggregateCall, skip=is_query)
    )
