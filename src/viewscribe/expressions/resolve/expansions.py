"""Expands calls of declarative functions to the expressions they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.clauses import refuse_clauses
from viewscribe.expressions.functions.declarative import DeclarativeFunction
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.properties import is_deterministic
from viewscribe.expressions.resolve.arguments import resolve_arguments
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import resolve_in

_AGGREGATE = FunctionKind.AGGREGATE


def resolve_declarative(
    expression: dsl.CallExpression, function: DeclarativeFunction, scope: Scope
) -> ResolvedExpression:
    """Expands a call of a declarative function; its arguments are resolved once.

    Raises:
        ValidationError: the call has clauses that its expansion cannot have, or a non-deterministic
        argument that the expansion would compute twice.
    """
    args = resolve_arguments(function, expression.args, scope)
    function.infer(args)
    given = expression.options if isinstance(expression, dsl.OptionedCall) else {}
    options = function.options_of(given)
    made: dsl.Expression = function.expansion(*map(dsl.ValueExpression, args), **options)
    if expression.has_clauses:
        made = _with_clauses(made, expression)
    resolved = resolve_in(made, scope)
    changing = [argument for argument in args if not is_deterministic(argument)]
    if changing:
        _refuse_repeated(function, changing, resolved)
    return resolved


def _with_clauses(made: dsl.Expression, expression: dsl.CallExpression) -> dsl.Expression:
    """Moves the clauses of the call to the aggregate it expands to.

    Where that is inside of other calls it has a FILTER: which rows count is the same there.
    """
    if isinstance(made, dsl.CallExpression) and made.function.kind is _AGGREGATE:
        return made.with_clauses(
            distinct=expression.is_distinct,
            condition=expression.condition,
            order_by=expression.order_by,
            ignore_nulls=expression.nulls_ignored,
            respect_nulls=expression.nulls_respected,
        )
    condition = expression.condition
    filtered: dsl.Expression = made if condition is None else _filter(made, condition)
    if filtered is made:
        refuse_clauses(expression)
        return made
    others = dsl.CallExpression(expression.function, expression.args).with_clauses(
        distinct=expression.is_distinct,
        order_by=expression.order_by,
        ignore_nulls=expression.nulls_ignored,
        respect_nulls=expression.nulls_respected,
    )
    refuse_clauses(others)
    return filtered


def _filter(made: Any, condition: Any) -> Any:
    """Adds a FILTER to each aggregate in the expression."""
    if isinstance(made, dsl.AliasExpression | dsl.CastExpression):
        child = _filter(made.child, condition)
        if child is made.child:
            return made
        if isinstance(made, dsl.AliasExpression):
            return dsl.AliasExpression(child, made.alias_name)
        return dsl.CastExpression(child, made.target, made.lenient)
    if not isinstance(made, dsl.CallExpression):
        return made
    if made.function.kind is _AGGREGATE:
        own = made.condition
        both = condition if own is None else dsl.operand(own) & dsl.operand(condition)
        return made.with_condition(both)
    args = tuple(_filter(argument, condition) for argument in made.args)
    if all(new is old for new, old in zip(args, made.args, strict=True)):
        return made
    return dsl.CallExpression(made.function, args)


def _refuse_repeated(
    function: DeclarativeFunction,
    changing: Sequence[ResolvedExpression],
    resolved: ResolvedExpression,
) -> None:
    """Refuses non-deterministic arguments that the expansion uses more than once."""
    places = [child for node in preorder(resolved) for child in node.children()]
    for argument in changing:
        if sum(child is argument for child in places) > 1:
            raise ValidationError(
                f"{function.name} stands for an expression that has its argument "
                f"{argument.as_summary_string()} several times, and each time that is another",
                hint="compute it first: add_columns(….alias(…)), and use the column",
            )
