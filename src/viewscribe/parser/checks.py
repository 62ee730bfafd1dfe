"""What Spark's analyzer refuses although every name and type in it fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.marks import IS_GENERATOR
from viewscribe.expressions.node import find, find_marked, is_query
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    Literal,
    Over,
    ResolvedExpression,
    ScalarSubquery,
    SubqueryExpression,
)
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.operations import build
from viewscribe.parser import syntax as s
from viewscribe.parser.correlation import refuse_around
from viewscribe.types import DateType, DayTimeIntervalType, TimestampNtzType, TimestampType

ONLY_TABLES = ("variant_explode", "variant_explode_outer")
"""Functions that stand in FROM alone."""


def refuse_nested(name: str, args: Iterable[Any], *, aggregate: bool) -> None:
    """Refuses generators among arguments, and aggregates among those of an aggregate."""
    for each in args:
        if not isinstance(each, ResolvedExpression):
            continue
        if build.is_generator(each):
            raise ValidationError(
                "a generator cannot be an argument of a call", hint="use LATERAL VIEW"
            )
        if not aggregate:
            continue
        if has_aggregate(each):
            raise ValidationError(
                f"{name}() is given an aggregate", hint="aggregate in a query of its own first"
            )
        if has_window(each):
            raise ValidationError(
                f"{name}() is given a window function",
                hint="compute it in a query of its own first",
            )
        if not is_deterministic(each):
            raise ValidationError(
                f"{name}() is given what is another value each time",
                hint="compute it in a query of its own first",
            )


def refuse_in_filter(condition: ResolvedExpression) -> None:
    """Refuses aggregates and windows in the FILTER of an aggregate."""
    for node in find(condition, AggregateCall, Over, skip=is_query):
        what = "a window function" if isinstance(node, Over) else "an aggregate function"
        raise ValidationError(
            f"{what} cannot stand in FILTER", hint="compute it in a query of its own first"
        )
    if not is_deterministic(condition):
        raise ValidationError("a FILTER takes a condition that is the same each time")


def refuse_in_order(key: ResolvedExpression) -> None:
    """Refuses generators and the sub-queries that Spark has no plan for in ORDER BY."""
    if build.is_generator(key):
        raise ValidationError("a generator cannot stand in ORDER BY", hint="use LATERAL VIEW")
    refuse_around([key], "ORDER BY")
    for node in find(key, SubqueryExpression, skip=is_query):
        if not isinstance(node, ScalarSubquery) or refers_outside(node.query):
            raise ValidationError(
                "ORDER BY takes sub-queries of one value, without columns around them",
                hint="make it an item of the SELECT, and sort by its alias",
            )


def refuse_unlike_offsets(offsets: Sequence[Literal | None], key: ResolvedExpression) -> None:
    """Refuses offsets of a RANGE frame as Spark does, which casts none to be added to a time."""
    types = [each.type for each in offsets if each is not None]
    if not isinstance(key.type, DateType | TimestampType | TimestampNtzType):
        return
    if len(types) == 2 and not types[0].same_type(types[1]):
        raise ValidationError(
            f"a RANGE frame reaches from {types[0].ddl} to {types[1].ddl}",
            hint="give both offsets in one type, as INTERVAL '1 00' DAY TO HOUR",
        )
    for each in types:
        if not isinstance(key.type, DateType) or not isinstance(each, DayTimeIntervalType):
            continue
        if (each.start, each.end) != ("DAY", "DAY"):
            raise ValidationError(
                f"an offset of {each.ddl} from a sort key of DATE",
                hint="give it in days: INTERVAL '1' DAY",
            )


def refuse_twice(names: Sequence[str], what: str) -> None:
    """Refuses names that are there already, in any case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ValidationError(f"{what} `{name}` is there twice")
        seen.add(name.lower())


def refuse_argument_order(args: Sequence[Any]) -> None:
    """Refuses arguments by position behind those by name, and names that are there twice."""
    named = [isinstance(each, s.NamedArgument) for each in args]
    if named != sorted(named):
        raise ValidationError("an argument by position stands behind one by name")
    refuse_twice([each.name for each in args if isinstance(each, s.NamedArgument)], "argument")


def has_window(expression: ResolvedExpression) -> bool:
    """Whether there is a window function in it."""
    return any(find(expression, Over, skip=is_query))


def holds_generator(expression: ResolvedExpression) -> bool:
    """Whether there is the call of a generator in it."""
    return any(find_marked(expression, IS_GENERATOR, skip=is_query))


def is_aggregated(expression: ResolvedExpression) -> bool:
    """Whether every column in it is inside an aggregate, which is over no window."""
    if has_window(expression):
        return False
    return not any(
        find(
            expression,
            FieldReference,
            skip=lambda node: node.is_query or isinstance(node, AggregateCall),
        )
    )


def has_aggregate(expression: ResolvedExpression) -> bool:
    """Whether there is an aggregate in it that is not over a window."""
    over = {id(node.call) for node in find(expression, Over, skip=is_query)}
    return any(id(node) not in over for node in find(expression, AggregateCall, skip=is_query))
