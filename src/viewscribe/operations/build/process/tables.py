"""The tables of a call: keys, order and time of each, checked; several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viewscribe.errors import TypeMismatchError, ValidationError, did_you_mean
from viewscribe.expressions.functions.process.changelog import OPERATION, ChangelogMode
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    DROP,
    KEY,
    REFUSE,
    SOURCE,
    TIME,
    StaticArgument,
)
from viewscribe.expressions.functions.process.signature import Signature
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.resolve import Scope, cast_if_needed, resolve_sort
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import forbid, refuse_session
from viewscribe.operations.build.process.arguments import TableArgument
from viewscribe.operations.build.process.keys import add_key_columns, check_path, keys_of
from viewscribe.types import (
    VOID,
    LogicalType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)

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
