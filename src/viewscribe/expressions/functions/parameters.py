"""Parameters that calls name: which there are, and arguments by name put in their places.

    call("mask", col("s"), lowerChar="q")
    call("my_udf", b=col("x"), a=1)

A call in the tree has its arguments by position: Spark knows the names of few functions, and of
no Python function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from viewscribe.errors import ArityError, ValidationError, did_you_mean
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.sources import FunctionParameter, FunctionSource, Language
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literal_texts import literal_of
from viewscribe.expressions.literals import NULL, literal
from viewscribe.expressions.nodes import Literal


class Parameter(msgspec.Struct, frozen=True):
    """A parameter that a call may name.

    Args:
        name: its name.
        optional: whether a call may leave it out.
        default: what it is then, where that is a plain literal.
        explicit: whether the default becomes an argument of each call that leaves it out.
            Otherwise it does only before an argument that is given; Spark fills in the rest.
    """

    name: str
    optional: bool = False
    default: Literal | None = None
    explicit: bool = False


def positional(
    function: FunctionDefinition, given: Sequence[Any], named: Mapping[str, Any]
) -> Sequence[Any]:
    """The arguments of a call by position, those by name and defaults included.

    Args:
        function: what is called.
        given: the arguments by position, which come first; none stands for several columns.
        named: those by name; names compare without case where only one parameter has them.

    Raises:
        ValidationError: no parameter has a name, or it is given twice; the error has the names
            there are and the nearest.
        ArityError: one is left out that has no default.
    """
    parameters = _parameters_of(function)
    if parameters is None:
        refuse_names(function, named)
        return given
    if not named and not any(each.explicit and each.optional for each in parameters):
        return given
    if len(given) > len(parameters) and not named:
        return given  # that there are too many is said with their types
    places: dict[int, Any] = dict(enumerate(given))
    for name, value in named.items():
        place = _place(function, parameters, name)
        if place in places:
            raise ValidationError(
                f"{function.name} is given `{parameters[place].name}` twice",
                hint=f"what is given by position comes first; {_names_of(parameters)}",
            )
        places[place] = value
    last = max(places, default=-1)
    return [
        places[place] if place in places else _default(function, parameters, place)
        for place, each in enumerate(parameters)
        if place <= last or each.explicit or not each.optional
    ]


def _parameters_of(function: FunctionDefinition) -> tuple[Parameter, ...] | None:
    """The parameters that calls of a function may name; None where it has no names for them."""
    if isinstance(function, UserFunction):
        source = function.source
        if source.parameters is None or source.collected:
            return None
        return tuple(_of_user(source, each) for each in source.parameters)
    if function.parameters:
        return tuple(
            Parameter(each)
            if isinstance(each, str)
            else Parameter(each[0], True, NULL if each[1] is None else literal(each[1]))
            for each in function.parameters
        )
    required = function.inference.required
    names = function.parameter_names  # PySpark's, where SQL has none
    return tuple(Parameter(name, at >= required) for at, name in enumerate(names)) or None


def _of_user(source: FunctionSource, parameter: FunctionParameter) -> Parameter:
    if parameter.default is None:
        return Parameter(parameter.name)
    # Spark knows the defaults of functions in SQL alone.
    default, explicit = literal_of(parameter.default), source.language is not Language.SQL
    return Parameter(parameter.name, True, default, explicit)


def _place(function: FunctionDefinition, parameters: Sequence[Parameter], name: str) -> int:
    names = [each.name for each in parameters]
    if name in names:
        return names.index(name)
    alike = [place for place, each in enumerate(names) if each.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    near = did_you_mean(name, names)
    hint = _names_of(parameters) + (f"; {near}" if near else "")
    raise ValidationError(f"{function.name} has no parameter `{name}`", hint=hint)


def _default(function: FunctionDefinition, parameters: Sequence[Parameter], place: int) -> Literal:
    missing = parameters[place]
    if not missing.optional:
        raise ArityError(
            f"{function.name} is called without `{missing.name}`", hint=_names_of(parameters)
        )
    if missing.default is None:
        raise ArityError(
            f"{function.name} is called without `{missing.name}`, whose default is no plain value",
            hint=f"give it as well; {_names_of(parameters)}",
        )
    return missing.default


def _names_of(parameters: Sequence[Parameter]) -> str:
    shown = [f"[{each.name}]" if each.optional else each.name for each in parameters]
    return f"its parameters are: {', '.join(shown)}" if shown else "it has no parameters"


def refuse_names(function: FunctionDefinition, named: Mapping[str, Any]) -> None:
    """An error that the function takes no argument by name.

    Raises:
        ValidationError: there is one.
    """
    for name in named:
        raise ValidationError(
            f"{function.name} takes no argument by name, and `{name}` is given so",
            hint=f"give its arguments by position: {function.signature}",
        )
