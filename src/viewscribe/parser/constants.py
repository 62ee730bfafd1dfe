"""Constants that a text computes where Spark takes a value: ``LIMIT 1 + 1``, frames of windows."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable
from typing import Any

from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.nodes import Call, Cast, Literal, ResolvedExpression
from viewscribe.types import IntegralType, IntType

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
}
_OPERANDS = (int, dt.timedelta)


def computed(expression: ResolvedExpression, *, casts: bool = False) -> ResolvedExpression:
    """The value of sums, differences and products of literals; what is none stays as it is.

    Args:
        expression: what was written.
        casts: whether whole numbers of different types are taken, too, as Spark does where the
            analyzer looks, and not the parser.
    """
    if casts and isinstance(expression, Cast) and isinstance(expression.type, IntegralType):
        child = computed(expression.child, casts=True)
        if _is_whole(child):
            return _fitting(child.value, expression)  # type: ignore[attr-defined]
    if isinstance(expression, Call) and expression.function.built_in_name in _OPERATORS:
        args = [computed(each, casts=casts) for each in expression.args]
        values = [each.value for each in args if isinstance(each, Literal)]
        alike = all(each.type.same_type(args[0].type) for each in args)
        if len(values) == len(args) == 2 and alike and type(values[0]) in _OPERANDS:
            if isinstance(values[0], dt.timedelta) and expression.function.built_in_name == "times":
                return expression
            return _fitting(_OPERATORS[expression.function.built_in_name](*values), expression)
    return expression


def _is_whole(expression: ResolvedExpression) -> bool:
    value = expression.value if isinstance(expression, Literal) else None
    return isinstance(value, int) and not isinstance(value, bool)


def _fitting(value: Any, expression: ResolvedExpression) -> ResolvedExpression:
    """The value as a literal of the expression's type, unless it is too large for that."""
    type_ = expression.type
    if (
        isinstance(type_, IntegralType)
        and not -(1 << type_.bits - 1) <= value < 1 << type_.bits - 1
    ):
        return expression
    return Literal(value, type_.not_null())


def whole_number(expression: ResolvedExpression) -> int | None:
    """The value of a constant; None for what is none, or no whole number."""
    found = computed(expression, casts=True)
    return found.value if _is_whole(found) else None  # type: ignore[attr-defined]


def count_of_rows(expression: ResolvedExpression) -> int | None:
    """The number that LIMIT and OFFSET take; None for what is no constant of INT."""
    folded = fold_constant(expression)
    count = whole_number(expression if folded is None else folded)
    return count if isinstance(expression.type, IntType) else None
