"""Operations that change the shape of rows: generators, unpivot, time windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.functions.syntax import CallInFrom, InlineCall
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import OuterReference
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.frames import Cell, Frame, is_internal, rename
from viewscribe.spark.sources import user_table
from viewscribe.spark.types import to_spark
from viewscribe.types.identifiers import quote_identifier

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter

# These make at least one row of every input row, so that OUTER changes nothing.
_NEVER_EMPTY = ("stack", "json_tuple")


def _generate(run: Interpreter, node: n.Generate, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    in_from = isinstance(node.call.function.syntax, CallInFrom | InlineCall)
    if in_from and not all(map(is_internal, frame.names)):
        frame = run.plain(rename(frame, run.names))  # `user` of a row around is the function
    translator = run.translator(frame)
    args = [translator.column(arg) for arg in node.call.args]
    names = run.names.several(node.names)
    if in_from:
        return _generate_joined(run, node, frame, args, names)
    child = node.child
    if isinstance(child, n.OneRow) or (
        isinstance(child, n.Values) and holds(node.call, OuterReference)
    ):
        made = getattr(run.spark.tvf, _generator_name(node))(*args)
        return _generate_alone(run, child, made, names)
    made = F.call_function(_generator_name(node), *args).alias(*names)
    return Frame.of(frame.base.select("*", made), (*frame.names, *names))


def _generate_alone(
    run: Interpreter, row: n.Values | n.OneRow, made: DataFrame, names: list[str]
) -> Frame:
    """A generator without a table, beside constants: as a table it may read the row around."""
    constants = run.names.several(row.schema.names)
    cells = zip(row.values if isinstance(row, n.Values) else (), constants, strict=True)
    shown = [run.translator().column(value).alias(name) for value, name in cells]
    return Frame.of(made.toDF(*names).select(*shown, "*"), (*constants, *names))


def _generate_joined(
    run: Interpreter, node: n.Generate, frame: Frame, args: list[Column], names: list[str]
) -> Frame:
    """A generator that Spark knows as a table: it is joined to each row."""
    function, given = node.call.function, [arg.outer() for arg in args]
    if isinstance(function, UserFunction):
        made = user_table(run, function, given).toDF(*names)
        on, how = (F.lit(True), "left") if node.outer else (None, None)
        joined = frame.base.lateralJoin(made, on, how)
    else:
        make = getattr(
            run.spark.tvf, f"{function.sql_name}_outer" if node.outer else function.sql_name
        )
        joined = frame.base.lateralJoin(make(*given).toDF(*names))
    return Frame.of(joined, (*frame.names, *names))


def _generator_name(node: n.Generate) -> str:
    name = node.call.function.sql_name
    if not node.outer or name in _NEVER_EMPTY or name.endswith("_outer"):
        return name
    if name in ("explode", "posexplode", "inline"):
        return f"{name}_outer"
    raise NotInterpretableError(
        f"Spark's DataFrame API has no {name} that keeps rows without a result",
        hint="leave out outer=True",
    )


def _unpivot(run: Interpreter, node: n.Unpivot, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    turned = {column.index for column in node.columns}
    kept = [cell for place, cell in enumerate(frame.cells) if place not in turned]
    values = [frame.cells[column.index].column for column in node.columns]
    names = run.names.several(node.schema.names)
    labels = {label.lower() for label in node.labels}
    ids = {str(cell.name).lower() for cell in kept}
    if len(labels) < len(node.labels) or labels & ids:
        rows = frame.base.select(*[cell.column for cell in kept], _pairs(node, values))
    else:
        labelled = [c.alias(label) for c, label in zip(values, node.labels, strict=True)]
        wide = frame.base.select(*[cell.column for cell in kept], *labelled)
        columns: Any = [F.col(quote_identifier(label)) for label in node.labels]
        rows = wide.unpivot([cell.column for cell in kept], columns, *names[-2:])
    made = Frame.of(rows.toDF(*names), names)
    if node.include_nulls:
        return made
    return made.filtered(made.cells[-1].column.isNotNull(), 1)


def _pairs(node: n.Unpivot, values: Sequence[Column]) -> Column:
    """The pairs of label and value, for labels that cannot all be the names of columns."""
    type_ = to_spark(node.schema.fields[-1].type)
    pairs = [
        F.struct(F.lit(label).alias("name"), value.cast(type_).alias("value"))
        for label, value in zip(node.labels, values, strict=True)
    ]
    return F.inline(F.array(*pairs))


def _time_window(run: Interpreter, node: n.TimeWindow, inputs: list[Frame]) -> Frame:
    frame = run.plain(inputs[0])
    window = run.translator(frame).column(node.call)
    if node.is_session:
        # Only a group can compute it: the aggregate above takes it as its key.
        return replace(
            frame, cells=(*frame.cells, Cell(window, label=node.name)), session=len(frame.cells)
        )
    name = run.names.fresh(node.name)
    return Frame.of(frame.base.select("*", window.alias(name)), (*frame.names, name))


HANDLERS: dict[type[QueryOperation], Callable[[Interpreter, Any, list[Frame]], Frame]] = {
    n.Generate: _generate,
    n.Unpivot: _unpivot,
    n.TimeWindow: _time_window,
}
