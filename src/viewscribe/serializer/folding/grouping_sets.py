"""What the SELECT that makes groups may not compute of them.

A scalar sub-query that looks at a key is refused there (SCALAR_SUBQUERY_IS_IN_GROUP_BY_…) unless it
is a key itself; EXISTS, IN and sub-queries in HAVING are not. Of ROLLUP, CUBE and GROUPING SETS
Spark 4.3 takes EXISTS, too, and fails to run it.

Over the groups of ROLLUP, CUBE and GROUPING SETS, in the argument of an aggregate over a window
Spark takes a key for the column that was grouped by: it refuses ``SELECT k, max(k) OVER () … GROUP
BY ROLLUP (k)`` (MISSING_AGGREGATION) and takes ``lag(k) OVER (…)``, as well as ``max(k) OVER ()``
with ``GROUP BY k``.
"""

from __future__ import annotations

from collections.abc import Iterable

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    Over,
    ResolvedExpression,
    ScalarSubquery,
)
from viewscribe.expressions.properties import holds
from viewscribe.operations.nodes import Grouping
from viewscribe.serializer.blocks import Block, BoundColumn, Env, features_of


def may_look_at_groups(block: Block, expressions: Iterable[ResolvedExpression]) -> bool:
    """Whether the expressions may be computed in the block that makes the groups."""
    if block.group is None:
        return True
    expressions = list(expressions)
    simple = block.group.grouping is Grouping.SIMPLE
    if any(_looks_up(expression, any_kind=not simple) for expression in expressions):
        return False
    if simple:
        return True
    return not any(_aggregates_a_key(each, block.env) for each in expressions)


def tests_a_hidden_key(block: Block, places: Iterable[int]) -> bool:
    """Whether a column is computed of a key and has a key's name, which HAVING then cannot call.

    ``SELECT coalesce(t.k, 0) AS k … GROUP BY ROLLUP (t.k) HAVING coalesce(t.k, 0) > 1``: Spark
    finds no ``t.k`` there, as it does with ``GROUP BY t.k``.
    """
    names = {name.lower() for relation in block.relations for name in relation.columns}
    return any(
        isinstance(column := block.columns[place], BoundColumn)
        and not isinstance(column.expression, FieldReference | AggregateCall)
        and block.names[place].lower() in names
        for place in places
    )


def _looks_up(expression: ResolvedExpression, *, any_kind: bool) -> bool:
    """Whether a scalar sub-query in it, or one of any kind, looks at the row."""
    looks = bool(features_of(expression).outer)
    return looks and (any_kind or holds(expression, ScalarSubquery))


def _aggregates_a_key(root: ResolvedExpression, env: Env) -> bool:
    """Whether an aggregate over a window is of a key of the groups."""
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Over):
            call = node.call
            if call.function.kind is FunctionKind.AGGREGATE and _holds_a_key(call.children(), env):
                return True
        stack += node.children()
    return False


def _holds_a_key(roots: Iterable[Node], env: Env) -> bool:
    """Whether a key is in the expressions, and not in an aggregate of the groups themselves."""
    stack = [(root, env) for root in roots]
    while stack:
        node, around = stack.pop()
        if type(node) is FieldReference:
            column = around.columns[node.index]
            if not isinstance(column, BoundColumn):
                return True
            stack.append((column.expression, column.env))
        elif not isinstance(node, AggregateCall):
            stack += [(child, around) for child in node.children()]
    return False
