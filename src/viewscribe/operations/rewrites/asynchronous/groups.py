"""The rule for aggregates: calls over rows are made below the groups, those over groups above."""

from __future__ import annotations

from viewscribe.expressions.functions.asynchronous.running_function import is_async_call
from viewscribe.expressions.node import Node, holds, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.finding import (
    Occurrence,
    holds_async,
    occurrences,
)
from viewscribe.operations.rewrites.asynchronous.steps import Moved, fresh_names, substitute


def split_aggregate(operation: QueryOperation) -> QueryOperation:
    """Calls in keys and in arguments of aggregates, in a step below; others in one above.

    ``sum(f(x))`` becomes ``sum(async_1)`` over ``f(x) AS async_1``; ``f(count(*))`` becomes a
    projection ``f(aggregate_1)`` over ``count(*) AS aggregate_1``.
    """
    assert isinstance(operation, n.Aggregate)
    return _over_groups(_over_rows(operation))


def _over_rows(operation: n.Aggregate) -> n.Aggregate:
    """The aggregate with the calls for each row made below it."""
    inside = [call for each in operation.aggregates for call in _aggregate_calls(each)]
    moved = Moved(found for each in (*operation.keys, *inside) for found in _free(each))
    if not moved:
        return operation
    below = moved.below(operation.child)

    def column(node: Node) -> Node | None:
        # An equal call outside of the aggregates is a key that is written once more.
        return moved.reference_to(node) if is_async_call(node) else None

    def replace(expression: ResolvedExpression) -> ResolvedExpression:
        return substitute(moved.replaced(expression), column)

    return n.Aggregate.of(
        below,
        tuple(map(replace, operation.keys)),
        tuple(map(replace, operation.aggregates)),
        operation.grouping,
        operation.sets,
    )


def _free(expression: ResolvedExpression) -> list[Occurrence]:
    return [each for each in occurrences(expression) if not each.bound]


def _aggregate_calls(expression: ResolvedExpression) -> list[AggregateCall]:
    """The aggregates in an expression, those in the arguments of asynchronous calls too."""
    inside = preorder(expression, skip=lambda node: node.is_query)
    return [node for node in inside if isinstance(node, AggregateCall)]


def _over_groups(operation: n.Aggregate) -> QueryOperation:
    """The aggregate below a projection, where it has calls of the groups' values."""
    calling = [each for each in operation.aggregates if holds_async(each)]
    if not calling or any(holds(each, SubqueryExpression) for each in calling):
        return operation
    keys = {strip_alias(key): place for place, key in enumerate(operation.keys)}
    inner: dict[ResolvedExpression, int] = {}

    def reference(value: ResolvedExpression) -> FieldReference:
        place = keys.get(value)
        if place is None:
            place = len(keys) + inner.setdefault(value, len(inner))
        return FieldReference(place, "", value.type)

    def output(node: Node) -> Node | None:
        known = isinstance(node, AggregateCall) or node in keys
        return reference(node) if known and isinstance(node, ResolvedExpression) else None

    values = [
        substitute(strip_alias(each), output) if holds_async(each) else reference(strip_alias(each))
        for each in operation.aggregates
    ]
    return _project(operation, list(inner), values)


def _project(
    operation: n.Aggregate, inner: list[ResolvedExpression], values: list[ResolvedExpression]
) -> QueryOperation:
    names = fresh_names(operation, "aggregate", len(inner))
    aggregates = tuple(
        Alias(value, name, value.type) for value, name in zip(inner, names, strict=True)
    )
    below = n.Aggregate.of(
        operation.child, operation.keys, aggregates, operation.grouping, operation.sets
    ).schema
    width = len(operation.keys)

    def name_item(node: Node) -> Node | None:
        return below.reference(node.index) if isinstance(node, FieldReference) else None

    columns = [below.reference(place) for place in range(width)]
    shown = operation.schema.names[width:]
    made = [alias(substitute(v, name_item), name) for v, name in zip(values, shown, strict=True)]
    aggregate = operation.copy_with({"aggregates": aggregates})
    return n.Project.of(aggregate, (*columns, *made))
