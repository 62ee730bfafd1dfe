"""A call as a DataFrame: partitioned, sorted, and handed to the driver batch by batch.

Of all ways into Python this is the one that costs the least for many small partitions, and tasks
without rows do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.functions.process.inference import LAST, REFUSE
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.operations.build.process.call import process_function
from viewscribe.operations.nodes import Process
from viewscribe.operations.nodes.process import path_of
from viewscribe.spark.columns import sort_by
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.frames import Frame
from viewscribe.spark.process.plan import CallPlan, PassedTable, plan_of, refuse_timers
from viewscribe.spark.process.streaming import over_stream, refuse_finish
from viewscribe.spark.process.tasks import MARK, over_batches, over_marked_batches
from viewscribe.spark.types import schema_to_spark
from viewscribe.types import Field, StructType, YearMonthIntervalType
from viewscribe.types.identifiers import quote_name
from viewscribe.types.nested_types import contains

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter


def call_plan(node: Process) -> CallPlan:
    """What the tasks of a call need to know.

    Raises:
        ForbiddenModuleError: the function is known by its name alone, and its module was not
            allowed.
    """
    function = process_function(node.function)
    scalars = {
        name: value.value
        for name, value in zip(node.arguments, node.args, strict=True)
        if isinstance(value, Literal)
    }
    return plan_of(
        function.source.implementation,
        _tables(node),
        scalars,
        node.on_time,
        null_times=LAST if node.keeps_null_times else REFUSE,
    )


def _tables(node: Process) -> list[PassedTable]:
    if not node.tables:
        return []
    if not node.is_tagged:
        types = tuple(key.type for key in node.keys)
        columns = node.child.schema.fields
        return [PassedTable(node.tables[0], columns, node.key_names, types, node.order_by)]
    by_name = {field.name: field.type for field in node.child.schema.fields}
    width = len(node.partition_by) // len(node.tables)
    types = _key_types(node)
    tables = []
    for place, name in enumerate(node.tables):
        struct = by_name[name]
        assert isinstance(struct, StructType)
        keys = node.partition_by[place * width : (place + 1) * width]
        tables.append(PassedTable(name, struct.fields, keys, types))
    return tables


def _key_types(node: Process) -> tuple[Any, ...]:
    if not node.keys:
        return ()
    struct = node.keys[0].type
    assert isinstance(struct, StructType)
    return tuple(field.type for field in struct.fields)


def _path(node: Process, key: ResolvedExpression) -> tuple[str, ...]:
    return path_of(key, node.child.schema.names)


def call_in_batches(run: Interpreter, node: Process, inputs: list[Frame]) -> Frame:
    """The rows that the function of a call collects, over batches or over a stream."""
    _refuse_types(node)
    plan = call_plan(node)
    without = not node.tables
    rows = run.spark.range(0, 1, 1, 1) if without else _input(run.plain(inputs[0]), node)
    names = run.names.several(node.schema.names)
    if rows.isStreaming:
        refuse_finish(plan)
        if not node.by_row:
            order = [_path(node, key.child) for key in node.order]
            return Frame.of(over_stream(run, node, plan, rows, order).toDF(*names), names)
    refuse_timers(plan)
    if not node.by_row:
        keys = [_column(node, key) for key in node.keys]
        sorting = [sort_by(_column(node, key.child), key) for key in node.order]
        rows = rows.repartition(*keys) if keys else rows.coalesce(1)
        if keys or sorting:
            rows = rows.sortWithinPartitions(*keys, *sorting)
    called = over_batches(plan)
    if plan.keeps_empty:
        rows, called = _with_a_row(rows), over_marked_batches(plan)
    made = rows.mapInArrow(called, schema_to_spark(node.fields))
    return Frame.of(made.toDF(*names), names)


def _with_a_row(rows: DataFrame) -> DataFrame:
    """The rows in one task, and one of NULLs, marked: for what is empty Spark may have no task."""
    types = {field.name: field.dataType for field in rows.schema.fields}
    nulls = [F.lit(None).cast(type_).alias(name) for name, type_ in types.items()]
    mark = rows.sparkSession.range(1).select(*nulls, F.lit(True).alias(MARK))
    return rows.withColumn(MARK, F.lit(False)).union(mark).coalesce(1)


def _input(frame: Frame, node: Process) -> DataFrame:
    """The input under the names that the function knows its columns by."""
    pairs = zip(frame.cells, node.child.schema.names, strict=True)
    return frame.rows().select(*[cell.column.alias(name) for cell, name in pairs])


def _column(node: Process, key: ResolvedExpression) -> Column:
    return F.col(quote_name(_path(node, key)))


def _refuse_types(node: Process) -> None:
    fields: list[Field] = [*node.child.schema.fields, *node.fields]
    for field in fields:
        if contains(field.type, YearMonthIntervalType):
            raise NotInterpretableError(
                f"the column `{field.name}` of {node.function!r} is {field.type.ddl}, and Spark "
                "hands no Python function an interval of months",
                hint="cast it to INT, the number of months",
            )
