"""Calls as PySpark's functions make them: strings are columns, missing arguments have defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.expressions.constructors import lit
from viewscribe.expressions.dsl import CallExpression, Operand, column_or, operand
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in


def python_call(name: str, *args: Operand) -> CallExpression:
    """A call by name, as PySpark makes it."""
    return python_call_of(built_in(name), args)


def python_call_of(definition: FunctionDefinition, args: Sequence[Any]) -> CallExpression:
    """A call as PySpark makes it: strings are columns, unless the argument is a text."""
    inference = definition.inference
    if inference.variadic and len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    while args and args[-1] is None and inference.required < len(args) <= inference.most:
        args = args[:-1]
    made = []
    for place, given in enumerate(args):
        named = isinstance(given, str) and not inference.takes_text(place)
        made.append(column_or(given) if named else operand(given))
    return CallExpression(definition, tuple(made))


def place_arguments(
    definition: FunctionDefinition,
    names: tuple[str, ...],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
) -> Sequence[Any]:
    """The arguments in their order, those given by name included."""
    if not named and len(args) == len(names) and not any(each is None for each in args):
        return args  # as they are, which is how most calls are written
    required = definition.inference.required
    if not required <= len(args) + len(named) <= len(names):
        return (*args, *named.values())
    given = dict(zip(names, args, strict=False))
    for name in (*named, *names[:required]):
        if (name in given) is (name in named) or name not in names:
            raise TypeError(f"{definition.name}() takes `{name}` once, beside: {', '.join(names)}")
    given |= named
    ordered = [given.get(name) for name in names]
    while len(ordered) > required and ordered[-1] is None:
        ordered.pop()
    # PySpark passes the default of one that is left out before one that is given.
    usual = [None if isinstance(each, str) else lit(each[1]) for each in definition.parameters]
    for place, value in enumerate(ordered[: len(usual)]):
        ordered[place] = usual[place] if value is None else value
    return ordered


def default(*pairs: tuple[Any, Any]) -> list[Any]:
    """The arguments up to the last one given, each missing one before it as its default.

    A pair is the argument and its default.
    """
    last = max((place for place, (given, _) in enumerate(pairs) if given is not None), default=-1)
    return [lit(default) if given is None else given for given, default in pairs[: last + 1]]
