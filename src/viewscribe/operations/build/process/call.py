"""A call of a process table function: bound, checked, and made into an operation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from viewscribe.errors import NotSerializableError, TypeMismatchError, ValidationError, did_you_mean
from viewscribe.expressions import dsl
from viewscribe.expressions.constructors import col
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.process.context import signature_of
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    DROP,
    KEY,
    LAST,
    REFUSE,
    SOURCE,
    TIME,
    ProcessCallContext,
    Signature,
    StaticArgument,
    result_columns,
)
from viewscribe.expressions.functions.process.rows import OPERATION, ChangelogMode
from viewscribe.expressions.functions.python_modules import with_implementation
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.properties import refers_outside
from viewscribe.expressions.resolve import Scope, cast_if_needed, resolve_sort
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import forbid, refuse_session
from viewscribe.operations.build.process.arguments import (
    Bound,
    TableArgument,
    add_key_columns,
    bind,
    check_key,
    check_path,
    keys_of,
)
from viewscribe.types import (
    VOID,
    Field,
    LogicalType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import value_type

# The tables of a call: keys, order and time of each, checked; several of them as one.

_T = ArgumentTrait


@dataclass(frozen=True)
class Part:
    """A table of a call with what is known of it.

    Args:
        name: the argument it is passed as.
        operation: the table.
        keys: what it is partitioned by; the names are those of the columns.
        names: the names of the partition columns.
        order: its order, after the time.
        time: the time column, or None.
        partitioned: whether the call says PARTITION BY.
    """

    name: str
    operation: QueryOperation
    keys: tuple[ResolvedExpression, ...]
    names: tuple[str, ...]
    order: tuple[SortOrder, ...]
    time: FieldReference | None
    partitioned: bool


def part_of(
    signature: Signature,
    argument: StaticArgument,
    given: TableArgument,
    on_time: Sequence[str],
    null_times: str = REFUSE,
) -> Part:
    """The table of an argument, checked against what the function declares."""
    where = f"the table `{argument.name}` of {signature.name}"
    refuse_session(given.operation)
    _check_columns(signature, where, argument, given.operation)
    given = add_key_columns(where, _fit_table(argument, given))
    keys, names = keys_of(where, argument, given)
    time = _time(where, given.operation, on_time)
    if time is None and argument.has(_T.REQUIRES_TIME_ATTRIBUTE):
        raise ValidationError(
            f"{where} requires a time column, and on_time names none of its columns",
            location=f"({', '.join(given.operation.schema.names)})",
            hint='write descriptor("ts").as_argument("on_time")',
        )
    order = _order(where, argument, given, time)
    operation = given.operation
    if null_times == DROP and time is not None and time.type.nullable:
        function = built_in("is_not_null")
        operation = n.Filter.of(operation, Call(function, (time,), function.infer((time,))))
    return Part(argument.name, operation, keys, names, order, time, given.partition_by is not None)


def _check_columns(
    signature: Signature, where: str, argument: StaticArgument, table: QueryOperation
) -> None:
    names = [name.lower() for name in table.schema.names]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValidationError(
            f"{where} has two columns `{twice}`", hint="rename one: rename_columns(…)"
        )
    if any(name.startswith("partition_by_") for name in names):
        raise ValidationError(
            f"{where} has a column partition_by_…, a name that Spark uses itself",
            hint="rename it: rename_columns(…)",
        )
    if signature.input_mode is ChangelogMode.RETRACT:
        field = StructType(fields=table.schema.fields).field(OPERATION)
        if field is None or not isinstance(field.type, StringType):
            raise ValidationError(
                f"{where} is a changelog, and has no text column `{OPERATION}`",
                location=f"({', '.join(table.schema.names)})",
                hint="it holds +I, -U, +U or -D: make it with to_changelog, or add_columns(…)",
            )
    if isinstance(argument.type, StructType):
        for wanted in argument.type.fields:
            if wanted.name.lower() not in names:
                raise ValidationError(
                    f"{where} has no column `{wanted.name}` ({wanted.type.as_nullable().ddl})",
                    location=f"({', '.join(table.schema.names)})",
                    hint=did_you_mean(wanted.name, table.schema.names)
                    or "select the columns that the function takes",
                )


def _fit_table(argument: StaticArgument, given: TableArgument) -> TableArgument:
    """The table, its columns cast to those that the function declares."""
    declared = argument.type
    if not isinstance(declared, StructType):
        return given
    table = given.operation
    changed: list[Alias] = []
    for wanted in declared.fields:
        place = table.schema.find(wanted.name)
        column = table.schema.references[place]
        if column.type.as_nullable().same_type(wanted.type.as_nullable()):
            continue
        try:
            cast = cast_if_needed(column, wanted.type.with_nullability(column.type.nullable))
        except TypeMismatchError as error:
            raise TypeMismatchError(
                f"the column `{wanted.name}` of the table `{argument.name}` is {column.type.ddl}, "
                f"and the function takes {wanted.type.as_nullable().ddl}",
                hint="cast it before",
            ) from error
        changed.append(Alias(cast, table.schema.names[place], cast.type))
    if not changed:
        return given
    return TableArgument(
        n.WithColumns.of(table, tuple(changed)),
        given.partition_by,
        given.order_by,
        given.copartition,
    )


# -- time and order --------------------------------------------------------------------------------


def _time(where: str, table: QueryOperation, on_time: Sequence[str]) -> FieldReference | None:
    by_name = table.schema.by_name
    found = [name for name in on_time if by_name.find_unique(name.lower()) >= 0]
    if not found:
        return None
    if len(found) > 1:
        raise ValidationError(
            f"on_time names two columns of {where}: {', '.join(found)}",
            hint="drop or rename one of them in the table first",
        )
    column = table.schema.references[table.schema.find(found[0])]
    if not isinstance(column.type, TimestampType | TimestampNtzType):
        raise TypeMismatchError(
            f"{where}: the time column `{found[0]}` is {column.type.ddl}",
            hint='cast it first: col("ts").cast("TIMESTAMP")',
        )
    return column


def _order(
    where: str, argument: StaticArgument, given: TableArgument, time: FieldReference | None
) -> tuple[SortOrder, ...]:
    if not given.order_by:
        if argument.has(_T.REQUIRES_ORDER_BY):
            raise ValidationError(
                f"{where} requires an order",
                hint=f'write table.partition_by(…).order_by("ts").as_argument("{argument.name}")',
            )
        return ()
    scope = Scope(given.operation.schema)
    order = tuple(resolve_sort(key, scope) for key in given.order_by)
    forbid(scope, "order_by")
    for key in order:
        check_path(where, "ORDER BY", key.child, argument.has(_T.SUPPORTS_NESTED_ORDER_BY))
    if time is None:
        return order
    first = order[0]
    if first.child != time or first.descending:
        raise ValidationError(
            f"{where} is ordered by {first.as_summary_string()}, and its rows come in the order of "
            f"the time column `{time.name}`",
            hint=f'order it by "{time.name}" first, or leave order_by out',
        )
    return order[1:]


def check_together(
    signature: Signature, parts: Sequence[Part], linked: Sequence[str | None]
) -> None:
    """Several tables must be partitioned together, by keys of equal types, at times of one type."""
    first = parts[0]
    folded = [name.lower() for name in first.names]
    twice = next((name for name in first.names if folded.count(name.lower()) > 1), None)
    if twice is not None:
        raise ValidationError(
            f"{signature.name}: two keys of the table `{first.name}` are called `{twice}`",
            hint="several tables are partitioned by columns of different names: rename one",
        )
    for part, link in zip(parts[1:], linked[1:], strict=True):
        known = [link, linked[0]] if part is parts[1] else [link]
        if part.partitioned and not any(known):
            raise ValidationError(
                f"{signature.name}: the tables `{first.name}` and `{part.name}` are partitioned, "
                "but not together",
                hint=f'write table.partition_by(…).copartition_with("{first.name}")'
                f'.as_argument("{part.name}")',
            )
        one, other = [key.type for key in first.keys], [key.type for key in part.keys]
        same = len(one) == len(other) and all(
            a.as_nullable().same_type(b.as_nullable()) for a, b in zip(one, other, strict=True)
        )
        if not same:
            raise ValidationError(
                f"{signature.name}: `{first.name}` is partitioned by ({_ddl(one)}), and "
                f"`{part.name}` by ({_ddl(other)})",
                hint="partition both by as many columns of the same types: cast them first",
            )
        if part.order or first.order:
            raise ValidationError(
                f"{signature.name} takes several tables, whose rows come in the order of their "
                "time alone",
                hint="leave order_by out, or order by the time column",
            )
    times = [part.time for part in parts]
    if any(time is None for time in times) and any(time is not None for time in times):
        lacking = parts[[time is None for time in times].index(True)]
        raise ValidationError(
            f"on_time names no column of the table `{lacking.name}`",
            location=f"({', '.join(lacking.operation.schema.names)})",
            hint='name one column of each table: descriptor("left_time", "right_time")',
        )
    types = {time.type.as_nullable().ddl for time in times if time is not None}
    if len(types) > 1:
        raise TypeMismatchError(
            f"the time columns of {signature.name} are of different types: "
            f"{', '.join(sorted(types))}",
            hint="cast one of them first",
        )


def _ddl(types: Sequence[LogicalType]) -> str:
    return ", ".join(type_.as_nullable().ddl for type_ in types)


# -- several tables as one -------------------------------------------------------------------------


def tag(parts: Sequence[Part]) -> QueryOperation:
    """All rows of the tables in one, each in the STRUCT of its table.

    ``__key`` holds the keys, ``__time`` the time, ``__source`` the number of the table.
    """
    made: QueryOperation | None = None
    for place, part in enumerate(parts):
        columns: list[ResolvedExpression] = []
        if part.keys:
            columns.append(_name_column(_struct(part.keys), KEY))
        if part.time is not None:
            columns.append(_name_column(part.time, TIME))
        columns.append(_name_column(literal(place), SOURCE))
        for other in parts:
            own = other is part
            held = _struct(part.operation.schema.references) if own else Literal(None, VOID)
            columns.append(_name_column(held, other.name))
        branch = n.Project.of(part.operation, tuple(columns))
        made = (
            branch if made is None else n.SetOperation.of(made, branch, n.SetKind.UNION, all=True)
        )
    assert made is not None
    return made


def _struct(values: Sequence[ResolvedExpression]) -> ResolvedExpression:
    function = built_in("struct")
    return Call(function, tuple(values), function.infer(tuple(values)))


def _name_column(value: ResolvedExpression, name: str) -> Alias:
    return Alias(value, name, value.type)


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


# Calls as SQL text has them, checked by what the tree checks.
#
# Text that a tree became says nothing wrong; text that someone wrote may. Spark tells a function
# the columns of its tables and the constants, so that is what can be checked before rows come.


@dataclass(frozen=True)
class WrittenTable:
    """A table of a call in SQL text.

    Args:
        name: the argument.
        columns: its columns.
        keys: what ``keys`` says of it, as paths.
        key_types: their types.
    """

    name: str
    columns: tuple[Field, ...]
    keys: tuple[tuple[str, ...], ...]
    key_types: tuple[LogicalType, ...]


def empty_error(signature: Signature) -> NotSerializableError:
    """A call in SQL text whose function wants to be called for a table without rows."""
    return NotSerializableError(
        f"{signature.name} keeps a table without rows (KEEP_WHEN_EMPTY), and for one Spark SQL "
        "calls no function in Python: its text would give no row where the table gives one",
        hint="run the table itself, table.to_dataframe(spark), or partition it",
    )


def check_written(
    signature: Signature,
    tables: Sequence[WrittenTable],
    on_time: Sequence[str],
    scalars: Collection[str],
) -> None:
    """Refuses a call that the tree would refuse.

    Args:
        signature: the function.
        tables: the tables that are passed.
        on_time: the time columns.
        scalars: the names of the constants that are passed.

    Raises:
        ValidationError: says what to write.
    """
    passed = {*scalars, *(table.name for table in tables)}
    for argument in signature.arguments:
        if argument.name not in passed and not argument.is_optional:
            raise ValidationError(
                f"{signature.name} is called without the argument `{argument.name}`",
                location=signature.text,
                hint=f"write {argument.name} => …",
            )
    names = {table.name: [field.name for field in table.columns] for table in tables}
    check_times(signature, names, on_time)
    alone = len(tables) < 2
    parts = [
        _part(signature, signature.argument(table.name), table, on_time, alone=alone)
        for table in tables
    ]
    if not alone:
        check_together(signature, parts, [parts[0].name] * len(parts))
    check_lasting(signature, parts)


def _part(
    signature: Signature,
    argument: StaticArgument,
    table: WrittenTable,
    on_time: Sequence[str],
    *,
    alone: bool,
) -> Part:
    where = f"the table `{table.name}` of {signature.name}"
    is_optional = argument.has(ArgumentTrait.OPTIONAL_PARTITION_BY)
    if argument.is_set and not table.keys and not is_optional:
        raise ValidationError(
            f"{where} has set semantics, and `keys` does not say by what it is partitioned",
            hint=f"write {table.name} => TABLE(…) PARTITION BY (k) and keys => array('k'): Spark "
            "tells no function its PARTITION BY",
        )
    for path, type_ in zip(table.keys, table.key_types, strict=False):
        check_key(where, ".".join(path), type_)
    operation = n.Values.of((), table.columns)
    keys = tuple(map(_column, table.keys)) if table.keys and alone else None
    given = TableArgument(operation, keys)  # the keys of several tables are a column beside them
    argument = _as_written(argument) if keys else _without_keys(_as_written(argument))
    part = part_of(signature, argument, given, on_time)
    if part.operation is not operation:
        raise ValidationError(
            f"{where} has columns of other types than the function takes",
            location=", ".join(f"{field.name} {field.type.ddl}" for field in table.columns),
            hint=f"cast them in TABLE(…): it takes {argument.text}",
        )
    return part


def _as_written(argument: StaticArgument) -> StaticArgument:
    """The argument by what analyzing sees: texts without their lengths, and no ORDER BY."""
    return replace(
        argument,
        traits=argument.traits - {ArgumentTrait.REQUIRES_ORDER_BY},
        type=None if argument.type is None else value_type(argument.type),
    )


def _without_keys(argument: StaticArgument) -> StaticArgument:
    return replace(argument, traits=argument.traits | {ArgumentTrait.OPTIONAL_PARTITION_BY})


def _column(path: Sequence[str]) -> dsl.Expression:
    found: dsl.Expression = col(quote_identifier(path[0]))
    for name in path[1:]:
        found = found.get(name)
    return found
