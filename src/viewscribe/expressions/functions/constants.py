"""Checks of constant arguments: what Spark's analyzer asks of their values.

Spark evaluates any constant. Here the value is known of literals and of what is made of them by
``array``, by casts to numbers and by ``+``, ``-`` and ``*``; of other constants nothing is asked.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.nodes import Call, Cast, Literal, ResolvedExpression
from viewscribe.types import DoubleType, FloatType, IntegralType, LogicalType

Check = Callable[[CallContext], None]

UNKNOWN: Final = object()
"""What stands for a value that only Spark knows."""


def constant_value(expression: ResolvedExpression) -> Any:
    """The value of a constant; an array is a list, and may hold ``UNKNOWN``, too."""
    if type(expression) is Literal:
        return expression.value
    if type(expression) is Cast:
        return _cast(constant_value(expression.child), expression.type)
    if type(expression) is Call:
        values = [constant_value(each) for each in expression.args]
        if expression.function.built_in_name == "array":
            return values
        compute = _OPERATORS.get(expression.function.built_in_name)
        kinds = {type(value) for value in values}
        if compute is None or not (kinds <= _NUMBERS or kinds == {timedelta}):
            return UNKNOWN
        if any(type(value) is float for value in values):
            values = [float(value) for value in values]
        return compute(*values)
    return UNKNOWN


def _cast(value: Any, target: LogicalType) -> Any:
    if value is None or value is UNKNOWN:
        return value
    try:
        if isinstance(target, IntegralType):
            return int(value)
        if isinstance(target, FloatType):
            return struct.unpack("f", struct.pack("f", float(value)))[0]
        return float(value) if isinstance(target, DoubleType) else UNKNOWN
    except (TypeError, ValueError, OverflowError):
        return UNKNOWN


_NUMBERS = {int, float, Decimal}
_OPERATORS: dict[str, Callable[..., Any]] = {
    "negative": operator.neg,
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
}


def number_where(
    place: int, wanted: str, holds: Callable[[float], bool], *, or_null: bool = False
) -> Check:
    """Argument ``place``, where its value is known, is a number of which something holds."""
    return _check(
        place, wanted, lambda value: (or_null and value is None) or is_number_where(value, holds)
    )


def text_among(place: int, *options: str) -> Check:
    """Argument ``place``, where its value is known, is one of some texts, whatever their case."""
    wanted = ", ".join(map(repr, options))
    return _check(place, f"one of {wanted}", lambda value: str(value).lower() in options)


def every_check(*checks: Check) -> Check:
    """One check after the other."""

    def check(context: CallContext) -> None:
        for each in checks:
            each(context)

    return check


def is_number_where(value: Any, holds: Callable[[float], bool]) -> bool:
    """Whether a value reads as a number of which something holds; NULL does not."""
    try:
        return holds(float(value))
    except (TypeError, ValueError):
        return False


def _check(place: int, wanted: str, holds: Callable[[Any], bool]) -> Check:
    def check(context: CallContext) -> None:
        if place >= len(context.given):
            return
        value = constant_value(context.given[place])
        if value is not UNKNOWN and not holds(value):
            context.values_seen = True
            raise context.mismatch(f"argument {place + 1} is {wanted}, not {value!r}")

    return check
