"""Whether both sides give their rows in the order the pipeline ends with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.functions.syntax import CallInFrom, InlineCall
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import FieldReference, OuterReference
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.unique_keys import keeps_order
from viewscribe.spark.compare import Row, canonical_rows, close, frozen, show_row
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.interpreter import Interpreter
from viewscribe.spark.report import Check
from viewscribe.spark.sources import user_table
from viewscribe.spark.types import Cell, Frame, is_internal, rename, to_spark
from viewscribe.types.identifiers import quote_identifier

# Operations that change the shape of rows: generators, unpivot, time windows.

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
        # A generator without a table, beside constants: as a table it may read the row around.
        constants = run.names.several(child.schema.names)
        cells = zip(child.values if isinstance(child, n.Values) else (), constants, strict=True)
        shown = [run.translator().column(value).alias(name) for value, name in cells]
        return Frame.of(made.toDF(*names).select(*shown, "*"), (*constants, *names))
    made = F.call_function(_generator_name(node), *args).alias(*names)
    return Frame.of(frame.base.select("*", made), (*frame.names, *names))


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


Ordered = Callable[[Check], Check]
Sides = tuple[list[Row], list[Row]]


def final_sort(operation: QueryOperation) -> n.Sort | None:
    """The sort whose order the rows of the whole pipeline have."""
    node = operation
    while node.keeps_columns and keeps_order(node):
        (node,) = node.inputs()
    return node if isinstance(node, n.Sort) and not node.within_partitions else None


def compare_order(
    operation: QueryOperation,
    sql: DataFrame,
    tree: DataFrame,
    collected: Sides | None,
    most: int,
) -> Ordered:
    """What becomes of the check of the rows when their order is looked at too.

    Only the sort keys are compared: rows with equal keys may come in any order.
    """
    sort = final_sort(operation)
    if sort is None:
        return lambda check: check
    if any(map(is_special, sort.keys)):
        return lambda check: _add_note(
            check, "the order was not compared: its keys hold sub-queries"
        )
    places = [key.child.index for key in sort.keys if isinstance(key.child, FieldReference)]
    if collected is not None and len(places) == len(sort.keys):
        keys: Sides = (_at(collected[0], places), _at(collected[1], places))
        types = [sql.schema.fields[place].dataType for place in places]
    else:
        frames = [_keys(side, sort) for side in (sql, tree)]
        types = [field.dataType for field in frames[0].schema.fields]
        names = [f"k{place}" for place in range(len(types))]
        found = [canonical_rows(frame, names).limit(most).collect() for frame in frames]
        keys = ([frozen(row) for row in found[0]], [frozen(row) for row in found[1]])
    labels = [key.child.as_summary_string() for key in sort.keys]
    for number, (left, right) in enumerate(zip(*keys, strict=True), 1):
        if not close(left, right, types):
            lines = [
                f"row {number} of the SQL text: {show_row(left, labels, types)}",
                f"row {number} of the tree: {show_row(right, labels, types)}",
            ]
            different = Check("different", "the rows are equal, their order is not", lines)
            return lambda check: different
    compared = len(keys[0])
    return lambda check: _add_note(check, f"in order{'' if compared < most else ' at the start'}")


def _at(rows: Sequence[Row], places: Sequence[int]) -> list[Row]:
    return [tuple(row[place] for place in places) for row in rows]


def _keys(frame: DataFrame, sort: n.Sort) -> DataFrame:
    """The values of the sort keys, in the order of the rows."""
    run = Interpreter(frame.sparkSession)
    names = run.names.several([None] * len(frame.columns))
    renamed = Frame.of(frame.toDF(*names), names)
    translator = run.translator(renamed)
    return renamed.base.select(*[translator.column(key.child) for key in sort.keys])


def _add_note(check: Check, note: str) -> Check:
    return Check(check.status, f"{check.detail}, {note}", check.differences)
