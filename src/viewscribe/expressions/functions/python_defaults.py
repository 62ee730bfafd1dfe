"""Defaults of Python parameters, as the SQL text that is stored with a function.

A call that leaves the argument out gets it as a literal: the trees and texts of stored views say
the value, and keep it when the function changes.
"""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Sequence
from decimal import Decimal

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.sources import FunctionParameter
from viewscribe.expressions.literal_texts import text_of
from viewscribe.expressions.literals import literal
from viewscribe.expressions.user_calls import is_same_in_python
from viewscribe.types import IntegralType, LogicalType
from viewscribe.types.logical import DecimalType, DoubleType, FloatType

_PLAIN = (type(None), bool, int, float, str, bytes, Decimal, dt.date)


def parameters_with_defaults(
    placed: Sequence[inspect.Parameter], types: Sequence[LogicalType]
) -> tuple[FunctionParameter, ...]:
    """The parameters of a function that is called with the values of a row.

    Args:
        placed: the parameters as Python has them.
        types: their types.
    """
    return tuple(
        FunctionParameter(each.name, type_, _text(each, type_))
        for each, type_ in zip(placed, types, strict=True)
    )


def _text(parameter: inspect.Parameter, type_: LogicalType) -> str | None:
    """The default as SQL text; None where there is none that the function would get unchanged."""
    if parameter.default is parameter.empty or type(parameter.default) not in _PLAIN:
        return None
    try:
        value = literal(parameter.default)
    except ViewscribeError:  # a number that no type of Spark holds
        return None
    return text_of(value) if _passes(value.type, type_) else None


def _passes(given: LogicalType, wanted: LogicalType) -> bool:
    """Whether a function declared with one type gets a value of the other, or one equal to it."""
    fraction = isinstance(wanted, DecimalType | DoubleType | FloatType)
    return is_same_in_python(given, wanted) or (isinstance(given, IntegralType) and fraction)
