"""Steps of asynchronous calls whose results may come in any order: whole rows travel with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField, StructType

from viewscribe.expressions.functions.asynchronous.options import Manner, RunningFunction
from viewscribe.expressions.nodes import Alias, Call, FieldReference
from viewscribe.operations import nodes as n
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.types import Cell, Frame, to_spark

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter


def is_unordered(node: n.WithColumns) -> bool:
    """Whether a call of the step may give its results in any order, and Arrow has all its rows."""
    return any(map(_is_unordered, node.columns)) and _is_in_arrow(node)


def unordered_columns(run: Interpreter, node: n.WithColumns, frame: Frame) -> Frame:
    """The frame with the columns of such a step."""
    frame = run.plain(frame)
    before = frame.cells
    for column in node.columns:
        frame = _add_column(run, frame, before, column)
    return frame


def _is_unordered(column: Alias) -> bool:
    function = column.child.function if isinstance(column.child, Call) else None
    return isinstance(function, RunningFunction) and function.manner is Manner.UNORDERED


def _is_in_arrow(node: n.WithColumns) -> bool:
    from viewscribe.spark.arrow_types import to_arrow

    try:
        for field in node.schema.fields:
            to_arrow(field.type)
    except NotInterpretableError:  # then the values travel alone, and in order
        return False
    return True


def _add_column(run: Interpreter, frame: Frame, cells: Sequence[Cell], column: Alias) -> Frame:
    """The frame with one column more."""
    from viewscribe.spark.async_functions import how_of, runtime
    from viewscribe.spark.python_functions import gives

    call, name = column.child, run.names.fresh(column.name)
    assert isinstance(call, Call)
    if not _is_unordered(column):
        made = run.translator(Frame(frame.base, frame.names, tuple(cells))).column(call)
        return _with_cell(frame, frame.base.select("*", made.alias(name)), name)
    function = call.function
    assert isinstance(function, RunningFunction)
    constants = [arg for arg in call.args if not isinstance(arg, FieldReference)]
    spare = run.names.several([None] * len(constants))
    values = [run.translator().column(arg) for arg in constants]
    given = frame.base.select("*", *[v.alias(s) for v, s in zip(values, spare, strict=True)])
    places, constant = [], iter(range(len(frame.names), len(given.columns)))
    for arg in call.args:
        if isinstance(arg, FieldReference):
            places.append(frame.names.index(str(cells[arg.index].name)))
        else:
            places.append(next(constant))
    called = runtime(function).over_rows(
        function.source.implementation,
        how_of(function),
        gives(function),
        (places, len(frame.names), name),
        guarded=function.is_guarded,
    )
    fields = given.schema.fields[: len(frame.names)]
    schema = StructType([*fields, StructField(name, to_spark(call.type))])
    return _with_cell(frame, given.mapInArrow(called, schema), name)


def _with_cell(frame: Frame, rows: object, name: str) -> Frame:
    cell = Cell(name, name, name)
    return Frame(rows, (*frame.names, name), (*frame.cells, cell))  # type: ignore[arg-type]
