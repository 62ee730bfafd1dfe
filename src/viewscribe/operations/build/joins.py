"""Builders for joins, plain and lateral."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.constructors import and_
from viewscribe.expressions.literals import TRUE
from viewscribe.expressions.node import find
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.properties import refers_outside
from viewscribe.expressions.resolve import (
    Scope,
    evaluate_query,
    require_boolean,
    resolve_in,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import forbid, place_errors, refuse_session
from viewscribe.operations.build.columns import generate
from viewscribe.types.arguments import as_texts
from viewscribe.types.coercion import is_comparable


@place_errors("join")
def join(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    on: object = None,
    using: Sequence[str] | str | None = None,
) -> n.Join:
    """Joins two inputs ON a condition over both, or USING columns of equal name."""
    refuse_session(left)
    refuse_session(right)
    if isinstance(on, str) or (isinstance(on, list | tuple) and on and isinstance(on[0], str)):
        using, on = on, None
    if isinstance(on, list | tuple):
        on = and_(*on) if on else None
    if using is not None:
        return _join_using(left, right, kind, _names(using))
    if on is None:
        if kind in (n.JoinKind.INNER, n.JoinKind.CROSS):
            return n.Join.of(left, right, kind)
        raise ValidationError(
            f"a {kind.name.lower()} join needs a condition", hint="give on=… or using=…"
        )
    if kind is n.JoinKind.CROSS:
        raise ValidationError("a cross join has no condition", hint="use join(…, on=…)")
    scope = Scope(Schema.side_by_side(left.schema, right.schema))
    condition = require_boolean(resolve_in(on, scope), "join")
    forbid(scope, "a join condition")
    return n.Join.of(left, right, kind, condition)


def _names(using: Sequence[str] | str) -> tuple[str, ...]:
    return (using,) if isinstance(using, str) else as_texts(using, "using")


def _join_using(
    left: QueryOperation, right: QueryOperation, kind: n.JoinKind, using: tuple[str, ...]
) -> n.Join:
    if kind is n.JoinKind.CROSS:
        kind = n.JoinKind.INNER
    for name in using:
        a, b = left.schema[left.schema.find(name)], right.schema[right.schema.find(name)]
        if not is_comparable(a.type, b.type):
            raise TypeMismatchError(
                f"join using `{name}`: {a.type.ddl} and {b.type.ddl} cannot be compared"
            )
    names = tuple(left.schema[left.schema.find(name)].name for name in using)
    return n.Join.of(left, right, kind, None, names)


def lateral_join(
    left: QueryOperation, query: object, kind: n.JoinKind, on: object = None
) -> QueryOperation:
    """Joins each row of ``left`` with the rows of a query that may refer to it.

    ``query`` is a table, a function from ``OuterColumns`` to a table, or a generator call.
    """
    if isinstance(query, dsl.Expression):
        return _lateral_generator(left, query, kind, on)
    refuse_session(left)
    right = evaluate_query(query, left.schema)
    refuse_session(right)
    condition = None
    if on is not None:
        scope = Scope(n.LateralJoin.of(left, right, n.JoinKind.INNER).schema)
        condition = require_boolean(resolve_in(on, scope), "a lateral join")
        forbid(scope, "a join condition")
    return join_laterally(left, right, kind, condition)


def join_laterally(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    condition: ResolvedExpression | None = None,
) -> n.Join | n.LateralJoin:
    """The lateral join; one without LATERAL where ``right`` calls a process table function.

    Raises:
        ValidationError: ``right`` calls one and refers to the row of ``left``.
    """
    called = next(find(right, n.Process), None)
    if called is None:
        return n.LateralJoin.of(left, right, kind, condition)
    if not refers_outside(right):
        if condition is None and kind is n.JoinKind.LEFT:
            condition = TRUE
        return n.Join.of(left, right, kind, condition)
    raise ValidationError(
        f"a lateral join with a query that calls the process table function "
        f"{called.function!r} and refers to the row around it: Spark calls functions over tables "
        "once, not for each row",
        hint="let the query stand for itself, and write what refers to the other table into ON, "
        "or into WHERE and SELECT of a query around the join",
    )


def _lateral_generator(
    left: QueryOperation, query: dsl.Expression, kind: n.JoinKind, on: Any
) -> QueryOperation:
    if on is not None:
        raise ValidationError("a generator takes no condition", hint="filter the result")
    return generate(left, query, outer=kind is n.JoinKind.LEFT)
