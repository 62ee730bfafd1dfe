"""Operations on the rows and columns of one input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame

from viewscribe.expressions.node import Node, holds
from viewscribe.expressions.nodes import (
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.expressions.properties import is_correlated, is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.async_steps import is_unordered, unordered_columns
from viewscribe.spark.columns import sort_by
from viewscribe.spark.late_times import cost, measure
from viewscribe.spark.types import Cell, Frame, to_spark

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter


def _project(run: Interpreter, node: n.Project, inputs: list[Frame]) -> Frame:
    frame = run.prepared(inputs[0], node.expressions)
    return _with_cells(frame, node.expressions, _cells(run, frame, node.expressions))


def _with_columns(run: Interpreter, node: n.WithColumns, inputs: list[Frame]) -> Frame:
    if is_unordered(node):
        return unordered_columns(run, node, inputs[0])
    frame = run.prepared(inputs[0], node.columns)
    cells = list(frame.cells)
    for place, cell in zip(node.places(), _cells(run, frame, node.columns), strict=True):
        cells[place : place + 1] = [cell]
    return _with_cells(frame, node.columns, cells)


def _with_cells(frame: Frame, made: Sequence[Node], cells: Sequence[Cell]) -> Frame:
    # A column of a query around can be written in a SELECT, and into nothing that is above it.
    whole = any(is_special(each) or holds(each, OuterReference) for each in made)
    return replace(frame, cells=tuple(cells), sealed=frame.sealed or whole)


def _cells(run: Interpreter, frame: Frame, expressions: Sequence[ResolvedExpression]) -> list[Cell]:
    translator = run.translator(frame)
    cells = []
    for expression in expressions:
        inner, label = strip_alias(expression), n.output_name(expression)
        if type(inner) is FieldReference:
            cells.append(replace(frame.cells[inner.index], label=label))
        else:
            column = translator.column(inner)
            cells.append(measure(inner, column, frame.cells, label))
    return cells


def _filter(run: Interpreter, node: n.Filter, inputs: list[Frame]) -> Frame:
    frame = run.prepared(inputs[0], [node.condition])
    condition = run.translator(frame).column(node.condition)
    if is_special(node.condition):
        ready = run.plain(frame)
        return Frame.of(ready.base.filter(condition), ready.names)
    return frame.filtered(condition, cost(node.condition, frame.cells)[0])


def _distinct(run: Interpreter, node: n.Distinct, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    return Frame.of(frame.base.distinct(), frame.names)


def _sort(run: Interpreter, node: n.Sort, inputs: list[Frame]) -> Frame:
    if any(map(is_correlated, node.keys)):
        return _sort_by_columns(run, node, inputs[0])
    frame = run.plain(inputs[0])
    keys = [sort_column(run, frame, key) for key in node.keys]
    return Frame.of(_sort_rows(frame.base, node, keys), frame.names)


def _sort_rows(rows: DataFrame, node: n.Sort, keys: Sequence[Column]) -> DataFrame:
    return rows.sortWithinPartitions(*keys) if node.within_partitions else rows.orderBy(*keys)


def _sort_by_columns(run: Interpreter, node: n.Sort, frame: Frame) -> Frame:
    """With the keys as columns first: Spark takes no correlated sub-query in a sort."""
    frame = run.unmistakable(frame, node.keys)
    width = len(frame.cells)
    keys = [Cell(key_column(run, frame, key.child)) for key in node.keys]
    wide = run.plain(replace(frame, cells=(*frame.cells, *keys)))
    pairs = zip(wide.cells[width:], node.keys, strict=True)
    rows = _sort_rows(wide.base, node, [sort_by(cell.column, key) for cell, key in pairs])
    return Frame(rows, wide.names, wide.cells[:width])


def sort_column(run: Interpreter, frame: Frame, key: Any) -> Column:
    """The sort key; a whole number would be the position of a column."""
    return sort_by(key_column(run, frame, key.child), key)


def key_column(run: Interpreter, frame: Frame, expression: ResolvedExpression) -> Column:
    """The expression as a key; a literal is cast, or Spark would take it for a position."""
    inner = strip_alias(expression)
    column = run.translator(frame).column(inner)
    return column.cast(to_spark(inner.type)) if isinstance(inner, Literal) else column


def _limit(run: Interpreter, node: n.Limit, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    return Frame.of(frame.base.limit(node.count), frame.names)


def _offset(run: Interpreter, node: n.Offset, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    return Frame.of(frame.base.offset(node.count), frame.names)


def _sample(run: Interpreter, node: n.Sample, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    sampled = frame.base.sample(
        withReplacement=False, fraction=node.percent / 100.0, seed=node.seed
    )
    return Frame.of(sampled, frame.names)


def _hint(run: Interpreter, node: n.Hint, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    parameters: list[Any] = [
        frame.cells[item.index].column if isinstance(item, FieldReference) else item.value
        for item in node.parameters
        if isinstance(item, FieldReference | Literal)
    ]
    return Frame.of(frame.base.hint(node.name, *parameters), frame.names)


def _alias(run: Interpreter, node: n.SubqueryAlias, inputs: list[Frame]) -> Frame:
    return inputs[0]


HANDLERS: dict[type[QueryOperation], Callable[[Interpreter, Any, list[Frame]], Frame]] = {
    n.Project: _project,
    n.WithColumns: _with_columns,
    n.Filter: _filter,
    n.Distinct: _distinct,
    n.Sort: _sort,
    n.Limit: _limit,
    n.Offset: _offset,
    n.Sample: _sample,
    n.Hint: _hint,
    n.SubqueryAlias: _alias,
}
