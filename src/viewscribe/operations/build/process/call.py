"""A call of a process table function: bound, checked, and made into an operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.process.changelog import OPERATION, ChangelogMode
from viewscribe.expressions.functions.process.declarations import signature_of
from viewscribe.expressions.functions.process.inference import (
    KEY,
    LAST,
    SOURCE,
    TIME,
    ProcessCallContext,
)
from viewscribe.expressions.functions.process.output import result_columns
from viewscribe.expressions.functions.process.signature import Signature
from viewscribe.expressions.functions.python_modules import with_implementation
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, SortOrder
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.process.arguments import Bound, bind
from viewscribe.operations.build.process.tables import (
    Part,
    check_together,
    part_of,
    tag,
)
from viewscribe.types import LogicalType, StructType


def process(
    function: FunctionDefinition,
    given: Sequence[Any],
    named: Mapping[str, Any] | None = None,
    *,
    together: bool = False,
) -> n.Process:
    """The call of a process table function.

    Args:
        function: what is called.
        given: its arguments in order, ``TableArgument``, constants, or ``NamedArgument`` of those.
        named: further arguments by name; ``on_time`` and ``uid`` among them.
        together: whether all tables are partitioned together, without being told so.

    Raises:
        ValidationError: an argument is missing, unknown or of the wrong kind, a table is not
            partitioned, has no time, … ; says what to write.
    """
    function = process_function(function)
    signature = signature_of(function.source.implementation)
    bound = bind(signature, given, named or {})
    for name, table in bound.tables.items():
        if refers_outside(table.operation):
            raise ValidationError(
                f"the table `{name}` of {signature.name} refers to the row around the call: Spark "
                "calls functions over tables once, not for each row",
                hint="call it over the whole table, and join what it gives with the other one",
            )
    columns = {name: table.operation.schema.names for name, table in bound.tables.items()}
    check_times(signature, columns, bound.on_time)
    parts = [
        part_of(signature, each, bound.tables[each.name], bound.on_time, bound.null_times)
        for each in signature.tables
        if each.name in bound.tables
    ]
    if len(parts) > 1:
        links = [bound.tables[part.name].copartition for part in parts]
        if together:
            links = [parts[0].name] * len(parts)
        check_together(signature, parts, links)
    _check_links(signature, parts, bound)
    check_lasting(signature, parts)
    fields = result_columns(
        signature,
        call_context(signature, parts, bound),
        _list_keys(parts),
        _time_type(parts, bound),
    )
    child, keys, order = _input_of(parts, bound.null_times == LAST)
    by_row = not any(signature.argument(part.name).is_set for part in parts)
    scalars = {each.name: bound.scalars.get(each.name) for each in signature.arguments}
    passed = {name: value for name, value in scalars.items() if value is not None}
    return n.Process.of(
        child,
        function,
        tuple(part.name for part in parts),
        tuple(name for part in parts for name in part.names),
        keys,
        order,
        tuple(passed),
        tuple(passed.values()),
        bound.on_time,
        by_row,
        fields,
        bound.uid,
    )


def process_function(function: FunctionDefinition) -> UserFunction:
    """The process table function with its class, which is imported where that is allowed.

    Raises:
        ValidationError: it is another kind of function.
        ForbiddenModuleError: it is known by its name alone, and its module was not allowed.
        ChangedFunctionError: it is not what was stored.
    """
    if function.kind is not FunctionKind.PROCESS_TABLE or not isinstance(function, UserFunction):
        raise ValidationError(
            f"{function!r} is no process table function",
            hint="from_function(…) calls functions that are tables; expressions call all others",
        )
    return with_implementation(function)


def call_context(signature: Signature, parts: Sequence[Part], bound: Bound) -> ProcessCallContext:
    """The call as the function's strategies see it."""
    retract = signature.input_mode is ChangelogMode.RETRACT
    scalars = {name: value.value for name, value in bound.scalars.items()}
    return ProcessCallContext(
        signature.name,
        {
            part.name: StructType(
                fields=tuple(
                    field
                    for field in part.operation.schema.fields
                    if not (retract and field.name.lower() == OPERATION)
                )
            )
            for part in parts
        },
        {each.name: each.value(scalars) for each in signature.arguments if not each.is_table},
        bound.on_time,
        {part.name: part.names for part in parts},
    )


