"""What every builder checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from viewscribe.errors import TypeMismatchError, ValidationError, ViewscribeError
from viewscribe.expressions import dsl
from viewscribe.expressions.nodes import (
    FieldReference,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.expressions.resolve import (
    Scope,
    resolve_in,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.time_windows import with_windows_below
from viewscribe.operations.summary import summary_line
from viewscribe.types.coercion import is_groupable, supports_distinct

Builder = TypeVar("Builder", bound=Callable[..., Any])


_PLACES: dict[Callable[..., Any], str] = {}


def place_errors(where: str) -> Callable[[Builder], Builder]:
    """A builder of which ``say_where`` knows what the operation it builds is called.

    It stays itself: a function around each builder would cost more than most of them do.
    """

    def register(builder: Builder) -> Builder:
        _PLACES[builder] = where
        return builder

    return register


def say_where(error: ViewscribeError, builder: Callable[..., Any], child: QueryOperation) -> None:
    """Adds to an error about columns which operation was being built, and over what."""
    where = _PLACES.get(builder)
    if where is not None and error.message.endswith(" in the input"):
        error.message += f" of {where}"
        if child.input_fields:
            error.location = f"{summary_line(child)} {error.location}"


def forbid(
    scope: Scope, where: str, *, aggregates: str | None = None, windows: str | None = None
) -> None:
    """Refuses what the scope met and the operation cannot hold; the texts say the way out."""
    if scope.aggregates:
        hint = aggregates or "aggregate first: group_by(…).select(…)"
        raise ValidationError(f"an aggregate function cannot stand in {where}", hint=hint)
    if scope.windows:
        hint = windows or "compute it in select(…) or add_columns(…) first, under a name"
        raise ValidationError(f"a window function cannot stand in {where}", hint=hint)
    if scope.generators:
        raise ValidationError(
            f"a generator cannot stand in {where}", hint="use .explode(…) or .generate(…) first"
        )


def refuse_rows_of_groups(scope: Scope, *, grouped: bool = False) -> None:
    """Refuses a generator beside, or over, aggregates: its rows are made once the groups are."""
    if scope.generators and (grouped or scope.aggregates):
        raise ValidationError(
            "a generator cannot stand beside an aggregate function, or be of one",
            hint='aggregate first, group_by(…).select(….alias("every")), then make rows of that '
            'column, explode("every")',
        )


def refuse_duplicates(names: Sequence[str], where: str) -> None:
    """Refuses two columns of one name."""
    if len(names) == 1:
        return
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ValidationError(f"{where} was given `{name}` twice")
        seen.add(name.lower())


def column_place(schema: Schema, name: object) -> int:
    """The position of the column that a user named."""
    scope = Scope(schema)
    found = resolve_in(dsl.column_or(name), scope)
    if not isinstance(found, FieldReference):
        raise ValidationError(f"{found.as_summary_string()} is not a column")
    return found.index


def windows_below(scope: Scope, operation: QueryOperation) -> QueryOperation:
    """The operation, with a window of time that was met in it as a step below it."""
    return with_windows_below(operation) if scope.time_windows else operation


def refuse_session(child: QueryOperation) -> None:
    """Refuses to go on from a session window otherwise than by grouping."""
    if type(child) is n.TimeWindow and child.is_session:
        raise ValidationError(
            "a session window only exists in groups",
            hint=f'follow it with group_by("{child.name}", …)',
        )


def require_distinct(schema: Schema, where: str) -> None:
    """Refuses columns whose values Spark does not compare: maps and variants, wherever inside."""
    for field in schema:
        if not supports_distinct(field.type):
            raise TypeMismatchError(
                f"{where} compares rows, and `{field.name}` is {field.type.ddl}",
                hint=f"leave it out, or take to_json({field.name}) instead",
            )


def require_groupable(key: ResolvedExpression) -> None:
    """Refuses a key of groups whose values Spark does not compare: a variant, wherever inside."""
    if not is_groupable(key.type):
        raise TypeMismatchError(
            f"{key.type.ddl} cannot be a grouping key", hint="group by to_json(…) of it"
        )


def check_session(child: QueryOperation, keys: Sequence[ResolvedExpression]) -> None:
    """A session window must be among the keys of the aggregate above it."""
    if isinstance(child, n.TimeWindow) and child.is_session:
        last = len(child.schema) - 1
        places = [key.index for key in map(strip_alias, keys) if isinstance(key, FieldReference)]
        if last not in places:
            refuse_session(child)
