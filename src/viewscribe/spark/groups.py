"""Groups: aggregate in its four forms, and pivot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import with_key_columns
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.user_functions import calls_catalog
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.rows import key_column
from viewscribe.spark.types import Cell, Frame
from viewscribe.types.identifiers import quote_identifier

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter


def _aggregate(run: Interpreter, node: n.Aggregate, inputs: list[Frame]) -> Frame:
    simple = node.grouping is n.Grouping.SIMPLE
    named = node.keys and calls_catalog(node) and inputs[0].session is None
    if not simple or (named and not run.is_correlated(node)):
        return _group_by_columns(run, node, inputs[0])
    frame = _input(run, inputs[0], [*node.keys, *node.aggregates])
    names = run.names.several(node.schema.names)
    keys = [key_column(run, frame, key) for key in node.keys]
    values = _values(run, frame, node.aggregates)
    outputs = [c.alias(name) for c, name in zip([*keys, *values], names, strict=True)]
    rows = frame.rows()
    if not keys:
        return Frame.of(rows.select(*outputs), names)
    if run.is_correlated(node) and run.bridge.classic:
        return Frame.of(run.bridge.aggregate(rows, keys, outputs), names)
    grouped = rows.groupBy(*outputs[: len(keys)])
    return Frame.of(_aggregate_rows(run, grouped, outputs[len(keys) :], names), names)


def _input(run: Interpreter, frame: Frame, expressions: Sequence[Node]) -> Frame:
    """The frame to group; a session window in it stays a part of the grouping key."""
    return frame if frame.session is not None else run.prepared(frame, expressions)


def _values(
    run: Interpreter, frame: Frame, aggregates: Sequence[ResolvedExpression]
) -> list[Column]:
    translator = run.translator(frame)
    return [translator.column(strip_alias(aggregate)) for aggregate in aggregates]


def _aggregate_rows(
    run: Interpreter, grouped: Any, values: Sequence[Column], names: Sequence[str]
) -> DataFrame:
    """``agg`` wants at least one aggregate; a group without any gets one that is dropped again."""
    if values:
        made: DataFrame = grouped.agg(*values)
        return made
    counted: DataFrame = grouped.agg(F.count(F.lit(1)).alias(run.names.fresh()))
    return counted.select(*map(quote_identifier, names))


def _group_by_columns(run: Interpreter, node: n.Aggregate, frame: Frame) -> Frame:
    """Groups by keys that are columns first, as sets want them."""
    if run.is_correlated(node):
        raise NotInterpretableError(
            f"{node.grouping.value} cannot stand in a sub-query that refers to the query around it"
        )
    frame, places = _with_keys(run, node, run.plain(run.unmistakable(frame, node.keys)))
    key_names = [str(frame.cells[place].name) for place in places]
    keys = [F.col(quote_identifier(name)) for name in key_names]
    aggregates = [
        with_key_columns(
            each,
            node.keys,
            [
                FieldReference(place, "", key.type)
                for place, key in zip(places, node.keys, strict=True)
            ],
        )
        for each in node.aggregates
    ]
    value_names = run.names.several(node.schema.names[len(keys) :])
    values = _values(run, frame, aggregates)
    outputs = [value.alias(name) for value, name in zip(values, value_names, strict=True)]
    grouped = _GROUPINGS[node.grouping](frame.base, keys, node.sets)
    names = [*key_names, *value_names]
    return Frame.of(_aggregate_rows(run, grouped, outputs, names), names)


def _with_keys(run: Interpreter, node: n.Aggregate, frame: Frame) -> tuple[Frame, list[int]]:
    """The frame with every grouping key as a column, and where each is."""
    cells, places = list(frame.cells), []
    for key, label in zip(map(strip_alias, node.keys), node.schema.names, strict=False):
        if isinstance(key, FieldReference) and key.index not in places:
            places.append(key.index)
        else:
            places.append(len(cells))
            cells.append(Cell(key_column(run, frame, key), label=label))
    return run.plain(Frame(frame.base, frame.names, tuple(cells))), places


_GROUPINGS: dict[n.Grouping, Callable[[DataFrame, list[Column], Any], Any]] = {
    n.Grouping.SIMPLE: lambda frame, keys, sets: frame.groupBy(*keys),
    n.Grouping.ROLLUP: lambda frame, keys, sets: frame.rollup(*keys),
    n.Grouping.CUBE: lambda frame, keys, sets: frame.cube(*keys),
    n.Grouping.SETS: lambda frame, keys, sets: frame.groupingSets(
        [[keys[place] for place in group] for group in sets], *keys
    ),
}


def _pivot(run: Interpreter, node: n.Pivot, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    keys = [quote_identifier(str(frame.cells[key.index].name)) for key in node.keys]
    column = quote_identifier(str(frame.cells[node.column.index].name))
    grouped = run.bridge.pivot(frame.base, keys, column, node.values)
    aggregates = [value.alias(run.names.fresh()) for value in _values(run, frame, node.aggregates)]
    names = run.names.several(node.schema.names)
    return Frame.of(grouped.agg(*aggregates).toDF(*names), names)


HANDLERS: dict[type[QueryOperation], Callable[[Interpreter, Any, list[Frame]], Frame]] = {
    n.Aggregate: _aggregate,
    n.Pivot: _pivot,
}
