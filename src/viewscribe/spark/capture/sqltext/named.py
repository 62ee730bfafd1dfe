"""Arguments by name in SQL text, ``mask(name, lowerChar => 'q')``, as arguments by position.

The table is Spark's own: the functions of which Spark 4.3 knows the parameters, with the defaults
of those that may be left out. Any other function Spark itself does not call so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.literals import NULL, literal

if TYPE_CHECKING:
    from viewscribe.spark.capture.sqltext.reading import Text

Parameters = tuple[str | tuple[str, Any], ...]

_COLLECTION: Parameters = ("collection",)
_INPUT: Parameters = ("input",)
_SKETCH: Parameters = (("lgNomEntries", 12), ("mode", "sum"))
_VARIANT: Parameters = ("v", "path", "val", ("create_if_missing", True))

PARAMETERS: dict[str, Parameters] = {
    "count_min_sketch": ("column", "epsilon", "confidence", "seed"),
    "counter_diff": ("value", ("start_time", None)),
    **dict.fromkeys(("explode", "explode_outer", "posexplode", "posexplode_outer"), _COLLECTION),
    **dict.fromkeys(("inline", "inline_outer"), _INPUT),
    "mask": (
        *("str", ("upperChar", "X"), ("lowerChar", "x"), ("digitChar", "n")),
        ("otherChar", None),
    ),
    **dict.fromkeys(("variant_set", "try_variant_set"), _VARIANT),
    "variant_strip_nulls": ("v", ("include_arrays", True)),
    **dict.fromkeys(
        ("tuple_sketch_agg_double", "tuple_sketch_agg_integer"), ("key", "summary", *_SKETCH)
    ),
    **dict.fromkeys(("tuple_union_agg_double", "tuple_union_agg_integer"), ("child", *_SKETCH)),
    **dict.fromkeys(
        (
            *("tuple_union_double", "tuple_union_integer"),
            *("tuple_union_theta_double", "tuple_union_theta_integer"),
        ),
        ("first", "second", *_SKETCH),
    ),
}
"""The parameters of each function in their order; one with a default is a pair."""


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
