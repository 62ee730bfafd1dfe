"""Whether the rows of a tree are in an order."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation


def is_sorted(operation: QueryOperation) -> bool:
    """Whether the rows are in an order that somebody gave them."""
    node = operation
    while keeps_order(node):
        (node,) = node.inputs()
    return isinstance(node, n.Sort) and not node.within_partitions


def keeps_order(node: QueryOperation) -> bool:
    """Whether it surely gives rows in the order of its input: a hint may deal them out anew."""
    unsure = node.mixes_rows or isinstance(node, n.Sort | n.Hint | n.Sample)
    return len(node.input_fields) == 1 and not unsure
