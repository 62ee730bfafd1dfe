"""Aggregation as users write it: keys and aggregate functions anywhere inside expressions.

``group_by(k).select(k, F.sum(x) / F.count())`` is an ``Aggregate`` that gives the key, the sum and
the count, and a ``Project`` over it that divides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    FieldReference,
    Literal,
    Over,
    ResolvedExpression,
    alias,
    unaliased,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation


class GroupingKeys:
    """The resolved keys of a group_by, with how they make groups."""

    def __init__(
        self,
        keys: Sequence[ResolvedExpression],
        grouping: n.Grouping = n.Grouping.SIMPLE,
        sets: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        self.keys = tuple([_called(key) for key in keys])
        self.grouping = grouping
        self.sets = sets


def aggregate_select(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression] | GroupingKeys,
    items: Sequence[ResolvedExpression],
) -> QueryOperation:
    """An Aggregate and the Project over it that gives exactly ``items``."""
    grouping = keys if isinstance(keys, GroupingKeys) else GroupingKeys(keys)
    split = _Splitter(grouping)
    outputs = [split.output(item) for item in items]
    if not (grouping.keys or split.aggregates):  # constants alone do not say that it is one row
        split.rewrite(_count())
    aggregate = n.Aggregate.of(
        child, grouping.keys, tuple(split.aggregates), grouping.grouping, grouping.sets
    )
    return n.Project.of(aggregate, tuple(_retyped(outputs, aggregate)))


def _count() -> AggregateCall:
    count, one = built_in("count"), literal(1)
    return AggregateCall(count, (one,), count.infer((one,)))


def aggregate(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression] | GroupingKeys,
    items: Sequence[ResolvedExpression],
) -> QueryOperation:
    """PySpark's ``groupBy(…).agg(…)``: the keys, then the items."""
    grouping = keys if isinstance(keys, GroupingKeys) else GroupingKeys(keys)
    plain = all(type(unaliased(item)) is AggregateCall for item in items)
    names = {n.output_name(item).lower() for item in (*grouping.keys, *items)}
    if plain and len(names) == len(grouping.keys) + len(items):
        aggregates = tuple([_called(item) for item in items])
        return n.Aggregate.of(child, grouping.keys, aggregates, grouping.grouping, grouping.sets)
    return aggregate_select(child, grouping, [*grouping.keys, *items])


def _called(expression: ResolvedExpression) -> ResolvedExpression:
    """The expression under its name; a column has one."""
    if type(expression) is FieldReference or type(expression) is Alias:
        return expression
    return alias(expression, n.output_name(expression))


def with_key_columns(
    aggregate_: ResolvedExpression,
    keys: Sequence[ResolvedExpression],
    columns: Sequence[ResolvedExpression],
) -> ResolvedExpression:
    """The aggregate over keys that have become columns: GROUPING and GROUPING_ID name them."""
    known = dict(zip(map(unaliased, keys), columns, strict=True))

    def step(node: Node) -> Node:
        if not isinstance(node, AggregateCall) or not node.function.name.startswith("grouping"):
            return node
        return node.copy_with({"args": tuple([known.get(arg, arg) for arg in node.args])})

    replaced = replace(aggregate_, step)
    assert isinstance(replaced, ResolvedExpression)
    return replaced


