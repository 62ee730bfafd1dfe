"""Generators among the items of a SELECT: they make rows of those below, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Literal,
    Over,
    ResolvedExpression,
    alias,
    make_call,
)
from viewscribe.expressions.properties import references_of
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.checks import has_aggregate
from viewscribe.parser.items import Item

if TYPE_CHECKING:
    from viewscribe.parser.select import Select


def columns_of(items: Sequence[Item]) -> list[Item]:
    """The items over the rows that the generators among them made."""
    found: list[Item] = []
    for item in items:
        if item.is_generator:
            found += [Item(column, (column.name,)) for column in item.made]
        else:
            found.append(item)
    return found


def arguments_of(item: Item) -> list[ResolvedExpression]:
    """What a generator makes rows of: its arguments that are no literals."""
    assert isinstance(item.expression, Call)
    return [each for each in item.expression.args if not isinstance(each, Literal)]


def keys_of(item: Item) -> list[ResolvedExpression]:
    """What an item is for GROUP BY ALL."""
    if item.is_generator:
        return [each for each in _parts_of(item) if not has_aggregate(each)]
    return [] if has_aggregate(item.expression) or _counts(item) else [item.named]


def _counts(item: Item) -> bool:
    """Whether it is an aggregate over a window, which is no key either."""
    own = preorder(item.expression, skip=lambda node: node.is_query)
    return any(
        isinstance(node, Over) and node.call.function.kind is FunctionKind.AGGREGATE for node in own
    )


def parts_of_groups(
    select: Select, operation: QueryOperation, items: Sequence[Item]
) -> list[ResolvedExpression]:
    """What is computed of each group: the items, and what the generator makes its rows of."""
    generators = [item for item in items if item.is_generator]
    if len(generators) > 1:
        raise select.queries.error(
            select.node,
            "beside aggregates and GROUP BY, a SELECT has one generator",
            hint="use LATERAL VIEW for each of the others, over a query that aggregates",
        )
    width = len(operation.schema)
    if any(max(references_of(item.expression).columns, default=0) >= width for item in items):
        raise select.queries.error(
            select.node, "what a generator makes of a group is no part of the group"
        )
    found: list[ResolvedExpression] = []
    for item in items:
        found += _parts_of(item) if item.is_generator else [item.named]
    return found


def _parts_of(item: Item) -> list[ResolvedExpression]:
    """What a generator makes rows of, under names: those of columns, or Spark's."""
    return [
        each if isinstance(each, FieldReference) else alias(each, f"_gen_input_{place}")
        for place, each in enumerate(arguments_of(item))
    ]


def generate_over(groups: QueryOperation, items: Sequence[Item]) -> n.Project:
    """The items over the groups that have their parts, in their order; then what else there is."""
    parts = iter(groups.schema.references)
    chosen: list[ResolvedExpression | None] = []
    made: QueryOperation = groups
    for item in items:
        if not item.is_generator:
            chosen.append(next(parts))
            continue
        call = item.expression
        assert isinstance(call, Call)
        args = tuple([each if isinstance(each, Literal) else next(parts) for each in call.args])
        made = build.generate(groups, make_call(call.function, args), item.names)
        chosen.append(None)
    generated = made.schema.references[len(groups.schema) :]
    shown: list[ResolvedExpression] = []
    for column in chosen:
        shown += generated if column is None else (column,)
    return n.Project.of(made, (*shown, *parts))
