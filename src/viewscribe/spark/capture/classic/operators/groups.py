"""Aggregates, with grouping sets and pivots turned back into what was written."""

from __future__ import annotations

from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.operators.columns import name_item
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Handler


def _aggregate(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    listed: list[PlanNode] = node["aggregateExpressions"]
    reader = run.expressions(child)
    items = [name_item(reader, each) for each in listed]
    keys = list(dict.fromkeys(reader.read_all(node["groupingExpressions"])))
    made = group_items(child.operation, keys, items)
    return Captured(made, [each.id for each in listed])


def group_items(
    child: QueryOperation, keys: list[ResolvedExpression], items: list[ResolvedExpression]
) -> QueryOperation:
    """The items of each group: an aggregate, and a projection over it where one is needed."""
    first = items[: len(keys)]
    if [strip_alias(each) for each in first] == keys:
        rest = items[len(keys) :]
        names = {n.output_name(each).lower() for each in items}
        plain = all(type(strip_alias(each)) is AggregateCall for each in rest)
        if items and plain and len(names) == len(items):
            return n.Aggregate.of(child, tuple(first), tuple(rest))
    named_keys = [_key(each, items) for each in keys]
    return aggregate_select(child, GroupingKeys(named_keys), items)


def _key(key: ResolvedExpression, items: list[ResolvedExpression]) -> ResolvedExpression:
    """The key under the name that it has in the output, if it is there."""
    if type(key) is FieldReference:
        return key
    found = next((each for each in items if strip_alias(each) == key), key)
    if found is key and holds(key, SubqueryExpression):
        # Nobody sees the name of a hidden key, and a query makes none.
        return alias(key, "key")
    return found


HANDLERS: dict[str, Handler] = {"Aggregate": _aggregate}
