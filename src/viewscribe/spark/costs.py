"""What writing an expression out costs, and whether it may be written out at all."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column

from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import FieldReference
from viewscribe.spark.frames import Cell


def cost(expression: Node, cells: Sequence[Cell]) -> tuple[int, int]:
    """Height and size of the expression with the frame's columns written out."""
    known: dict[int, tuple[int, int]] = {}
    for node in postorder(expression, skip=lambda node: node.is_query):
        if type(node) is FieldReference:
            cell = cells[node.index]
            known[id(node)] = (cell.height, cell.size)
            continue
        below = [known[id(child)] for child in node.children() if not child.is_query]
        height = 1 + max((height for height, _ in below), default=0)
        known[id(node)] = (height, 1 + sum(size for _, size in below))
    return known[id(expression)]


def measure(expression: Node, column: Column, cells: Sequence[Cell], label: str) -> Cell:
    """The cell of an expression."""
    height, size = cost(expression, cells)
    return Cell(column, None, label, height, size)
