"""Files of a DataFrame whose times are texts: Spark reads them in the zone it has when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame

from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import FieldReference
from viewscribe.spark.proof.nodes import leaves_of
from viewscribe.spark.python_functions import FILES_OF_TEXT
from viewscribe.spark.types import Cell

# What writing an expression out costs, and whether it may be written out at all.


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


_WITH_ZONE = re.compile(r"\bTIMESTAMP\b")


def times_in_files(frame: DataFrame) -> str | None:
    """Says which files of a classic DataFrame have such times, in them or in their paths."""
    java: Any = frame
    return next(_found(java._jdf.queryExecution().analyzed()), None)


def _found(root: Any) -> Iterator[str]:
    for leaf in leaves_of(root):
        if leaf.getClass().getSimpleName() != "LogicalRelation":
            continue
        files = leaf.relation()
        if files.getClass().getSimpleName() != "HadoopFsRelation":
            continue
        if re.search(r"\btimezone ->", files.options().toString(), re.IGNORECASE):
            continue
        of_text = files.fileFormat().toString().lower() in FILES_OF_TEXT
        columns = leaf.schema() if of_text else files.partitionSchema()
        if _WITH_ZONE.search(columns.toDDL()):
            yield f"times in {files.location().rootPaths().mkString(', ')}"
