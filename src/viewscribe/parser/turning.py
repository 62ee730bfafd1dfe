"""Samples, pivots and their reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.nodes import (
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    unaliased,
)
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.spelling import literal_text
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.naming import output_name
from viewscribe.parser.relation import Source
from viewscribe.parser.scopes import Columns
from viewscribe.parser.values import ExpressionReader

if TYPE_CHECKING:
    from viewscribe.parser.sources import SourceReader


def sampled(sources: SourceReader, node: s.Sampled) -> Source:
    """TABLESAMPLE: a part of the rows, by chance or from the beginning."""
    child = sources.read_one(node.child)
    reader = ExpressionReader(sources.queries, Columns(Schema(())))
    if type(node.amount) is s.Unread:
        return sources.unread(node.amount)
    if node.kind == "BUCKET":
        percent = 100 * node.amount[0] / node.amount[1]
    else:
        amount = reader.read(node.amount)
        if not isinstance(amount, Literal) or amount.value is None:
            raise sources.error(node, "the size of a sample is a number")
        if node.kind == "ROWS":
            operation: QueryOperation = build.limit(child.operation, amount.value)
            return Source(operation, child.names, child.width)
        percent = float(amount.value)
    if not 0 <= percent <= 100:
        raise sources.error(node, f"{percent:g} PERCENT is not between 0 and 100")
    if node.seed is None:
        raise sources.error(
            node,
            "a sample without REPEATABLE (seed) gives other rows each time",
            hint="write TABLESAMPLE (10 PERCENT) REPEATABLE (1)",
        )
    operation = n.Sample.of(child.operation, percent, node.seed)
    return Source(operation, child.names, child.width)


def pivoted(sources: SourceReader, node: s.PivotOf) -> Source:
    """PIVOT: values of a column become columns."""
    child = sources.read(node.child)
    if len(node.columns) != 1:
        raise sources.error(node, "a pivot over several columns is not read")
    reader = ExpressionReader(sources.queries, sources.columns(child))
    column = reader.read(node.columns[0])
    if not isinstance(column, FieldReference):
        raise sources.error(node.columns[0], "a pivot is over a column of its input")
    values, names = [], []
    for each in node.values:
        value = unaliased(reader.read(each))
        if not isinstance(value, Literal):
            raise sources.error(each, "the values of a pivot are constants")
        values.append(build.pivot_literal(value, column.type))
        named = isinstance(each, s.Aliased)
        names.append(each.names[0] if named else _pivot_name(value))
    aggregates = [alias(reader.read(each), output_name(reader, each)) for each in node.aggregates]
    used = {column.index}
    for aggregate in aggregates:
        used |= _columns_in(aggregate)
    keys = tuple(
        reference
        for reference in child.names.references[: child.width]
        if reference.index not in used
    )
    operation = n.Pivot.of(
        child.operation, keys, column, tuple(values), tuple(names), tuple(aggregates)
    )
    return Source.of(operation)


def unpivoted(sources: SourceReader, node: s.UnpivotOf) -> Source:
    """UNPIVOT: columns become rows."""
    child = sources.read(node.child)
    if len(node.values) != 1 or any(len(group) != 1 for group, _ in node.columns):
        raise sources.error(node, "an UNPIVOT into several columns of values is not read")
    columns = sources.columns(child)
    references, labels = [], []
    for (parts,), label in node.columns:
        found = columns.find(parts)
        if not isinstance(found, FieldReference):
            raise sources.error(node, f"`{'.'.join(parts)}` is no column")
        references.append(found)
        labels.append(label or found.name)
    operation = n.Unpivot.of(
        child.operation,
        tuple(references),
        tuple(labels),
        node.name,
        node.values[0],
        node.include_nulls,
    )
    return Source.of(operation)


def _pivot_name(value: Literal) -> str:
    if value.value is None:
        return "null"
    return literal_text(value)


def _columns_in(expression: ResolvedExpression) -> frozenset[int]:
    from viewscribe.expressions.properties import references_of

    return references_of(expression).columns
