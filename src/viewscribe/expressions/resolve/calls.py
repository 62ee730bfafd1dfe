"""Resolves calls: finds the function of a name and builds the typed call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from viewscribe.errors import UnknownFunctionError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.clauses import refuse_clauses
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.current_catalog import IN_FORCE
from viewscribe.expressions.functions.declarative import DeclarativeFunction
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import AggregateCall, Call, ResolvedExpression, make_call
from viewscribe.expressions.resolve.aggregates import resolve_aggregate
from viewscribe.expressions.resolve.arguments import positional_arguments, resolve_arguments
from viewscribe.expressions.resolve.expansions import resolve_declarative
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import flatten
from viewscribe.expressions.user_calls import fit_call

_SCALAR, _AGGREGATE, _GENERATOR = (
    FunctionKind.SCALAR,
    FunctionKind.AGGREGATE,
    FunctionKind.GENERATOR,
)


def resolve_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call; aggregates, generators and so on go through ``_special_call``."""
    function = expression.function
    if function.kind is not _SCALAR:
        return _special_call(expression, scope)
    given: Sequence[Any] = expression.args
    if function is op.AND or function is op.OR:
        given = flatten(expression)
    if expression.has_clauses:
        refuse_clauses(expression)
    if function.is_step:
        scope.time_windows = True
    args = resolve_arguments(function, given, scope)
    type_ = function.infer(args)
    return Call(function.of_call(args), args, type_)


def _special_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    function = expression.function
    if function.kind is FunctionKind.UNKNOWN:
        return _asked_call(expression, scope)
    if function.kind is FunctionKind.TABLE:
        raise ValidationError(
            f"{function.name} makes a table, not a value",
            hint=f'start a pipeline with env.from_function("{function.name}", …)',
        )
    if function.kind is _GENERATOR:
        scope.generators = True
        refuse_clauses(expression)
        return make_call(function, resolve_arguments(function, expression.args, scope))
    if isinstance(function, DeclarativeFunction):
        return resolve_declarative(expression, function, scope)
    if scope.inside_aggregate and function.kind is _AGGREGATE:
        raise ValidationError(
            f"{function.name} inside another aggregate function",
            hint="aggregate twice: group_by(…).select(…) and again on its result",
        )
    if scope.is_windowed:  # it is computed after the groups: its arguments may be of them
        scope.is_windowed = False
        return resolve_aggregate(expression, scope)
    scope.aggregates = True
    scope.inside_aggregate = True
    call = resolve_aggregate(expression, scope)
    scope.inside_aggregate = False
    return call


def _asked_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call of which a session tells for the types of its arguments what it is."""
    around = scope.aggregates, scope.windows, scope.is_windowed
    scope.aggregates = scope.windows = scope.is_windowed = False
    args = resolve_arguments(expression.function, expression.args, scope)
    function = expression.function.of_call(args)
    nested = scope.aggregates and not around[-1]
    if function.kind is _AGGREGATE and (nested or scope.windows):
        what = "an aggregate function" if nested else "a window function"
        raise ValidationError(
            f"{function.name} has {what} as an argument",
            hint="compute it in a step of its own first",
        )
    scope.aggregates |= around[0]
    scope.windows |= around[1]
    scope.is_windowed = around[2]
    return resolve_call(structs.replace(expression, function=function, args=args), scope)


_TRIMMING = ("trim", "ltrim", "rtrim")


def resolve_named_call(expression: dsl.NamedCallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call by name, with the function that the name means here."""
    catalog = IN_FORCE.get()
    if not expression.parts:
        function = expression.function
    elif catalog is not None:
        function = catalog.lookup(expression.parts).function
    elif len(expression.parts) == 1:
        function = built_in(expression.parts[0])
    else:
        raise UnknownFunctionError(f"no function `{'.'.join(expression.parts)}`")
    args, options = expression.args, expression.options
    if expression.parts and function.built_in_name in _TRIMMING and len(args) == 2:
        args = args[::-1]  # by its name it takes SQL's arguments: first what is taken away
    if function.kind is not FunctionKind.DECLARATIVE:
        args, options = positional_arguments(function, args, options, scope), {}
    found = dsl.OptionedCall(
        function,
        args,
        expression.is_distinct,
        expression.condition,
        expression.order_by,
        expression.nulls_ignored,
        expression.has_clauses,
        expression.nulls_respected,
        options,
    )
    call = resolve_call(found, scope)
    return _user_call(call, function, scope) if isinstance(function, UserFunction) else call


def _user_call(
    call: ResolvedExpression, function: UserFunction, scope: Scope
) -> ResolvedExpression:
    if function.is_python_aggregate and isinstance(call, AggregateCall):
        scope.python_aggregates = True
    return fit_call(call)
