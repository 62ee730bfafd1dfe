"""Splitting expressions that nest deeper than Spark parses over several projections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from viewscribe.expressions.node import Node, fold
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    LambdaVariable,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.properties import holds, is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes, rewrite

DEPTH = 40
"""How deep an expression may nest before its inner part becomes a column of its own."""


def split_deep_expressions(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree with inner parts of too deep expressions computed by steps below.

    Only parts that are evaluated for every row anyway are moved; an expression that is too deep
    within a branch of CASE, say, stays as it is.

    Args:
        root: the tree.
        notes: what stands beside its steps is noted beside those of the new tree, too.
    """
    return rewrite(root, lambda _, node: _split(node) if _may_split(node) else node, notes)


def _may_split(node: Node) -> TypeGuard[QueryOperation]:
    return isinstance(node, QueryOperation) and node.computes_each_row


def _split(operation: QueryOperation) -> QueryOperation:
    child = operation.inputs()[0]
    expressions: list[Any] = [
        node for node in operation.children() if not isinstance(node, QueryOperation)
    ]
    if all(_depth(expression) <= DEPTH for expression in expressions):
        return operation
    width = len(child.schema)
    while True:
        hoisted: dict[ResolvedExpression, FieldReference] = {}
        base = len(child.schema)
        taken = {name.lower() for name in child.schema.names}
        rewritten = [_Hoister(hoisted, base, taken).rewrite(each) for each in expressions]
        if not hoisted:
            break
        columns = tuple(Alias(part, ref.name, ref.type) for part, ref in hoisted.items())
        child = n.WithColumns.of(child, columns)
        expressions = rewritten
    rebuilt = operation.with_children([child, *expressions])
    if len(rebuilt.schema) == len(operation.schema):
        return rebuilt
    return _without_parts(operation, rebuilt, width, len(child.schema))


def _without_parts(
    operation: QueryOperation, rebuilt: QueryOperation, width: int, wide: int
) -> QueryOperation:
    """The columns the operation gave before; the parts in the middle are dropped."""
    kept = [*range(width), *range(wide, len(rebuilt.schema))]
    assert len(kept) == len(operation.schema)
    return n.Project.of(rebuilt, tuple(rebuilt.schema.reference(place) for place in kept))


def _depth(expression: Node) -> int:
    return fold(expression, _height)


def _height(node: Node, children: Sequence[int]) -> int:
    if isinstance(node, QueryOperation):
        return 0
    return 1 + max(children, default=0)


class _Hoister:
    """Replaces the parts that are exactly ``DEPTH`` high by references to columns below."""

    def __init__(
        self, hoisted: dict[ResolvedExpression, FieldReference], base: int, taken: set[str]
    ) -> None:
        self.hoisted = hoisted
        self.base = base
        self.taken = taken

    def rewrite(self, root: Node) -> Node:
        heights: dict[int, int] = {}

        def measure(node: Node, children: list[int]) -> int:
            heights[id(node)] = height = _height(node, children)
            return height

        if fold(root, measure) <= DEPTH:
            return root
        # Only parts reached through arguments that are always evaluated may move.
        movable = self._movable(root, heights)

        def step(node: Node, children: list[Node]) -> Node:
            if id(node) in movable:
                assert isinstance(node, ResolvedExpression)
                return self._reference(node)
            if any(new is not old for new, old in zip(children, node.children(), strict=True)):
                return node.with_children(children)
            return node

        return fold(root, step)

    def _movable(self, root: Node, heights: dict[int, int]) -> set[int]:
        found: set[int] = set()
        pending = [root]
        while pending:
            node = pending.pop()
            height = heights[id(node)]
            if height < DEPTH:
                continue
            if height == DEPTH and node is not root and _is_value(node):
                found.add(id(node))
                continue
            pending.extend(_always_evaluated(node))
        return found

    def _reference(self, part: ResolvedExpression) -> FieldReference:
        known = self.hoisted.get(part)
        if known is None:
            number = len(self.hoisted) + 1
            while f"part_{number}" in self.taken:
                number += 1
            name = f"part_{number}"
            self.taken.add(name)
            known = FieldReference(self.base + len(self.hoisted), name, part.type)
            self.hoisted[part] = known
        return known


def _is_value(node: Node) -> bool:
    """Whether the part can be a column: no aggregate, no window, no lambda's variable in it."""
    if not isinstance(node, Call | Cast):
        return False
    other = holds(node, AggregateCall, Over, LambdaVariable, QueryOperation)
    return not other and is_deterministic(node)


def _always_evaluated(node: Node) -> Sequence[Node]:
    if isinstance(node, Call):
        return node.args if node.function.strict else ()
    if isinstance(node, Alias | Cast | SortOrder):
        return (node.child,)
    if isinstance(node, AggregateCall):
        return node.args if node.filter is None else ()
    if isinstance(node, Over):
        return (*node.call.args, *node.partition_by, *node.order_by)
    return ()
