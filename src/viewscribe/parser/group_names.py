"""Groups as the Table API builds them: keys and aggregates that bear the names of the items."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.relocation import with_columns
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.items import name_of


def listed_groups(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression],
    items: Sequence[ResolvedExpression],
) -> n.Aggregate | None:
    """The groups of a SELECT that lists its keys, all in their order, and then aggregates.

    A key can be listed under several names: GROUP BY says it once.

    Args:
        child: what is grouped.
        keys: as GROUP BY has them.
        items: under their names.
    """
    if not items or len({name_of(each).lower() for each in items}) < len(items):
        return None
    values = [strip_alias(item) for item in items]
    grouped = list(dict.fromkeys(map(strip_alias, keys)))
    count = 0
    while count < len(values) and values[count] in grouped:
        count += 1
    if list(dict.fromkeys(values[:count])) != grouped:
        return None
    if any(type(value) is not AggregateCall for value in values[count:]):
        return None
    return n.Aggregate.of(child, tuple(items[:count]), tuple(items[count:]))


def named_in_place(made: QueryOperation) -> QueryOperation:
    """The operation without a projection that does nothing but name the columns of groups."""
    if not isinstance(made, n.Project):
        return made
    below = made.child
    groups = below.child if isinstance(below, n.Filter) else below
    if not isinstance(groups, n.Aggregate) or len(made.expressions) != len(groups.schema):
        return made
    for place, item in enumerate(made.expressions):
        column = strip_alias(item)
        if not isinstance(column, FieldReference) or column.index != place:
            return made
    names = [name_of(item) for item in made.expressions]
    if len({name.lower() for name in names}) < len(names):
        return made
    count = len(groups.keys)
    named = n.Aggregate.of(
        groups.child,
        tuple(map(alias, groups.keys, names[:count])),
        tuple(map(alias, groups.aggregates, names[count:])),
        groups.grouping,
        groups.sets,
    )
    if not isinstance(below, n.Filter):
        return named
    columns = named.schema.references
    return n.Filter.of(named, with_columns(below.condition, lambda column: columns[column.index]))
