"""``describe`` and ``summary``: a row for each figure, as Spark's ``StatFunctions`` builds them.

The figures of each column are a map in one row; for every name of a figure there is a row then,
which picks its figure out of each map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import Expression, ValueExpression
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.items import Item, select
from viewscribe.types import DOUBLE, INT, STRING, ArrayType, Field, NumericType, StringType
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk

_DESCRIBED = ("count", "mean", "stddev", "min", "max")
_SUMMARIZED = ("count", "mean", "stddev", "min", "25%", "50%", "75%", "max")
_ACCURACY = 10_000
_NAME = "summary"


def _describe(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    if message.cols:
        reader = walk.reader(child)
        chosen = [Item(reader.scope.column(name, None), name) for name in message.cols]
        child = select(child, chosen, reader)
    return _figures(walk, child, _DESCRIBED)


def _summary(walk: Walk, message: Any) -> QueryOperation:
    return _figures(walk, walk.input(message.input), tuple(message.statistics) or _SUMMARIZED)


def _figures(walk: Walk, child: QueryOperation, figures: Sequence[str]) -> QueryOperation:
    columns = [
        each
        for each in child.schema.references
        if isinstance(value_type(each.type), NumericType | StringType)
    ]
    if any(each.name.lower() == _NAME for each in columns):
        raise CaptureError(
            f"a column called `{_NAME}` hides the names of the figures", hint="rename it first"
        )
    if not columns:
        cells = tuple(literal(figure) for figure in figures)
        return n.Values.of(cells, (Field(_NAME, STRING.not_null()),))
    reader = walk.reader(child)
    maps = [Item(_map(reader, each, figures), each.name) for each in columns]
    gathered = select(child, maps, reader)
    names = literal(tuple(figures), ArrayType(element=STRING).not_null())
    above = walk.reader(gathered)
    rows = build.generate(gathered, above.call("explode", [ValueExpression(names)]), (_NAME,))
    *held, name = rows.schema.references
    last = walk.reader(rows)
    picked = [
        Item(last.call("element_at", [ValueExpression(each), ValueExpression(name)]), each.name)
        for each in held
    ]
    return select(rows, [Item.of(name), *picked], last)


def _map(reader: Reader, column: FieldReference, figures: Sequence[str]) -> Expression:
    """The figures of a column as texts by their names."""
    given: Expression = ValueExpression(column)
    is_text = isinstance(value_type(column.type), StringType)
    number = given.try_cast(DOUBLE) if is_text else given
    shares = [_share(figure) for figure in figures if figure.endswith("%")]
    pairs: list[Any] = []
    place = 0
    for figure in figures:
        if figure.endswith("%"):
            array = ArrayType(element=DOUBLE.not_null()).not_null()
            wanted = [ValueExpression(literal(tuple(shares), array)), literal(_ACCURACY)]
            found = reader.call("percentile_approx", [number, *wanted])
            found = reader.call("get", [found, literal(place, INT.not_null())])
            place += 1
        else:
            found = _figure(reader, figure, given, number)
        pairs += [literal(figure), found.cast(STRING)]
    return reader.call("map", pairs)


def _figure(reader: Reader, figure: str, given: Expression, number: Expression) -> Expression:
    made = _FIGURES.get(figure.lower())
    if made is None:
        raise CaptureError(
            f"`{figure}` is no figure of summary()",
            hint=f"the figures are {', '.join(_FIGURES)} and percentages",
        )
    return made(reader, given, number)


def _share(figure: str) -> float:
    try:
        return float(figure.removesuffix("%")) / 100.0
    except ValueError as error:
        raise CaptureError(f"`{figure}` is no percentage") from error


_FIGURES: dict[str, Callable[[Reader, Expression, Expression], Expression]] = {
    "count": lambda reader, given, number: reader.call("count", [given]),
    "count_distinct": lambda reader, given, number: reader.call("count", [given], True),
    "approx_count_distinct": lambda reader, given, number: reader.call(
        "approx_count_distinct", [given]
    ),
    "mean": lambda reader, given, number: reader.call("avg", [number]),
    "stddev": lambda reader, given, number: reader.call("stddev", [number]),
    "min": lambda reader, given, number: reader.call("min", [given]),
    "max": lambda reader, given, number: reader.call("max", [given]),
}

HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "describe": _describe,
    "summary": _summary,
}
