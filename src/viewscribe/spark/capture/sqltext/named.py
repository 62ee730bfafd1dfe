"""Arguments by name in SQL text, ``mask(name, lowerChar => 'q')``, as arguments by position.

Any function that is not in the table Spark itself does not call so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.functions.spark_parameters import PARAMETERS
from viewscribe.expressions.literals import NULL, literal

if TYPE_CHECKING:
    from viewscribe.spark.capture.sqltext.reading import Text


def positional(text: Text, call: exp.Anonymous, args: Sequence[Any]) -> list[Any]:
    """The arguments, those by name at the places of their parameters.

    Raises:
        CaptureError: the function has no parameter of a name, or one is left out or given twice.
    """
    given = [each for each in args if not isinstance(each, exp.Kwarg)]
    parameters = PARAMETERS.get(call.name.lower())
    if parameters is None:
        raise text.refused(call, f": `{call.name}` has no arguments by name")
    if any(isinstance(each, exp.Kwarg) for each in args[: len(given)]):
        raise text.refused(call, ": what is given by position comes first")
    names = [_name(each).lower() for each in parameters]
    places: dict[int, Any] = dict(enumerate(text.read_all(given)))
    for each in args[len(given) :]:
        name = each.this.name.lower()
        if name not in names:
            raise text.refused(call, f": its parameters are {', '.join(map(_name, parameters))}")
        if names.index(name) in places:
            raise text.refused(call, f": `{each.this.name}` is given twice")
        places[names.index(name)] = text.read(each.expression)
    return [
        places[place] if place in places else _default(text, call, parameters[place])
        for place in range(max(places) + 1)
    ]


def _name(parameter: str | tuple[str, Any]) -> str:
    return parameter if isinstance(parameter, str) else parameter[0]


def _default(text: Text, call: exp.Anonymous, parameter: str | tuple[str, Any]) -> Any:
    if isinstance(parameter, str):
        raise text.refused(call, f": `{parameter}` is left out")
    value = parameter[1]
    return ValueExpression(NULL if value is None else literal(value))
