"""A window of time that is only there to group by it is a key of the groups, as SQL writes it."""

from __future__ import annotations

from viewscribe.expressions.node import Node, holds
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.properties import references_of
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes, rewrite


def with_windows_as_keys(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree without the steps that compute a window of time for the groups right above."""
    if not holds(root, n.TimeWindow):
        return root

    def change(before: Node, node: Node) -> Node:
        if not isinstance(node, n.Aggregate):
            return node
        grouped = _over_rows(node)
        if notes is not None and grouped is not node:
            assert isinstance(before, n.Aggregate)
            notes.join(node.child, before, grouped)
        return grouped

    return rewrite(root, change, notes)


def _over_rows(groups: n.Aggregate) -> n.Aggregate:
    """The groups over the input of the window; as they are where the window is more than a key."""
    windowed = groups.child
    if type(windowed) is not n.TimeWindow or groups.grouping is not n.Grouping.SIMPLE:
        return groups
    last = len(windowed.schema) - 1
    keys: list[ResolvedExpression] = []
    for key in groups.keys:
        inner = strip_alias(key)
        if isinstance(inner, FieldReference) and inner.index == last:
            keys.append(alias(windowed.call, n.output_name(key)))
        else:
            keys.append(key)
    changed = [new for new, old in zip(keys, groups.keys, strict=True) if new is not old]
    kept = [each for each in (*keys, *groups.aggregates) if each not in changed]
    if len(changed) != 1 or any(last in references_of(each).columns for each in kept):
        return groups
    return n.Aggregate.of(windowed.child, tuple(keys), groups.aggregates)
