"""Python aggregates where Spark has none: the rows of a group are collected, and handed over whole.

Spark runs an aggregate function in Python when it groups by keys, without DISTINCT, without FILTER,
with no other aggregate beside it; and of no rows at all it gives no row where every other aggregate
gives one. ``f(DISTINCT x)`` therefore becomes ``f of rows(collect_list(DISTINCT struct(x)))``, a
scalar function of what Spark's own aggregate gives, which knows all that.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Over,
    ResolvedExpression,
    alias,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.types import StructType


def collect(items: Sequence[ResolvedExpression], *, always: bool) -> list[ResolvedExpression]:
    """The items of one aggregation, their Python aggregates over collected rows where they must be.

    Args:
        items: expressions with aggregate functions in them.
        always: whether Spark would not run them anyway: without keys, or in a pivot.
    """
    found = _aggregates(items)
    python = [call for call in found if _is_python(call)]
    clauses = any(call.distinct or call.filter is not None for call in python)
    if not (always or clauses or len(python) < len(found)):
        return list(items)
    return [_replace(item, {id(call) for call in python}) for item in items]


def _aggregates(items: Sequence[ResolvedExpression]) -> list[AggregateCall]:
    """The calls that aggregate; not those over a window, nor those of sub-queries."""
    found: list[AggregateCall] = []
    over: set[int] = set()
    for item in items:
        for node in preorder(item, skip=lambda node: isinstance(node, QueryOperation)):
            if isinstance(node, Over):
                over.add(id(node.call))
            elif isinstance(node, AggregateCall):
                found.append(node)
    return [call for call in found if id(call) not in over]


def _is_python(call: AggregateCall) -> bool:
    return isinstance(call.function, UserFunction) and call.function.is_python_aggregate


def _replace(item: ResolvedExpression, calls: set[int]) -> ResolvedExpression:
    def step(node: Node) -> Node:
        return _of_rows(node) if id(node) in calls and isinstance(node, AggregateCall) else node

    made = replace(item, step)
    assert isinstance(made, ResolvedExpression)
    if made is item or isinstance(item, Alias):
        return made
    return alias(made, n.output_name(item))


def _of_rows(call: AggregateCall) -> Call:
    function = call.function
    assert isinstance(function, UserFunction)
    row, collect = _row(call.args, function), built_in("collect_list")
    rows = AggregateCall(collect, (row,), collect.infer((row,)), call.distinct, call.filter)
    return Call(function.of_collected_rows(), (rows,), call.type)


def _row(args: tuple[ResolvedExpression, ...], function: UserFunction) -> Call:
    """The arguments as a struct; of two fields of one name Arrow would lose one."""
    row = make_call(built_in("struct"), args)
    assert isinstance(row.type, StructType)
    if len({field.name.lower() for field in row.type.fields}) == len(args):
        return row
    names = [parameter.name for parameter in function.source.parameters or ()]
    return make_call(built_in("struct"), tuple(map(alias, args, names)))
