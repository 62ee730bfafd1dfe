"""Calls as PySpark's functions make them: strings are columns, unless they can only be texts."""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.dsl import CallExpression, column_or, operand
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in


def python_call(function: FunctionDefinition | str, *args: Any) -> CallExpression:
    """A call as PySpark makes it: strings are columns, unless the argument is a text."""
    definition = built_in(function) if isinstance(function, str) else function
    inference = definition.inference
    if inference.variadic and len(args) == 1 and isinstance(args[0], list | tuple):
        args = tuple(args[0])
    while args and args[-1] is None and inference.required < len(args) <= inference.most:
        args = args[:-1]
    made = []
    for place, given in enumerate(args):
        named = isinstance(given, str) and not inference.takes_text(place)
        made.append(column_or(given) if named else operand(given))
    return CallExpression(definition, tuple(made))
