"""Where columns of the query around may be used: Spark decorrelates some places only.

They may stand in WHERE, HAVING and the items of a SELECT without groups. Spark refuses them in
grouping keys, aggregates, windows, sort keys, and in generators over a relation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from viewscribe.errors import ValidationError
from viewscribe.expressions.node import find, is_query
from viewscribe.expressions.nodes import (
    AggregateCall,
    OuterReference,
    Over,
    ResolvedExpression,
    ScalarSubquery,
    strip_alias,
)
from viewscribe.expressions.properties import is_deterministic, refers_outside

_HINT = "use it in WHERE, or in a query inside this one"


class PlacedError(ValidationError):
    """A column of the query around stands where Spark has none."""


def is_around(expression: ResolvedExpression) -> bool:
    """Whether an expression has a column of the query around its own."""
    return any(find(expression, OuterReference, skip=is_query))


def _column(expression: ResolvedExpression) -> str:
    return next(find(expression, OuterReference, skip=is_query)).name


def refuse_around(expressions: Iterable[ResolvedExpression], place: str) -> None:
    """Refuses columns of the query around in a place where Spark has none."""
    for each in expressions:
        if is_around(each):
            raise PlacedError(
                f"`{_column(each)}` of the query around cannot stand in {place}", hint=_HINT
            )


def refuse_in_aggregates(expression: ResolvedExpression) -> None:
    """Refuses columns of the query around inside of aggregates."""
    calls = find(expression, AggregateCall, skip=is_query)
    refuse_around(calls, "an aggregate function")


def refuse_in_windows(expressions: Iterable[ResolvedExpression]) -> None:
    """Refuses columns of the query around as keys of windows; what is computed may have them."""
    for expression in expressions:
        for node in find(expression, Over, skip=is_query):
            keys = [*node.partition_by, *(key.child for key in node.order_by)]
            alone = [key for key in keys if isinstance(key, OuterReference)]
            refuse_around(alone, "the window of a function")


def refuse_scalars_in_groups(
    items: Iterable[ResolvedExpression], keys: Collection[ResolvedExpression]
) -> None:
    """Refuses sub-queries of one value that use a column of groups, and are no key themselves."""
    for item in items:
        inner = strip_alias(item)
        if inner not in keys and any(each not in keys for each in scalars_around(inner)):
            raise ValidationError(
                "a sub-query that uses a column of the groups is neither a grouping key nor "
                "inside an aggregate function",
                hint="group in a query of its own, and use the sub-query over it",
            )


def refuse_in_join(condition: ResolvedExpression) -> None:
    """Refuses what Spark plans in no condition of a join."""
    if not is_deterministic(condition):
        raise ValidationError(
            "the condition of a join is the same each time",
            hint="compute what is by chance in a query of its own",
        )
    if scalars_around(condition):
        raise ValidationError(
            "a sub-query in the condition of a join uses a column around it",
            hint="compute it in a query of its own, and join that",
        )


def scalars_around(expression: ResolvedExpression) -> list[ScalarSubquery]:
    """The sub-queries of one value in it that use columns around them, not those of aggregates."""
    found = find(
        expression,
        ScalarSubquery,
        skip=lambda node: node.is_query or isinstance(node, AggregateCall),
    )
    return [node for node in found if refers_outside(node.query)]
