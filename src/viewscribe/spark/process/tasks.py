"""A task: batches in, batches out, one partition after the other."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.process.inference import KEY, LAST, REFUSE, SOURCE, TIME
from viewscribe.expressions.functions.process.rows import Row, row_class
from viewscribe.expressions.functions.python import inline
from viewscribe.expressions.nodes import Alias, Call, FieldReference, Literal, ResolvedExpression
from viewscribe.operations import build
from viewscribe.operations.build.process import TableArgument, process
from viewscribe.operations.build.process.call import process_function
from viewscribe.operations.nodes import Process, Project, SetOperation, Values
from viewscribe.operations.nodes.combinations import path_of
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.columns import sort_by
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.joins import union_parts
from viewscribe.spark.process.driver import Driver, ProcessFunctionError
from viewscribe.spark.process.input_batches import BatchReader
from viewscribe.spark.process.plan import CallPlan, PassedTable, plan_of, refuse_timers
from viewscribe.spark.process.streaming import over_stream, refuse_finish
from viewscribe.spark.process.values import (
    MOST_ROWS,
    Results,
    arrow_values,
    fields_of,
    micros_of,
    python_values,
)
from viewscribe.spark.types import Frame, schema_to_spark
from viewscribe.types import Field, StructType, YearMonthIntervalType
from viewscribe.types.ddl import parse_schema
from viewscribe.types.identifiers import quote_name
from viewscribe.types.nested_types import contains

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter


class Task:
    """Drives a function over the batches of a task.

    The rows of a partition follow each other, in order; what is held is one partition's state.

    Args:
        plan: the call.
        one_by_one: whether somebody else says where a partition ends, by ``end``, so that its rows
            must have one key, and another one than those before.
    """

    def __init__(self, plan: CallPlan, *, one_by_one: bool = False) -> None:
        self.plan = plan
        self._one_by_one = one_by_one
        self._ended: tuple[Any, ...] | None = None
        self.results = Results(plan)
        self.driver = Driver(plan, self.results.collect)
        self.reader = BatchReader(plan)
        self._key: tuple[Any, ...] | None = None
        self._passes = plan.signature.passes_through
        self._by_row = not any(plan.signature.argument(each.name).is_set for each in plan.sources)

    def call(self) -> Iterator[Any]:
        """The one call of a function without tables; gives batches of the result."""
        self.driver.call()
        if len(self.results):
            yield self.results.batch()

    def take(self, batch: object) -> Iterator[Any]:
        """The next batch; gives batches of the result."""
        driver, results = self.driver, self.results
        process, current = driver.row, self._key
        passed = self.reader.passed(batch) if self._passes else None
        for key, source, row, time in self.reader.rows(batch):
            if key != current:
                if self._one_by_one and not self._by_row:
                    self._refuse_other_keys(key)
                if current is not None:
                    self._finish()
                driver.begin()
                results.partition(key)
                current = self._key = key
                if len(results) >= MOST_ROWS:
                    yield results.batch()
            if self._passes:
                results.input = row if passed is None else next(passed)
            if self._by_row:
                driver.last = driver.watermark = None  # a row before says nothing of the next
            process(source, row, time)
            if len(results) >= MOST_ROWS:
                yield results.batch()
        if len(results):
            yield results.batch()

    def end(self) -> Iterator[Any]:
        """After the last batch; a table without rows that is one partition is finished, too."""
        if self._key is None and self._ended is None and self.plan.keeps_empty:
            self.driver.begin()
            self._key = ()
            self.results.partition(())
        if self._key is not None:
            self._finish()
            self._ended, self._key = self._key, None
        if len(self.results):
            yield self.results.batch()

    def _finish(self) -> None:
        self.driver.end()

    def _refuse_other_keys(self, key: tuple[Any, ...]) -> None:
        """Refuses keys that are not what Spark has partitioned the rows by."""
        if self._key is not None or key == self._ended:
            raise other_keys_error(self.plan, key, more=self._key is None)


def other_keys_error(plan: CallPlan, key: object, *, more: bool) -> ProcessFunctionError:
    """The keys of a call are not what Spark has partitioned its rows by.

    Args:
        plan: the call.
        key: the keys of the row where that was noticed.
        more: whether rows of these keys are in several partitions.
    """
    return ProcessFunctionError(
        f"{plan.name}: PARTITION BY has {'more' if more else 'fewer'} columns than `keys`, or "
        "others",
        location=f"keys: {', '.join(plan.sources[0].keys) or 'none'}; a row of {key!r}",
        hint="write the same columns in both: Spark tells no function its PARTITION BY",
    )


MARK = "__mark"
"""The column that tells a row that is none of the table."""


def over_marked_batches(plan: CallPlan) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The same for batches of which the rows with ``MARK`` are left out."""
    run = over_batches(plan)

    def without_mark(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch.filter(pc.invert(batch.column(MARK))).drop_columns([MARK])

    return lambda batches: run(without_mark(batches))


def over_batches(plan: CallPlan) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that a task runs: from its batches to those of the result."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        task: Task | None = None
        try:
            for batch in batches:
                if task is None:
                    task = Task(plan)
                    task.driver.open()
                if not plan.sources:
                    yield from task.call()
                    return
                yield from task.take(batch)
            if task is None and plan.keeps_empty:
                task = Task(plan)
                task.driver.open()
            if task is not None:
                yield from task.end()
        finally:
            if task is not None:
                task.driver.close()

    return run


# A call as a DataFrame: partitioned, sorted, and handed to the driver batch by batch.
#
# Of all ways into Python this is the one that costs the least for many small partitions, and tasks
# without rows do no harm.


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


# A process table function tried on rows in memory: no session, no Java, the driver of batches.
#
# What authors test their functions with. The call is checked as one of tables is, then the very
# driver that Spark's tasks run is handed the rows.

ByTable = Any
"""The same for all tables, or a mapping from the names of the table arguments."""


def run(
    function: object,
    tables: Mapping[str, Sequence[Any]] | None = None,
    *,
    schema: str | Mapping[str, str] | None = None,
    partition_by: ByTable = None,
    order_by: ByTable = None,
    on_time: object = None,
    **arguments: object,
) -> list[Row]:
    """The rows that a process table function gives for rows.

        run(CountWithTimeout, {"input": [{"user": 1, "ts": at}]}, partition_by="user", on_time="ts")

    Args:
        function: its class, an object of it, or a built-in of ``viewscribe.process``.
        tables: the rows of each table argument: dicts, dataclasses, named tuples, or tuples in the
            order of the schema. None for a function that takes no table.
        schema: DDL of the columns, ``"user BIGINT, ts TIMESTAMP"``; by default types follow from
            the rows as they do in ``from_values``.
        partition_by: a column or several; for several tables a mapping where they differ.
        order_by: columns or sort expressions; where there is a time, it is the first of them.
        on_time: the time column, or one for each table.
        arguments: the scalar arguments.

    Returns:
        Its rows, with all columns of the result: partition by partition, in the order in which the
        partitions came, which Spark does not promise.

    Raises:
        ValidationError: the call lacks something, or a row has a value of another type.
        ProcessFunctionError: the function failed.
    """
    given = {name: _rows(rows, _of(schema, name)) for name, rows in (tables or {}).items()}
    first = next(iter(given), None)
    named = {
        name: TableArgument(
            made,
            _keys(_of(partition_by, name)),
            _keys(_of(order_by, name)) or (),
            _link(name, first),
        )
        for name, (made, _) in given.items()
    }
    if on_time is not None:
        arguments["on_time"] = on_time
    definition = function if isinstance(function, FunctionDefinition) else inline(function)
    node = process(definition, (), {**named, **arguments})
    rows_of = {name: rows for name, (_, rows) in given.items()}
    plan = call_plan(node)
    refuse_timers(plan)
    for source in plan.sources:
        if len(source.columns) != len(given[source.name][0].schema.names):
            raise ValidationError(
                f"run() computes no key of the table `{source.name}`",
                hint="give the rows with that value in a column of its own",
            )
    names = row_class([field.name for field in plan.fields])
    batch = _sort(_batch(node, plan, rows_of), node, plan) if plan.sources else None
    return [
        names(values)
        for made in over_batches(plan)([batch])
        for values in zip(*map(python_values, made.columns), strict=True)
    ]


# -- what is given ---------------------------------------------------------------------------------


def _of(given: ByTable, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else given


def _keys(given: Any) -> tuple[Any, ...] | None:
    if given is None:
        return None
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _link(name: str, first: str | None) -> str | None:
    return None if name == first else first


def _rows(rows: Sequence[Any], schema: str | None) -> tuple[Values, list[tuple[Any, ...]]]:
    """The rows as a table, for its schema, and their values."""
    fields = None if schema is None else parse_schema(schema)
    plain = [_plain(row) for row in rows]
    if plain:
        made = build.values(plain, fields)
    elif fields is not None:
        made = Values.of((), tuple(fields))
    else:
        raise ValidationError(
            "a table without rows does not say its columns", hint='give schema="id BIGINT, …"'
        )
    names = made.schema.names
    return made, [_values(row, names) for row in plain]


def _plain(row: Any) -> Any:
    if isinstance(row, Row):
        return row.as_dict()
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    return row


def _values(row: Any, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in names) if isinstance(row, dict) else tuple(row)


# -- what Spark does before a task -----------------------------------------------------------------


def _batch(node: Process, plan: CallPlan, rows: Mapping[str, list[tuple[Any, ...]]]) -> Any:
    """The input in one batch, its rows in the order given."""
    fields = node.child.schema.fields
    if plan.is_tagged:
        paths = _union_keys(node)
        cells = [
            tuple(tagged.get(field.name) for field in fields)
            for number, source in enumerate(plan.sources)
            for tagged in (_tag(plan, number, row, paths[number]) for row in rows[source.name])
        ]
    else:
        cells = rows[plan.sources[0].name]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(fields)
    arrays = [
        arrow_values(values, to_arrow(field.type), f"the column `{field.name}`", field.type.ddl)
        for values, field in zip(columns, fields, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, [field.name for field in fields])


def _tag(
    plan: CallPlan, number: int, row: tuple[Any, ...], keys: Sequence[Sequence[str]]
) -> dict[str, Any]:
    source = plan.sources[number]
    columns = StructType(fields=source.columns)
    by_name = {field.name: value for field, value in zip(source.columns, row, strict=True)}
    return {
        KEY: [_value_at(columns, row, path) for path in keys],
        TIME: None if source.time is None else by_name[source.time],
        SOURCE: number,
        source.name: row,
    }


def _union_keys(node: Process) -> list[list[tuple[str, ...]]]:
    """The paths of the keys in each table of several."""
    if not node.keys:
        return [[] for _ in node.tables]
    found = []
    assert isinstance(node.child, SetOperation)
    for part in union_parts(node.child):
        assert isinstance(part, Project)
        key = part.expressions[0]
        assert isinstance(key, Alias)
        assert isinstance(key.child, Call)
        found.append([path_of(each, part.child.schema.names) for each in key.child.args])
    return found


def _value_at(type_: StructType, value: Any, path: Sequence[str]) -> Any:
    """The value at a path in a row, or in a struct of it."""
    lowered = [field.name.lower() for field in type_.fields]
    place = lowered.index(path[0].lower())
    inner = None if value is None else fields_of(value, [each.name for each in type_.fields])[place]
    if len(path) == 1:
        return inner
    kind = type_.fields[place].type
    assert isinstance(kind, StructType)
    return _value_at(kind, inner, path[1:])


def _sort(batch: Any, node: Process, plan: CallPlan) -> Any:
    """The rows of each partition together, in the order of the call."""
    places = list(range(batch.num_rows))
    for key in reversed(node.order):
        if not isinstance(key.child, FieldReference):
            raise ValidationError(
                f"run() orders no rows by {key.child.as_summary_string()}",
                hint="give the rows with that value in a column of its own",
            )
        column = batch.column(key.child.index)
        values = micros_of(column) if pa.types.is_timestamp(column.type) else python_values(column)
        places.sort(key=lambda place, of=values: _rank(of[place]), reverse=key.descending)  # type: ignore[misc]
        places.sort(
            key=lambda place, of=values, last=not key.nulls_first: (of[place] is None) is last  # type: ignore[misc]
        )
    keys = [repr(each) for each in _key_values(batch, plan)]
    met = {key: number for number, key in reversed(list(enumerate(keys)))}
    places.sort(key=lambda place: met[keys[place]])
    return batch.take(pa.array(places, type=pa.int64()))


def _key_values(batch: Any, plan: CallPlan) -> list[Any]:
    columns = []
    for path in plan.key_paths:
        column = batch.column(path[0])
        for name in path[1:]:
            column = pc.struct_field(column, name)
        columns.append(python_values(column))
    return list(zip(*columns, strict=True)) if columns else [()] * batch.num_rows


def _rank(value: Any) -> Any:
    """What sorts values as Spark does, NaN above all numbers; NULLs get their place afterwards."""
    if value is None:
        return (0, 0)
    is_nan = isinstance(value, float) and math.isnan(value)
    return (2, 0) if is_nan else (1, value)
