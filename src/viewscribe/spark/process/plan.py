"""What a task needs to know of a call of a process table function; plain data, pickled to tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.context import make_object, signature_of
from viewscribe.expressions.functions.process.inference import (
    KEY,
    LAST,
    REFUSE,
    SOURCE,
    TIME,
    ProcessCallContext,
    Signature,
    make_unique,
    result_columns,
)
from viewscribe.expressions.functions.process.rows import OPERATION, ChangelogMode
from viewscribe.types import Field, LogicalType, StructType, TimestampNtzType


@dataclass(frozen=True)
class SourcePlan:
    """A table of a call.

    Args:
        name: the argument.
        columns: its columns, in order.
        keys: the columns of PARTITION BY.
        order: the columns of ORDER BY.
        time: the column of ``on_time``.
    """

    name: str
    columns: tuple[Field, ...]
    keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    time: str | None = None


@dataclass(frozen=True)
class CallPlan:
    """A call, as its driver, its reader and its results need it.

    Args:
        function: the class of the function, or an object of it.
        sources: the tables that are passed; none of a function that takes none.
        key_paths: where the keys are in the input: names of columns, and of fields in them.
        time_name: the column of the input that holds the time.
        source_name: the column of the input that holds the number of the table; for several.
        scalars: the values of the scalar arguments.
        key_types: the types of the keys of one table.
        own: the columns that the function gives.
        states: the types of its state.
        fields: all columns of the result.
        signature: what the function declares, without what the call does not want; read once, for
            tasks may not know the names that its annotations use.
        naive: whether times have no time zone.
        null_times: what is done with rows whose time is NULL.
    """

    function: Any
    sources: tuple[SourcePlan, ...]
    key_paths: tuple[tuple[str, ...], ...]
    time_name: str | None
    source_name: str | None
    scalars: Mapping[str, Any]
    key_types: tuple[LogicalType, ...]
    own: tuple[Field, ...]
    states: Mapping[str, LogicalType]
    fields: tuple[Field, ...]
    signature: Signature
    naive: bool = False
    null_times: str = REFUSE

    @property
    def name(self) -> str:
        """How messages name the function."""
        return self.signature.name

    @property
    def keeps_empty(self) -> bool:
        """Whether ``finish`` is called for a table without rows, which is one partition then."""
        return not self.key_paths and self.signature.keeps_empty

    @property
    def is_tagged(self) -> bool:
        """Whether the input is several tables in one."""
        return self.source_name is not None


@dataclass(frozen=True)
class PassedTable:
    """A table as a call passes it: the argument, its columns, its keys, its order."""

    name: str
    columns: tuple[Field, ...]
    keys: tuple[str, ...] = ()
    key_types: tuple[LogicalType, ...] = ()
    order: tuple[str, ...] = ()


_NO_TABLE = PassedTable("", ())


def plan_of(
    function: object,
    tables: Sequence[PassedTable],
    scalars: Mapping[str, Any],
    on_time: Sequence[str],
    signature: Signature | None = None,
    null_times: str = REFUSE,
) -> CallPlan:
    """The plan of a call that was checked before.

    Args:
        function: the class of the function, or an object of it.
        tables: the tables; several of them are one input, tagged.
        scalars: the values of the scalar arguments that are passed.
        on_time: the time columns.
        signature: what the function declares, where it was read before.
        null_times: what is done with rows whose time is NULL.
    """
    signature = signature or signature_of(function)
    given = {each.name: each.value(scalars) for each in signature.arguments if not each.is_table}
    sources = tuple(_source(table, on_time) for table in tables)
    call = ProcessCallContext(
        signature.name,
        {table.name: StructType(fields=_data_columns(signature, table)) for table in tables},
        given,
        tuple(on_time),
        {table.name: table.keys for table in tables},
    )
    if not make_object(function).needs_finish(call):
        signature = replace(signature, finish=None)
    first = tables[0] if tables else _NO_TABLE
    tagged, time = len(tables) > 1, _source(first, on_time).time
    if tagged:
        key_paths = _paths_in_union(first.keys)
        time_name = None if time is None else TIME
    else:
        key_paths = tuple(
            tuple(key.split(".")) if _is_nested(first, key) else (key,) for key in first.keys
        )
        time_name = time
    own = signature.own_columns(call)
    time_type = None if time is None else _column(first, time).type
    if time_type is not None:
        time_type = time_type.with_nullability(null_times == LAST and _may_be_null(sources))
    keys = [
        (name.rpartition(".")[2] if _is_nested(table, name) else name, type_)
        for table in tables
        for name, type_ in zip(table.keys, table.key_types, strict=True)
    ]
    return CallPlan(
        function,
        sources,
        key_paths,
        time_name,
        SOURCE if tagged else None,
        given,
        first.key_types,
        own,
        signature.state_types(call),
        result_columns(signature, call, (keys, first.columns), time_type),
        signature,
        isinstance(time_type, TimestampNtzType),
        null_times,
    )


def refuse_timers(plan: CallPlan) -> None:
    """Over a table a call without a time has no timers, which would be in processing time.

    Raises:
        ValidationError: the function has ``on_timer``.
    """
    if plan.signature.on_timer is not None and plan.time_name is None:
        raise ValidationError(
            f"{plan.name} has timers, and its call names no time: a table is processed all at "
            "once, so that it has no other time than that of its rows",
            hint='call it with on_time=descriptor("ts"): ArgumentTrait.REQUIRES_TIME_ATTRIBUTE '
            "asks for one; over a stream such a call is in processing time",
        )


def _may_be_null(sources: Sequence[SourcePlan]) -> bool:
    """Whether the time of a row may be NULL."""
    return any(
        column.type.nullable
        for source in sources
        for column in source.columns
        if column.name == source.time
    )


def _source(table: PassedTable, on_time: Sequence[str]) -> SourcePlan:
    known = {column.name.lower(): column.name for column in table.columns}
    time = next((known[name.lower()] for name in on_time if name.lower() in known), None)
    return SourcePlan(table.name, table.columns, table.keys, table.order, time)


def _column(table: PassedTable, name: str) -> Field:
    return next(column for column in table.columns if column.name.lower() == name.lower())


def _is_nested(table: PassedTable, key: str) -> bool:
    """Whether the key is a field of a struct, and no column with dots in its name."""
    names = [column.name.lower() for column in table.columns]
    return key.lower() not in names and "." in key


def _paths_in_union(keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((KEY, name) for name in make_unique([key.rpartition(".")[2] for key in keys]))


def _data_columns(signature: Signature, table: PassedTable) -> tuple[Field, ...]:
    """The columns that the function sees; the operation of a changelog is none of them."""
    if signature.input_mode is not ChangelogMode.RETRACT:
        return table.columns
    return tuple(column for column in table.columns if column.name.lower() != OPERATION)
