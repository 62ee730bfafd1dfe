"""Joins with the nearest rows: as-of joins and nearest-by joins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.constructors import and_
from viewscribe.expressions.dsl import CallExpression
from viewscribe.expressions.functions.builtin.conditional import IF
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import require_boolean, resolve_in
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.sources import nearest_join

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk

_KINDS = {
    "inner": n.JoinKind.INNER,
    "left": n.JoinKind.LEFT,
    "leftouter": n.JoinKind.LEFT,
}


def _as_of_join(walk: Walk, message: Any) -> QueryOperation:
    """The nearest row before, after, or on either side, as Spark's ``AsOfJoin`` says it."""
    left, right = walk.input(message.left), walk.input(message.right)
    kind = _kind(message.join_type, "an as-of join")
    reader = walk.join_reader(left, right)
    before, after = reader.read(message.left_as_of), reader.read(message.right_as_of)
    direction = message.direction.lower()
    if direction not in _ACCEPTED:
        raise CaptureError(
            f"an as-of join in the direction {message.direction}",
            hint=f"the directions are {', '.join(_ACCEPTED)}",
        )
    terms = [
        reader.scope.column(name, left) == reader.scope.column(name, right)
        for name in message.using_columns
    ]
    if message.HasField("join_expr"):
        terms.append(reader.read(message.join_expr))
    terms += _ACCEPTED[direction](before, after, message.allow_exact_matches)
    if message.HasField("tolerance"):
        terms += _within(direction, before, after, reader.read(message.tolerance))
    distance = _resolve(reader, _DISTANCES[direction](before, after), "the distance")
    condition = None
    if terms:
        condition = _resolve(reader, terms[0] if len(terms) == 1 else and_(*terms), "a condition")
        condition = require_boolean(condition, "an as-of join")
    return nearest_join(left, right, kind, condition, distance)


def _kind(name: str, what: str) -> n.JoinKind:
    kind = _KINDS.get(name.lower().replace("_", ""))
    if kind is None:
        raise CaptureError(f"{what} of the kind {name}", hint="Spark has inner and left ones")
    return kind


_ACCEPTED: dict[str, Callable[[Any, Any, bool], list[Any]]] = {
    "backward": lambda left, right, exact: [left >= right if exact else left > right],
    "forward": lambda left, right, exact: [left <= right if exact else left < right],
    "nearest": lambda left, right, exact: [] if exact else [left != right],
}
"""Which rows count in each direction."""

_DISTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "backward": lambda left, right: left - right,
    "forward": lambda left, right: right - left,
    "nearest": lambda left, right: CallExpression(IF, (left > right, left - right, right - left)),
}


def _within(direction: str, left: Any, right: Any, tolerance: Any) -> list[Any]:
    terms = []
    if direction != "forward":
        terms.append(right >= left - tolerance)
    if direction != "backward":
        terms.append(right <= left + tolerance)
    return terms


def _resolve(reader: Reader, expression: Any, where: str) -> ResolvedExpression:
    resolution = Resolution(reader.scope.schema)
    made = resolve_in(expression, resolution)
    build.forbid(resolution, f"{where} of a join")
    return made


def _nearest_by_join(walk: Walk, message: Any) -> QueryOperation:
    """The nearest rows by a figure; approximate ones are exact, as Spark takes them so far."""
    left, right = walk.input(message.left), walk.input(message.right)
    kind = _kind(message.join_type, "a nearest-by join")
    reader = walk.join_reader(left, right)
    figure = _resolve(reader, reader.read(message.ranking_expression), "the figure")
    similar = message.direction.lower() == "similarity"
    return nearest_join(
        left,
        right,
        kind,
        None,
        figure,
        descending=similar,
        count=message.num_results,
        forgetful=True,
    )


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "as_of_join": _as_of_join,
    "nearest_by_join": _nearest_by_join,
}
