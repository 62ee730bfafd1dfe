"""The rule for LIMIT: rows are counted before calls are made for them, where that is the same."""

from __future__ import annotations

from viewscribe.expressions.nodes import SortOrder
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.conditions import below_projection
from viewscribe.operations.rewrites.asynchronous.finding import holds_async, own_expressions


def push_limit(operation: QueryOperation) -> QueryOperation:
    """LIMIT and OFFSET, and the sort that they count in, go below a projection with calls.

    A projection gives a row for a row, so the same rows are left. A sort stays where it needs what
    a call gives.
    """
    assert isinstance(operation, n.Limit | n.Offset)
    counted = [operation]
    node = operation.child
    while isinstance(node, n.Limit | n.Offset):
        counted.append(node)
        node = node.child
    sort = node if isinstance(node, n.Sort) and not node.within_partitions else None
    projections, keys, below = _pass_projections(node if sort is None else sort.child, sort)
    if not projections:
        return operation
    made = below if sort is None else n.Sort.of(below, keys)
    for each in reversed(counted):
        made = each.with_children([made])
    for projection in reversed(projections):
        made = projection.with_children([made, *own_expressions(projection)])
    return made


Keys = tuple[SortOrder, ...]


def _pass_projections(
    node: QueryOperation, sort: n.Sort | None
) -> tuple[list[QueryOperation], Keys, QueryOperation]:
    """The projections down to the last one with calls, the keys below it, and what it reads."""
    keys: Keys = () if sort is None else sort.keys
    steps: list[QueryOperation] = []
    found: tuple[list[QueryOperation], Keys, QueryOperation] = ([], keys, node)
    while isinstance(node, n.Project | n.WithColumns | n.SubqueryAlias):
        if not isinstance(node, n.SubqueryAlias):
            lowered = [below_projection(key.child, node) for key in keys]
            if any(each is None for each in lowered) or any(map(is_special, own_expressions(node))):
                break
            keys = tuple(
                key.copy_with({"child": each, "type": each.type})
                for key, each in zip(keys, lowered, strict=True)
                if each is not None
            )
        steps.append(node)
        calling = any(map(holds_async, own_expressions(node)))
        node = node.child
        if calling:
            found = (list(steps), keys, node)
    return found
