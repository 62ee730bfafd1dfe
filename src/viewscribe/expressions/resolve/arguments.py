"""Resolves the arguments of a call, including lambdas."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.functions.sources import Language
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    Lambda,
    LambdaVariable,
    Literal,
    Over,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.expressions.resolve.columns import expand, is_several, resolve_column
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import resolve_in


def resolve_arguments(
    function: FunctionDefinition, given: Sequence[Any], scope: Scope
) -> tuple[ResolvedExpression, ...]:
    """Resolves the arguments of a call; stars are expanded and lambda parameters typed."""
    args: list[ResolvedExpression] = []
    for place, argument in enumerate(given):
        kind = type(argument)
        if kind is dsl.ColumnExpression:  # straight to it, as in resolve_in
            args.append(resolve_column(argument, scope))
        elif kind is Literal:
            args.append(argument)
        elif kind is dsl.CallExpression:
            args.append(resolve_in(argument, scope))
        elif kind is dsl.LambdaExpression:
            args.append(resolve_lambda(function, place, argument, args, scope))
        elif is_several(argument):
            args.extend(expand(argument, scope))
        else:
            args.append(resolve_in(argument, scope))
    if scope.subqueries and function.takes_functions:
        _refuse_subqueries(function, args)
    if function.takes_functions:
        _refuse_sql_functions(function, args)
    return tuple(args)


class SubqueryInFunctionError(ValidationError):
    """A sub-query is in the call of a function that takes lambdas."""


def _refuse_subqueries(function: FunctionDefinition, args: Sequence[ResolvedExpression]) -> None:
    """Refuses what Spark's analyzer refuses: sub-queries beside and in lambdas."""
    inside = (node for each in args for node in preorder(each, skip=lambda node: node.is_query))
    if any(isinstance(node, SubqueryExpression) for node in inside):
        raise SubqueryInFunctionError(
            f"{function.name}() takes lambdas, and has a sub-query in it",
            hint="compute the sub-query in a query of its own, and use its column",
        )


def _refuse_sql_functions(function: FunctionDefinition, args: Sequence[ResolvedExpression]) -> None:
    """Refuses what Spark's analyzer refuses: a SQL function of users inside of a lambda."""
    bodies = [each.body for each in args if isinstance(each, Lambda)]
    for node in (each for body in bodies for each in preorder(body)):
        called = node.function if isinstance(node, Call) else None
        if isinstance(called, UserFunction) and called.source.language is Language.SQL:
            raise ValidationError(
                f"{function.name}() takes lambdas, and `{called!r}` in one is a SQL function, "
                "which Spark takes in none",
                hint=f"write out its body: {called.source.body}",
            )


def positional_arguments(
    function: FunctionDefinition, given: Sequence[Any], named: Mapping[str, Any], scope: Scope
) -> tuple[Any, ...]:
    """Returns the arguments by position, with named arguments and defaults filled in.

    Raises:
        ValidationError, ArityError: an unknown, duplicate or missing argument.
    """
    if not named and not isinstance(function, UserFunction):
        return tuple(given)
    every: list[Any] = []
    for each in given:
        every.extend(expand(each, scope) if is_several(each) else (each,))
    return tuple(map(dsl.operand, positional(function, every, named)))


def resolve_lambda(
    function: FunctionDefinition,
    place: int,
    given: dsl.LambdaExpression,
    before: Sequence[ResolvedExpression],
    scope: Scope,
) -> Lambda:
    """Resolves a Python function as a lambda by calling it once with its variables."""
    taken = function.inference.arguments
    wanted = taken[min(place, len(taken) - 1)] if taken else None
    if wanted is None or wanted.parameters is None:
        raise TypeMismatchError(
            f"{function.name}: argument {place + 1} cannot be a function",
            hint=f"expected: {function.signature}",
        )
    names = given.names or list(inspect.signature(given.function).parameters)
    types = wanted.parameters(CallContext(function, before))
    fewest, most = wanted.fewest_parameters, len(types)
    if not fewest <= len(names) <= most:
        expected = str(most) if fewest == most else f"{fewest} to {most}"
        raise TypeMismatchError(
            f"{function.name}: the lambda has {len(names)} parameters, not {expected}",
            hint=f"expected: {function.signature}",
        )
    variables = tuple(
        LambdaVariable(_fresh(name, scope.lambda_names), type_)
        for name, type_ in zip(names, types, strict=False)
    )
    scope.lambda_names += [variable.name for variable in variables]
    result = given.function(*[dsl.ValueExpression(variable) for variable in variables])
    body = resolve_in(dsl.operand(result), scope)
    _refuse_windows_over(function, body, variables)
    del scope.lambda_names[len(scope.lambda_names) - len(variables) :]
    return Lambda(variables, body, body.type)


def _refuse_windows_over(
    function: FunctionDefinition, body: ResolvedExpression, variables: Sequence[LambdaVariable]
) -> None:
    """Refuses window functions and aggregates over what only exists inside of a row."""
    for node in preorder(body, skip=lambda node: node.is_query):
        of_rows = isinstance(node, Over | AggregateCall)
        if of_rows and any(each in variables for each in preorder(node)):
            what = "a window" if isinstance(node, Over) else "an aggregate"
            raise ValidationError(
                f"{function.name}: {what} is of rows, and a lambda has elements",
                hint="explode the array first",
            )


def _fresh(name: str, taken: Sequence[str]) -> str:
    """Returns the name, or a variant of it that no enclosing lambda uses."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen
