"""Checks of constant arguments: what Spark's analyzer asks of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.nodes import Literal

Check = Callable[[CallContext], None]


def number_where(place: int, wanted: str, holds: Callable[[float], bool]) -> Check:
    """Argument ``place``, where it is a literal, is a number of which something holds."""
    return _checked(place, wanted, lambda value: is_number_where(value, holds))


def text_among(place: int, *options: str) -> Check:
    """Argument ``place``, where it is a literal, is one of some texts, in upper or lower case."""
    wanted = ", ".join(map(repr, options))
    return _checked(place, f"one of {wanted}", lambda value: str(value).lower() in options)


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


def _checked(place: int, wanted: str, holds: Callable[[Any], bool]) -> Check:
    def check(context: CallContext) -> None:
        given = context.given[place] if place < len(context.given) else None
        if isinstance(given, Literal) and not holds(given.value):
            context.values_seen = True
            raise context.mismatch(f"argument {place + 1} is {wanted}, not {given.value!r}")

    return check
