"""Where rows stand: the parts of a tree of which something reads the order or the partitions.

There the steps are taken as they are written: another order of the inputs of a join, of its
conditions or of the keys of groups, or a hint, puts the rows elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.node import Node, find, is_query, postorder
from viewscribe.expressions.nodes import AggregateCall, Over
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.sorted_rows import is_sorted


def placed_parts(tree: QueryOperation) -> frozenset[int]:
    """The ids of the operations below what draws, numbers, samples, or takes the first rows."""
    return _below(tree, _reads_places)


def tied_parts(tree: QueryOperation) -> frozenset[int]:
    """The ids of the operations below what takes rows of one key in the order they stand in.

    No order of such rows is promised, and each is as good; only who asks for another division of
    the rows, by a hint, asks for another of them.
    """
    return _below(tree, _breaks_ties)


def _below(tree: QueryOperation, reads: Callable[[QueryOperation], bool]) -> frozenset[int]:
    found: set[int] = set()
    pending: list[Node] = [
        child
        for node in postorder(tree)
        if isinstance(node, QueryOperation) and reads(node)
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


def _breaks_ties(node: QueryOperation) -> bool:
    if isinstance(node, n.Limit | n.Offset):
        return True
    return any(
        _has_ties(found)
        for each in node.children()
        if not each.is_query
        for found in find(each, AggregateCall, Over, skip=is_query)
    )


def _has_ties(node: Node) -> bool:
    """Whether a value depends on the order of rows whose keys are equal."""
    if isinstance(node, Over):
        by_rows = node.frame is not None and node.frame.unit == "ROWS"
        return by_rows or node.call.function.built_in_name not in _SAME_FOR_PEERS
    assert isinstance(node, AggregateCall)
    return bool(node.order_by) or node.function.built_in_name in _BY_ANOTHER


_SAME_FOR_PEERS = frozenset(
    (
        *("rank", "dense_rank", "percent_rank", "cume_dist", "count", "min", "max", "count_if"),
        *("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"),
    )
)
"""What gives one value for all rows of one key, over a frame that is no number of rows."""
_BY_ANOTHER = frozenset(
    ("max_by", "min_by", "approx_percentile", "percentile_approx", "mode", "listagg", "string_agg")
)


def picks_any_row(expression: Node) -> bool:
    """Whether an aggregate in it depends on an order of rows that it does not name."""
    return any(
        call.function.picks_any_row and not call.order_by
        for call in find(expression, AggregateCall, skip=is_query)
    )
