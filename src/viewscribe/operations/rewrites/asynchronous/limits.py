"""The rules for LIMIT and ORDER BY: rows are counted and sorted before calls are made for them."""

from __future__ import annotations

from viewscribe.expressions.nodes import SortOrder
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.conditions import below_projection
from viewscribe.operations.rewrites.asynchronous.finding import (
    holds_async,
    is_async_step,
    own_expressions,
)


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


def push_sort(operation: QueryOperation) -> QueryOperation:
    """ORDER BY goes below a projection with calls where it does not need what they give.

    Spark reads all that it sorts twice, first a sample of it to find the ranges: calls, too.
    """
    assert isinstance(operation, n.Sort)
    if operation.within_partitions:
        return operation
    projections, keys, below = _pass_projections(operation.child, operation)
    if not projections:
        return operation
    made: QueryOperation = n.Sort.of(below, keys)
    for projection in reversed(projections):
        made = projection.with_children([made, *own_expressions(projection)])
    return made


def shuffled(operation: n.Sort) -> n.Sort:
    """The sort with what it reads shuffled first, so that no call is made again for the sample."""
    hint = n.Hint.of(operation.child, "REPARTITION")
    made = operation.with_children([hint, *own_expressions(operation)])
    assert isinstance(made, n.Sort)
    return made


def is_sampled(operation: QueryOperation) -> bool:
    """Whether Spark makes the calls below a sort twice: for nothing keeps their results."""
    if not isinstance(operation, n.Sort) or operation.within_partitions:
        return False
    left: list[QueryOperation] = [operation.child]
    while left:
        node = left.pop()
        if is_async_step(node):
            return True
        if not isinstance(node, n.Aggregate | n.Distinct | n.Sort | n.Limit):
            left += node.inputs()
    return False


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
