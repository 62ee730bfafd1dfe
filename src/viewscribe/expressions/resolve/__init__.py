"""From what users type to what is known: names to positions, calls to typed calls.

``walk.py`` goes through what was typed; each module beside it resolves one kind of it.
"""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.nodes import ResolvedExpression, alias, make_call
from viewscribe.expressions.resolve.aggregates import resolve_over, resolve_sort, sort_order
from viewscribe.expressions.resolve.calls import resolve_call, resolve_named_call
from viewscribe.expressions.resolve.columns import expand_star, resolve_column, resolve_star
from viewscribe.expressions.resolve.conversions import (
    cast_if_needed,
    require_boolean,
    resolve_cast,
)
from viewscribe.expressions.resolve.items import resolve_item
from viewscribe.expressions.resolve.queries import (
    OuterColumns,
    evaluate_query,
    resolve_outer,
    resolve_query,
)
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import HANDLERS, resolve, resolve_freely, resolve_in


def _value(expression: dsl.ValueExpression, scope: Scope) -> ResolvedExpression:
    return expression.resolved


def _alias(expression: dsl.AliasExpression, scope: Scope) -> ResolvedExpression:
    return alias(resolve_in(expression.child, scope), expression.alias_name)


def _lambda_alone(expression: dsl.LambdaExpression, scope: Scope) -> Any:
    raise ValidationError("a Python function can only be an argument of a higher-order function")


def _table_call(expression: dsl.TableCall, scope: Scope) -> Any:
    raise ValidationError(
        "a call with tables is a table, and no expression", hint="write env.from_call(call(…))"
    )


HANDLERS.update(
    {
        dsl.ColumnExpression: resolve_column,
        dsl.ValueExpression: _value,
        dsl.OuterExpression: resolve_outer,
        dsl.CallExpression: resolve_call,
        dsl.NamedCallExpression: resolve_named_call,
        dsl.OptionedCall: resolve_call,
        dsl.ItemExpression: resolve_item,
        dsl.AliasExpression: _alias,
        dsl.CastExpression: resolve_cast,
        dsl.SortExpression: sort_order,
        dsl.OverExpression: resolve_over,
        dsl.QueryExpression: resolve_query,
        dsl.StarExpression: resolve_star,
        dsl.LambdaExpression: _lambda_alone,
        dsl.TableCall: _table_call,
    }
)

__all__ = [
    "OuterColumns",
    "Scope",
    "cast_if_needed",
    "evaluate_query",
    "expand_star",
    "make_call",
    "require_boolean",
    "resolve",
    "resolve_freely",
    "resolve_in",
    "resolve_sort",
]