class _Splitter:
    """Takes expressions apart at their aggregate functions and grouping keys."""

    def __init__(self, grouping: GroupingKeys) -> None:
        self.keys = grouping.keys
        # Most keys are columns, for which there is no need to compare expressions.
        self.by_column: dict[int, int] = {}
        self.by_expression: dict[ResolvedExpression, int] = {}
        for place, key in enumerate(map(unaliased, grouping.keys)):
            if type(key) is FieldReference:
                self.by_column.setdefault(key.index, place)
            else:
                self.by_expression.setdefault(key, place)
        self.aggregates: list[ResolvedExpression] = []
        self.places: dict[AggregateCall, int] = {}
        # The first call of each function: with no second one there is nothing to compare it to.
        self.alone: dict[FunctionDefinition, tuple[AggregateCall, int] | None] = {}
        self.taken = {n.output_name(key).lower() for key in grouping.keys}

    def output(self, item: ResolvedExpression) -> ResolvedExpression:
        """The item over the columns of the aggregate, under its own name."""
        name = n.output_name(item)
        rewritten = self.rewrite(unaliased(item), preferred=name)
        return alias(rewritten, name)

    def rewrite(
        self, expression: ResolvedExpression, preferred: str | None = None
    ) -> ResolvedExpression:
        """The expression with keys and aggregates replaced by references to them."""
        if type(expression) is FieldReference:
            place = self.by_column.get(expression.index)
        else:
            place = self.by_expression.get(expression) if self.by_expression else None
        if place is not None:
            return FieldReference(place, n.output_name(self.keys[place]), expression.type)
        if type(expression) is AggregateCall:
            return self._aggregate(expression, preferred)
        if type(expression) is Over:
            return self._over(expression)
        if type(expression) is FieldReference:
            raise self._not_grouped(expression)
        children: list[Any] = expression.children()
        if not children or isinstance(expression, Literal):
            return expression
        rewritten = [
            self.rewrite(child) if isinstance(child, ResolvedExpression) else child
            for child in children
        ]
        if all(new is old for new, old in zip(rewritten, children, strict=True)):
            return expression
        return expression.with_children(rewritten)

    def _over(self, expression: Over) -> ResolvedExpression:
        """A window over groups: ``rank() OVER (ORDER BY sum(x))``; its own call stays a window."""
        call = expression.call
        arguments = [self.rewrite(child) for child in call.children()]  # type: ignore[arg-type]
        parts = [self.rewrite(child) for child in (*expression.partition_by, *expression.order_by)]
        return expression.with_children([call.with_children(arguments), *parts])

    def _aggregate(self, call: AggregateCall, preferred: str | None) -> FieldReference:
        if call.function.kind is FunctionKind.WINDOW:
            raise ValidationError(
                f"{call.function.name}() needs a window", hint="follow it with .over(…)"
            )
        place = self._place(call)
        if place == len(self.aggregates):
            name = self._free_name(preferred or n.output_name(call))
            self.aggregates.append(alias(call, name))
        name = n.output_name(self.aggregates[place])
        return FieldReference(len(self.keys) + place, name, call.type)

    def _place(self, call: AggregateCall) -> int:
        """The place of an equal call among the aggregates, or the next free one."""
        function, free = call.function, len(self.aggregates)
        if function not in self.alone:
            self.alone[function] = (call, free)
            return free
        first = self.alone[function]
        if first is not None:
            self.places[first[0]] = first[1]
            self.alone[function] = None
        return self.places.setdefault(call, free)

    def _free_name(self, wanted: str) -> str:
        name, number = wanted, 2
        while name.lower() in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name.lower())
        return name

    def _not_grouped(self, reference: FieldReference) -> ValidationError:
        keys = [n.output_name(key) for key in self.keys]
        return ValidationError(
            f"column `{reference.name}` is neither a grouping key nor inside an aggregate function",
            location=f"group_by({', '.join(keys)})",
            hint=did_you_mean(reference.name, keys)
            or f'group by it, or take one value of each group: F.any_value("{reference.name}")',
        )


def _retyped(
    outputs: list[ResolvedExpression], aggregate_: n.Aggregate
) -> list[ResolvedExpression]:
    """Keys of ROLLUP, CUBE and GROUPING SETS may be NULL; references above must say so."""
    if aggregate_.grouping is n.Grouping.SIMPLE:
        return outputs
    from viewscribe.operations.rewrites.retype import retyped

    return [retyped(output, aggregate_.schema) for output in outputs]
