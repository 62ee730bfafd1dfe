"""Bringing the types of an expression up to date after the schema below it changed."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.schema import Schema


def retype(expression: ResolvedExpression, schema: Schema) -> ResolvedExpression:
    """The expression with references typed by ``schema`` and calls inferred again.

    Sub-queries stay as they are: their columns are those of their own inputs.
    """

    def step(node: Node) -> Node:
        if isinstance(node, FieldReference):
            return schema.reference(node.index)
        if isinstance(node, Alias | SortOrder):
            return node.copy_with({"type": node.child.type})
        if isinstance(node, Cast):
            found = cast_type(node.child.type, node.type, lenient=node.lenient)
            return node.copy_with({"type": found})
        if isinstance(node, Call):
            return node.copy_with({"type": node.function.infer(node.args)})
        if isinstance(node, AggregateCall):
            keys = [key.child for key in node.order_by]
            found = node.function.infer_aggregate(node.args, keys, respect_nulls=node.respect_nulls)
            return node.copy_with({"type": found})
        if isinstance(node, Over):
            return node.copy_with({"type": node.call.type})
        return node

    done: dict[int, Node] = {}
    for node in postorder(expression, skip=lambda node: node.is_query):
        old = node.children()
        new = [done.get(id(child), child) for child in old]
        if any(one is not other for one, other in zip(new, old, strict=True)):
            done[id(node)] = step(node.with_children(new))
        else:
            done[id(node)] = step(node)
    result = done[id(expression)]
    assert isinstance(result, ResolvedExpression)
    return result
