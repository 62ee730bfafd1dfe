"""Whether both sides give their rows in the order the pipeline ends with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame

from viewscribe.expressions.nodes import FieldReference
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.sorted_rows import keeps_order
from viewscribe.spark.canonical import canonical_rows, frozen
from viewscribe.spark.frames import Frame
from viewscribe.spark.interpreter import Interpreter
from viewscribe.spark.multisets import Row, close, show_row
from viewscribe.spark.report import Check

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
