"""Filters and sorts of groups by aggregates that the groups do not show.

``df.groupBy("dept").count().orderBy(F.max("salary"))``: Spark computes the maximum beside the
count, and leaves it out again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from viewscribe.expressions.dsl import Expression, ValueExpression
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import (
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import resolve_in
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate
from viewscribe.operations.base import QueryOperation

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


def over_groups(
    walk: Walk, child: QueryOperation, read: Callable[[Reader], Sequence[Expression]]
) -> tuple[QueryOperation, list[FieldReference]] | None:
    """The groups with further columns at their end, and these columns.

    Args:
        walk: the walk over the plan.
        child: what may give groups, a projection over them or not.
        read: gives the expressions of the columns, over the rows that were grouped.

    Returns:
        None where ``child`` gives no groups, or none of the expressions is over aggregates.
    """
    above = child if isinstance(child, n.Project) else None
    groups = child.child if isinstance(child, n.Project) else child
    if not isinstance(groups, n.Aggregate):
        return None
    reader = walk.reader(groups.child)
    reader.scope.outputs = _outputs(groups, above)
    expressions = read(reader)
    resolution = Resolution(groups.child.schema)
    resolved = [resolve_in(each, resolution) for each in expressions]
    if not resolution.aggregates:
        return None
    added = [alias(each, f"key_{place}") for place, each in enumerate(resolved, 1)]
    keys = GroupingKeys(list(groups.keys), groups.grouping, groups.sets)
    wide = aggregate(groups.child, keys, [*groups.aggregates, *added])
    columns = wide.schema.references[-len(added) :]
    if above is not None:
        wide = n.Project.of(wide, (*above.expressions, *columns))
        columns = wide.schema.references[-len(added) :]
    return wide, list(columns)


def _outputs(groups: n.Aggregate, above: n.Project | None) -> dict[str, Expression]:
    """What the names of the columns that the groups show mean over the rows that were grouped.

    The first column of a name counts.
    """
    columns = [strip_alias(each) for each in (*groups.keys, *groups.aggregates)]

    def step(node: Node) -> Node:
        return columns[node.index] if type(node) is FieldReference else node

    shown = above.expressions if above is not None else (*groups.keys, *groups.aggregates)
    found: dict[str, Expression] = {}
    for each in reversed(shown):
        meant = strip_alias(each)
        if above is not None:
            made = replace(meant, step)
            assert isinstance(made, ResolvedExpression)
            meant = made
        found[n.output_name(each).lower()] = ValueExpression(meant)
    return found
