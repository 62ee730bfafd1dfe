"""Joins with the nearest rows, as-of and nearest-by, as a lateral join that sorts and counts.

``JOIN LATERAL (SELECT …, sales.at - at AS distance FROM quotes … ORDER BY distance LIMIT 1)``

Spark's optimizer makes an aggregate of such joins, ``min_by`` of the distance; SQL text cannot say
that one, for its aggregates may not mix columns of the inside and of the outside. Which of several
rows at the same distance is taken is as open in Spark as it is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.builtin.conditional import IF
from viewscribe.expressions.functions.builtin.numbers import ABS
from viewscribe.expressions.literals import TRUE
from viewscribe.expressions.node import Node, holds, replace
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    OuterReference,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
    make_call,
)
from viewscribe.expressions.properties import (
    is_deterministic,
    refers_outside,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.joins import join_laterally
from viewscribe.types import (
    DateType,
    DoubleType,
    FloatType,
    IntegralType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.coercion import is_orderable


def nearest_join(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    condition: ResolvedExpression | None,
    distance: ResolvedExpression,
    *,
    descending: bool = False,
    count: int = 1,
    forgetful: bool = False,
) -> QueryOperation:
    """Each row of ``left`` beside the rows of ``right`` that are nearest to it.

    Args:
        left: the rows that look for others.
        right: the rows that are looked for.
        kind: INNER or LEFT.
        condition: over the columns of both, which rows of ``right`` count; None for all.
        distance: over the columns of both, what orders them; a row without one does not count.
        descending: whether the greatest distance comes first.
        count: how many rows at most.
        forgetful: whether Spark forgets, of an INNER join too, that columns of ``right`` are never
            NULL.

    Raises:
        NotSerializableError: a part of it that a lateral join cannot say.
    """
    _check(right, condition, distance)
    width = len(left.schema)
    kept = right
    terms = [*_conjuncts(condition), *_guards(condition, distance)]
    if terms:
        inside = tuple(_inside(each, width) for each in terms)
        kept = n.Filter.of(right, inside[0] if len(inside) == 1 else make_call(op.AND, inside))
    measured = _inside(distance, width)
    name = _free("similarity" if descending else "distance", right.schema.names)
    wide = n.WithColumns.of(kept, (Alias(measured, name, measured.type),))
    key = wide.schema.references[-1]
    ordered = n.Sort.of(wide, (SortOrder(key, descending, not descending, key.type),), False)
    nearest = n.Limit.of(ordered, count)
    if forgetful and kind is n.JoinKind.INNER and any(not f.nullable for f in right.schema):
        outer = join_laterally(left, nearest, n.JoinKind.LEFT)
        found = make_call(op.IS_NOT_NULL, (outer.schema.references[-1],))
        joined: QueryOperation = n.Filter.of(outer, found)
    else:
        joined = join_laterally(left, nearest, kind)
    return n.Project.of(joined, joined.schema.references[:-1])


def _check(
    right: QueryOperation, condition: ResolvedExpression | None, distance: ResolvedExpression
) -> None:
    given = [distance] if condition is None else [condition, distance]
    if any(holds(each, SubqueryExpression) for each in given):
        raise NotSerializableError(
            "a join with the nearest row whose condition holds a sub-query",
            hint="make the sub-query a column of one side first: withColumn()",
        )
    if not is_orderable(distance.type):
        raise NotSerializableError(
            f"a join with the nearest row by {distance.type.ddl}, which has no order",
            hint="order by a number, a date or a time",
        )
    if not all(is_deterministic(each) for each in given):
        raise NotSerializableError(
            "a join with the nearest row by chance, which is another one each time",
            hint="order by something that the rows say",
        )
    if refers_outside(right) or any(refers_outside(each) for each in given):
        raise NotSerializableError(
            "a join with the nearest row inside of a sub-query that refers to the query around it",
            hint="join first, and refer to the query around in a filter above",
        )


def _inside(expression: ResolvedExpression, width: int) -> ResolvedExpression:
    """An expression over both sides, as the query of the right side says it."""

    def step(node: Node) -> Node:
        if type(node) is not FieldReference:
            return node
        if node.index < width:
            return OuterReference(1, node.index, node.name, node.type)
        return FieldReference(node.index - width, node.name, node.type)

    made = replace(expression, step)
    assert isinstance(made, ResolvedExpression)
    return made


# -- rows without a distance -----------------------------------------------------------------------


def _guards(
    condition: ResolvedExpression | None, distance: ResolvedExpression
) -> list[ResolvedExpression]:
    """What keeps rows whose distance is NULL away, where the condition does not do so anyway."""
    compared = {
        each
        for term in _conjuncts(condition)
        if type(term) is Call and term.function in _COMPARISONS
        for each in term.args
    }
    wanted = [
        each
        for each in dict.fromkeys(_list_measured(distance))
        if each.type.nullable and each not in compared
    ]
    return [make_call(op.IS_NOT_NULL, (each,)) for each in wanted]


_COMPARISONS = (
    *(op.EQUALS, op.NOT_EQUALS),
    *(op.LESS, op.LESS_OR_EQUAL, op.GREATER, op.GREATER_OR_EQUAL),
)
"""Of what is NULL these are not true."""


def _conjuncts(condition: ResolvedExpression | None) -> list[ResolvedExpression]:
    found: list[ResolvedExpression] = []
    pending = [] if condition is None else [condition]
    while pending:
        each = pending.pop()
        if type(each) is Call and each.function is op.AND:
            pending += reversed(each.args)
        elif each != TRUE:
            found.append(each)
    return found


def _list_measured(distance: ResolvedExpression) -> Iterator[ResolvedExpression]:
    """Expressions of which one is NULL where the distance is, and only there."""
    if type(distance) is Call and distance.function is ABS:
        yield from _list_measured(distance.args[0])
        return
    pair = _difference(distance)
    if pair is not None and all(isinstance(each.type, _WHOLE) for each in pair):
        yield from pair
    else:
        yield distance


def _difference(
    distance: ResolvedExpression,
) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    """What ``a - b`` and ``if(a > b, a - b, b - a)`` take apart."""
    if type(distance) is not Call:
        return None
    if distance.function is op.MINUS:
        return distance.args[0], distance.args[1]
    if distance.function is not IF:
        return None
    greater, first, second = distance.args
    found, turned = _difference(first), _difference(second)
    if type(greater) is not Call or greater.function is not op.GREATER or found is None:
        return None
    return found if greater.args == found and turned == (found[1], found[0]) else None


_WHOLE = (IntegralType, FloatType, DoubleType, DateType, TimestampType, TimestampNtzType)
"""Types whose difference is NULL only where one of two is; that of decimals may not fit."""


def _free(wanted: str, taken: Sequence[str]) -> str:
    folded = {name.lower() for name in taken}
    name, number = wanted, 2
    while name in folded:
        name, number = f"{wanted}_{number}", number + 1
    return name
