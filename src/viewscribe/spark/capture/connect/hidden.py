"""Columns that a step left out: Spark brings them back for the moment.

A filter or sort finds those that a select left out. These two and a select find the keys that a
join by names has left out, ``df1.join(df2, "k").select(df2["k"])``: it shows one for both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError, ViewscribeError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    ResolvedExpression,
    alias,
    unaliased,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.scopes import Scope
    from viewscribe.spark.capture.connect.walker import Walk

_TRANSPARENT = (n.Filter, n.Sort, n.Limit, n.Offset, n.Hint, n.Sample)


def over_hidden(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the input with the columns it left out.

    Raises:
        UnknownColumnError: no step below has the column.
    """
    width = len(child.schema)
    wider: QueryOperation | None = child
    first: ViewscribeError | None = None
    while wider is not None:
        try:
            made = make(walk.reader(wider, visible=width), wider)
        except ViewscribeError as error:
            if not is_unknown_column(error):
                raise
            first = first or error
            wider = widened(wider)
            continue
        return made if wider is child else n.Project.of(made, made.schema.references[:width])
    assert first is not None
    raise first


def over_keys(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the join that it is with the keys of both sides.

    Raises:
        ViewscribeError: neither has what ``make`` asks for.
    """
    try:
        return make(walk.reader(child), child)
    except ViewscribeError as error:
        wider = _with_keys(child) if is_unknown_column(error) else None
        if wider is None:
            raise
        try:
            return make(walk.reader(wider, visible=len(child.schema)), wider)
        except ViewscribeError:
            raise error from error.__cause__


def star_of(scope: Scope, qualifier: Sequence[str]) -> list[FieldReference]:
    """The columns of ``d.*`` where a join by names has left out keys of ``d``: these come first.

    Returns:
        Nothing where no key was left out.

    Raises:
        UnknownColumnError: keys were left out, and are not there now.
    """
    wanted = tuple(part.lower() for part in qualifier)
    width = len(scope.shown)
    found = _of_qualifier(scope.schema, wanted)
    if any(reference.index >= width for reference in found):
        return sorted(found, key=lambda reference: reference.index < width)
    for place in scope.places:
        wider = _with_keys(place.operation)
        shown = len(place.operation.schema)
        if wider and any(each.index >= shown for each in _of_qualifier(wider.schema, wanted)):
            raise UnknownColumnError(
                f"`{'.'.join(qualifier)}.*` has a key that the join shows for both sides",
                location=f"({scope.schema})",
                hint="name the columns in a select",
            )
    return []


def _of_qualifier(schema: Schema, wanted: tuple[str, ...]) -> list[FieldReference]:
    return [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if wanted and tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    ]


def _with_keys(operation: QueryOperation) -> QueryOperation | None:
    """The step with the keys at its end that a join by names below has left out."""
    path: list[QueryOperation] = []
    while isinstance(operation, (*_TRANSPARENT, n.Project)):
        path.append(operation)
        operation = operation.child
    if not isinstance(operation, n.Join):
        return None
    wider = widened(operation)
    if wider is None:
        return None
    count = len(wider.schema) - len(operation.schema)
    for step in reversed(path):
        if isinstance(step, n.Project):
            wider = n.Project.of(wider, (*step.expressions, *wider.schema.references[-count:]))
        else:
            wider = step.copy_with({"child": wider})
    return wider


def is_unknown_column(error: BaseException | None) -> bool:
    """Whether the error is, or was made of, one of a column that is not there."""
    while error is not None:
        if isinstance(error, UnknownColumnError):
            return True
        error = error.__cause__
    return False


def widened(operation: QueryOperation) -> QueryOperation | None:
    """The step with the columns at its end that its nearest projection left out."""
    path: list[QueryOperation] = []
    while isinstance(operation, _TRANSPARENT):
        path.append(operation)
        operation = operation.child
    shown = _shown(operation)
    if shown is None:
        return None
    below, expressions = shown
    known = {each.index for each in expressions if type(each) is FieldReference}
    lacking = tuple(ref for ref in below.schema.references if ref.index not in known)
    if not lacking:
        return None
    wider: QueryOperation = n.Project.of(below, (*expressions, *lacking))
    for step in reversed(path):
        wider = step.copy_with({"child": wider})
    return wider


def _shown(
    operation: QueryOperation,
) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """What a projection reads, and the columns it makes of it."""
    if isinstance(operation, n.Project):
        return operation.child, operation.expressions
    if isinstance(operation, n.Join) and operation.using:
        return _joined_on(operation)
    if not isinstance(operation, n.WithColumns):
        return None
    columns: list[ResolvedExpression] = [*operation.child.schema.references]
    for place, column in zip(operation.places(), operation.columns, strict=True):
        columns[place : place + 1] = [column]
    return operation.child, tuple(columns)


def _joined_on(join: n.Join) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """A join by names as Spark makes it: one on equal keys, and a projection to one key each."""
    left, right = join.left.schema, join.right.schema
    if not join.kind.keeps_right:
        return None
    both = n.join_schema(left, right, n.JoinKind.INNER)
    pairs = [(left.find(name), right.find(name) + len(left)) for name in join.using]
    keys = [_call("equals", both.reference(one), both.reference(other)) for one, other in pairs]
    condition = keys[0]
    for key in keys[1:]:
        condition = _call("and", condition, key)
    made = n.Join.of(join.left, join.right, join.kind, condition)
    columns: list[ResolvedExpression] = []
    for place, other in n.using_columns(left, right, join.kind, join.using):
        column: ResolvedExpression = made.schema.reference(place)
        if other is not None:
            shared = _call("coalesce", column, made.schema.reference(other))
            column = alias(shared, left.names[place])
        columns.append(column)
    types = tuple(unaliased(column).type for column in columns)
    same = types == tuple(field.type for field in join.schema.fields)
    return (made, tuple(columns)) if same else None


def _call(name: str, *args: ResolvedExpression) -> ResolvedExpression:
    function = built_in(name)
    return Call(function, args, function.infer(args))
