"""Resolves aggregate and window calls with their clauses, sort keys and windows."""

from __future__ import annotations

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.clauses import check_clauses, check_sorted_values, check_window
from viewscribe.expressions.frames import fitted_frame
from viewscribe.expressions.functions.clauses import RESPECT_NULLS
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.resolve.arguments import resolve_arguments
from viewscribe.expressions.resolve.conversions import require_boolean
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import resolve_in
from viewscribe.expressions.user_calls import refuse_clauses_over
from viewscribe.types.coercion import is_orderable


def resolve_aggregate(expression: dsl.CallExpression, scope: Scope) -> AggregateCall:
    """Resolves a call of an aggregate or window function, with its clauses."""
    windows, scope.windows = scope.windows, False
    call = _call(expression, scope)
    if scope.windows:
        raise ValidationError(
            f"{call.function.name} has a window function as an argument",
            hint="compute it with add_columns(…) first",
        )
    scope.windows = windows
    return call


def _call(expression: dsl.CallExpression, scope: Scope) -> AggregateCall:
    function = expression.function
    given = expression.args
    rows = not given or (len(given) == 1 and type(given[0]) is dsl.StarExpression)
    whole = rows and bool(given) and not expression.is_distinct
    counts = function is built_in("count")
    if whole and given[0].qualifier and counts:
        raise ValidationError(
            f"count({given[0]!r}) would count rows without a NULL in any of the columns",
            hint="F.count() counts rows; F.count(…) of the columns one by one says which count",
        )
    args: tuple[ResolvedExpression, ...]
    if rows and counts:
        # DISTINCT compares all columns, and a table below may have more of them.
        every = given or (dsl.StarExpression(),)
        args = resolve_arguments(function, every, scope) if expression.is_distinct else (STAR,)
    else:
        args = resolve_arguments(function, given, scope)
    if not expression.has_clauses and not function.within_group:
        return AggregateCall(function, args, function.infer(args))
    check_clauses(expression)
    condition = expression.condition
    if condition is not None:
        condition = require_boolean(resolve_in(condition, scope), "FILTER")
    order_by = tuple(sort_order(key, scope) for key in expression.order_by)
    # Every other function respects NULLs anyway.
    respect_nulls = expression.nulls_respected and RESPECT_NULLS in function.clauses
    keys = [key.child for key in order_by]
    call = AggregateCall(
        function,
        args,
        function.infer_aggregate(args, keys, respect_nulls=respect_nulls),
        expression.is_distinct,
        condition,
        order_by,
        expression.nulls_ignored,
        respect_nulls,
    )
    check_sorted_values(call)
    return call


def sort_order(expression: dsl.SortExpression, scope: Scope) -> SortOrder:
    """Resolves a sort key; types without an order are refused."""
    child = resolve_in(expression.child, scope)
    if not is_orderable(child.type):
        raise TypeMismatchError(f"{child.type.ddl} has no order to sort by")
    return SortOrder(child, expression.descending, expression.nulls_come_first, child.type)


def resolve_sort(key: object, scope: Scope) -> SortOrder:
    """Resolves a sort key in the scope; ascending by default."""
    return sort_order(dsl.sort_key(key), scope)


def resolve_over(expression: dsl.OverExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a window call and checks that its function accepts the window."""
    outside, scope.is_windowed = scope.aggregates, True
    window = expression.window
    call = resolve_in(expression.call, scope)
    scope.is_windowed = False
    if not isinstance(call, AggregateCall):
        raise ValidationError(
            f"{call.as_summary_string()} is not an aggregate or window function",
            hint="over(…) follows a call such as F.sum(…), F.rank()",
        )
    scope.aggregates = outside or any(map(_has_aggregate, call.args))
    if scope.python_aggregates:
        refuse_clauses_over(call)
    partition_by = tuple(resolve_in(key, scope) for key in window.partition_keys)
    order_by = tuple(sort_order(key, scope) for key in window.order_keys)
    scope.windows = True
    frame = fitted_frame(window.frame, order_by)
    check_window(call, order_by, frame)
    return Over(call, partition_by, order_by, frame, call.type)


def _has_aggregate(expression: ResolvedExpression) -> bool:
    own = preorder(expression, skip=lambda node: node.is_query)
    return any(isinstance(node, AggregateCall) for node in own)
