"""Bringing the types of an expression up to date after the schema below it changed."""

from __future__ import annotations

from viewscribe.expressions.node import Node, replace
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
from viewscribe.operations.base import QueryOperation


def retyped(expression: ResolvedExpression, schema: Schema) -> ResolvedExpression:
    """The expression with references typed by ``schema`` and calls inferred again."""

    def step(node: Node) -> Node:
        if isinstance(node, QueryOperation):
            return node
        if isinstance(node, FieldReference):
            return schema.reference(node.index)
        if isinstance(node, Alias | SortOrder):
            return node.copy_with({"type": node.child.type})
        if isinstance(node, Cast):
            nullable = node.lenient or node.child.type.nullable
            return node.copy_with({"type": node.type.with_nullability(nullable)})
        if isinstance(node, Call):
            return node.copy_with({"type": node.function.infer(node.args)})
        if isinstance(node, AggregateCall):
            keys = [key.child for key in node.order_by]
            found = node.function.infer_aggregate(node.args, keys, respect_nulls=node.respect_nulls)
            return node.copy_with({"type": found})
        if isinstance(node, Over):
            return node.copy_with({"type": node.call.type})
        return node

    result = replace(expression, step)
    assert isinstance(result, ResolvedExpression)
    return result
