"""The parameters of a Python function that SQL can give: those that have a place."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.types.arguments import wrong_class

Parameters = list[inspect.Parameter]


def placed_parameters(
    function: object, what: str, *, skip: int = 0, given: int | None = None
) -> Parameters:
    """The parameters that take arguments by position; ``*rest`` as many as are left.

    A parameter that can only be given by name keeps its default, for SQL gives all by position.

    Args:
        function: what is called.
        what: how messages name it.
        skip: how many of the first parameters are none of SQL's.
        given: for how many the caller says a type; None where the annotations say them.

    Raises:
        ValidationError: there is a parameter that no call of SQL could give, or nobody says how
            many there are.
    """
    found = _signature(function, what)
    _refuse_by_name(found, what)
    placed = [each for each in found if each.kind in _BY_POSITION][skip:]
    rest = next((each for each in found if each.kind is each.VAR_POSITIONAL), None)
    if rest is None:
        return placed
    if given is None:
        raise ValidationError(
            f"{what} takes any number of arguments, `*{rest.name}`, and SQL wants to know how many",
            hint='give parameters=["INT", …], a type for each; or write each by itself',
        )
    names = [f"{rest.name}_{place}" for place in range(1, given - len(placed) + 1)]
    return placed + [rest.replace(name=name, kind=rest.POSITIONAL_ONLY) for name in names]


def _signature(function: Any, what: str) -> Parameters:
    if not callable(function):
        raise wrong_class(function, what, "a function")
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError as error:
        raise ValidationError(
            f"Python does not say which parameters {what} has: {error}",
            hint="call it in a function of your own: def f(x: int) -> int",
        ) from error


def _refuse_by_name(parameters: Sequence[inspect.Parameter], what: str) -> None:
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and each.default is each.empty:
            raise ValidationError(
                f"{what} wants `{each.name}` by name, and SQL gives arguments by position",
                hint="leave the * out of its parameters, or give it a default",
            )
        if each.kind is each.VAR_KEYWORD:
            raise ValidationError(
                f"{what} takes arguments of any name, `**{each.name}`, and SQL gives them by "
                "position",
                hint="write each argument by itself, or call it in a function that does",
            )


_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
