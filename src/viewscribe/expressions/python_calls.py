"""Calls as PySpark's functions make them: strings are columns, missing arguments have defaults."""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.constructors import lit
from viewscribe.expressions.dsl import CallExpression, column_or, operand
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in


def python_call(function: FunctionDefinition | str, *args: Any) -> CallExpression:
    """A call as PySpark makes it: strings are columns, unless the argument is a text."""
    definition = built_in(function) if isinstance(function, str) else function
    inference = definition.inference
    given = list(args)
    if inference.variadic and len(given) == 1 and isinstance(given[0], list | tuple):
        given = list(given[0])
    while given and given[-1] is None and inference.required < len(given) <= inference.most:
        given.pop()
    made = [
        operand(each) if inference.takes_text(place) else column_or(each)
        for place, each in enumerate(given)
    ]
    return CallExpression(definition, tuple(made))


def defaulted(*pairs: tuple[Any, Any]) -> list[Any]:
    """The arguments up to the last one given, each missing one before it as its default.

    A pair is the argument and its default.
    """
    last = max((place for place, (given, _) in enumerate(pairs) if given is not None), default=-1)
    return [lit(default) if given is None else given for given, default in pairs[: last + 1]]
