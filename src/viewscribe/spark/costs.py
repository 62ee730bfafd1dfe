"""What writing an expression out costs, and whether it may be written out at all."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column

from viewscribe.expressions.node import Node, postorder, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    FieldReference,
    OuterReference,
    Over,
    SubqueryExpression,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.frames import Cell


def cost(expression: Node, cells: Sequence[Cell]) -> tuple[int, int]:
    """Height and size of the expression with the frame's columns written out."""
    known: dict[int, tuple[int, int]] = {}
    for node in postorder(expression, skip=_is_query):
        if type(node) is FieldReference:
            cell = cells[node.index]
            known[id(node)] = (cell.height, cell.size)
            continue
        below = [known[id(child)] for child in node.children() if not _is_query(child)]
        height = 1 + max((height for height, _ in below), default=0)
        known[id(node)] = (height, 1 + sum(size for _, size in below))
    return known[id(expression)]


def computed(expression: Node, column: Column, cells: Sequence[Cell], label: str) -> Cell:
    """The cell of an expression."""
    height, size = cost(expression, cells)
    return Cell(column, None, label, height, size)


def is_correlated(operation: Node) -> bool:
    """Whether a query, or a query in it, refers to what is around it."""
    return any(isinstance(node, OuterReference) for node in preorder(operation))


def is_special(expressions: Sequence[Node]) -> bool:
    """Whether one of the expressions may neither be repeated nor moved.

    Windows, sub-queries and what is not deterministic.
    """
    return any(map(_special, expressions))


def _special(expression: Node) -> bool:
    for node in preorder(expression, skip=_is_query):
        if isinstance(node, Over | SubqueryExpression):
            return True
        if isinstance(node, Call | AggregateCall) and not node.function.deterministic:
            return True
    return False


def _is_query(node: Node) -> bool:
    return isinstance(node, QueryOperation)