def _list_keys(parts: Sequence[Part]) -> Any:
    """The keys, of which each table has the same in a partition, NULL where one of them may be."""
    nullable = [
        any(key.type.nullable for key in same)
        for same in zip(*[part.keys for part in parts], strict=True)
    ]
    keys = [
        (name, key.type.with_nullability(may_be))
        for part in parts
        for name, key, may_be in zip(part.names, part.keys, nullable, strict=True)
    ]
    return keys, (parts[0].operation.schema.fields if parts else ())


def _time_type(parts: Sequence[Part], bound: Bound) -> LogicalType | None:
    """The type of the times of the result: NULL where rows without a time are kept."""
    times = [part.time.type for part in parts if part.time is not None]
    if not times:
        return None
    may_be_null = bound.null_times == LAST and any(type_.nullable for type_ in times)
    return times[0].with_nullability(may_be_null)


def _input_of(
    parts: Sequence[Part], last: bool
) -> tuple[QueryOperation, tuple[ResolvedExpression, ...], tuple[SortOrder, ...]]:
    """The input of the call, its keys and its order; without a table, one row without columns."""
    if not parts:
        return n.OneRow.of(), (), ()
    if len(parts) == 1:
        return parts[0].operation, *_of_table(parts[0], last)
    child = tag(parts)
    return child, *_of_union(child, parts, last)


def _of_table(
    part: Part, last: bool
) -> tuple[tuple[ResolvedExpression, ...], tuple[SortOrder, ...]]:
    return part.keys, (() if part.time is None else (_ascending(part.time, last),)) + part.order


def _of_union(
    child: QueryOperation, parts: Sequence[Part], last: bool
) -> tuple[tuple[ResolvedExpression, ...], tuple[SortOrder, ...]]:
    by_name = {reference.name: reference for reference in child.schema.references}
    keys = (by_name[KEY],) if parts[0].keys else ()
    order = [by_name[TIME]] if parts[0].time is not None else []
    times = tuple(_ascending(each, last) for each in order)
    return keys, (*times, _ascending(by_name[SOURCE]))


def _ascending(column: FieldReference, nulls_last: bool = False) -> SortOrder:
    return SortOrder(column, False, not nulls_last, column.type)


def check_times(
    signature: Signature, tables: Mapping[str, Sequence[str]], on_time: Sequence[str]
) -> None:
    """Refuses a time column that no table has.

    Args:
        signature: the function.
        tables: the names of the columns of each table.
        on_time: the time columns.
    """
    if on_time and not tables:
        raise ValidationError(
            f"{signature.name} is called with on_time, and takes no table that has a time",
            hint="leave on_time out",
        )
    known = [name.lower() for names in tables.values() for name in names]
    for name in on_time:
        if name.lower() not in known:
            raise ValidationError(
                f"on_time names the column `{name}`, which no table of {signature.name} has",
                location="; ".join(
                    f"{name} ({', '.join(names)})" for name, names in tables.items()
                ),
                hint="name a TIMESTAMP column of each table",
            )


def check_lasting(signature: Signature, parts: Sequence[Part]) -> None:
    """Refuses state with a time to live in a call without time."""
    lasting = next((each for each in signature.states if each.ttl is not None), None)
    if lasting is not None and all(part.time is None for part in parts):
        raise ValidationError(
            f"the state `{lasting.name}` of {signature.name} lives for {lasting.ttl} of event time,"
            " and the call names no time",
            hint='write on_time=descriptor("ts")',
        )


def _check_links(signature: Signature, parts: Sequence[Part], bound: Bound) -> None:
    names = [part.name.lower() for part in parts]
    for part in parts:
        link = bound.tables[part.name].copartition
        if link is not None and (link.lower() not in names or link.lower() == part.name.lower()):
            raise ValidationError(
                f"{signature.name}: `{part.name}` is to be partitioned together with `{link}`, "
                "which is no other table of the call",
                location=f"tables: {', '.join(part.name for part in parts)}",
                hint='copartition_with("…") names a table argument',
            )
