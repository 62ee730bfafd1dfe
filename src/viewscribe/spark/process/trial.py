"""A process table function tried on rows in memory: no session, no Java, the driver of batches.

What authors test their functions with. The call is checked as one of tables is, then the very
driver that Spark's tasks run is handed the rows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.process.inference import KEY, SOURCE, TIME
from viewscribe.expressions.functions.process.rows import Row, row_class
from viewscribe.expressions.functions.python import inline
from viewscribe.expressions.nodes import Alias, Call, FieldReference
from viewscribe.operations import build
from viewscribe.operations.build.process import TableArgument, process
from viewscribe.operations.nodes import Process, Project, SetOperation, Values
from viewscribe.operations.nodes.process import path_of
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.joins import union_parts
from viewscribe.spark.process.batch import call_plan
from viewscribe.spark.process.plan import CallPlan, refuse_timers
from viewscribe.spark.process.tasks import over_batches
from viewscribe.spark.process.values import arrow_values, fields_of, micros_of, python_values
from viewscribe.types import StructType
from viewscribe.types.ddl import parse_schema

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
