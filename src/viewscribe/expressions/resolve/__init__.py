"""Resolution of user expressions: names become positions, calls become typed calls.

``walk.py`` traverses the expression; each module beside it resolves one kind of node.
"""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.nodes import Call, ResolvedExpression, alias, make_call
from viewscribe.expressions.resolve.conversions import (
    cast_if_needed,
    require_boolean,
    resolve_call,
    resolve_cast,
    resolve_named_call,
    resolve_over,
    resolve_sort,
    sort_order,
    to_condition,
)
from viewscribe.expressions.resolve.scope import (
    KeyNames,
    Scope,
    columns_of_table,
    expand,
    expand_star,
    is_several,
    refuse_outer,
    resolve_column,
    resolve_several,
)
from viewscribe.expressions.resolve.walk import (
    HANDLERS,
    OuterColumns,
    evaluate_query,
    resolve,
    resolve_freely,
    resolve_in,
    resolve_item,
    resolve_outer,
    resolve_query,
)
from viewscribe.types import StructType


def _value(expression: dsl.ValueExpression, scope: Scope) -> ResolvedExpression:
    return expression.resolved


def _alias(expression: dsl.AliasExpression, scope: Scope) -> ResolvedExpression:
    return alias(resolve_in(expression.child, scope), expression.alias_name)


def _names(expression: dsl.NamesExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a generator with several names, which are stored in the scope."""
    resolved = resolve_in(expression.child, scope)
    if isinstance(resolved, Call) and resolved.function.kind is FunctionKind.GENERATOR:
        scope.generator_names = expression.names
        return resolved
    shown, names = resolved.as_summary_string(), ", ".join(expression.names)
    hint = "several names are for generators, F.posexplode(…), and for stars, col('r.*')"
    if isinstance(resolved.type, StructType):
        hint = 'write the fields of a struct as columns: col("r").star().as_("x", "y")'
    raise ValidationError(f"{shown} is one value, and has {names} as names", hint=hint)


def _lambda_alone(expression: dsl.LambdaExpression, scope: Scope) -> Any:
    raise ValidationError("a Python function can only be an argument of a higher-order function")


def _table_call(expression: dsl.TableCall, scope: Scope) -> Any:
    raise ValidationError(
        "a call of a process table function is a table, and no expression",
        hint="write env.from_call(call(…))",
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
        dsl.StarExpression: resolve_several,
        dsl.ColumnsExpression: resolve_several,
        dsl.NamesExpression: _names,
        dsl.LambdaExpression: _lambda_alone,
        dsl.TableCall: _table_call,
    }
)

__all__ = [
    "KeyNames",
    "OuterColumns",
    "Scope",
    "cast_if_needed",
    "columns_of_table",
    "evaluate_query",
    "expand",
    "expand_star",
    "is_several",
    "make_call",
    "refuse_outer",
    "require_boolean",
    "resolve",
    "resolve_freely",
    "resolve_in",
    "resolve_sort",
    "to_condition",
]
