"""``F.product``, which SQL has no name for: the values collected and multiplied in order."""

from __future__ import annotations

from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    ValueExpression,
    function_call,
    operand,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.types import DOUBLE


def collect(value: Expression) -> CallExpression:
    """The factors of a product, NULLs left out; it stands where the product stood."""
    return CallExpression(built_in("collect_list"), (value.cast(DOUBLE),))


def multiply(factors: Expression) -> Expression:
    """The product of the factors, NULL where there are none."""

    def step(product: Expression, factor: Expression) -> Expression:
        # Of no value at all the product is NULL, so the first one starts it.
        start = CallExpression(built_in("coalesce"), (product, operand(1.0)))
        return CallExpression(op.TIMES, (start, factor))

    none = ValueExpression(literal(None, DOUBLE))
    return function_call(built_in("aggregate"), (factors, none, step))
