"""``sampleBy``: a part of the rows of each stratum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import CallExpression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.literals import literal_of

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _sample_by(walk: Walk, message: Any) -> QueryOperation:
    """One random number a row, compared with the fraction of its stratum."""
    child = walk.input(message.input)
    if not message.HasField("seed"):
        raise CaptureError("a sample without a seed differs each time", hint="give seed=…")
    column = walk.reader(child).read(message.col)
    branches: list[Any] = []
    for each in message.fractions:
        branches += [column == ValueExpression(literal_of(each.stratum)), literal(each.fraction)]
    fraction = CallExpression(built_in("case"), (*branches, literal(0.0)))
    drawn = function_call(built_in("rand"), (message.seed,))
    return build.filter_rows(child, drawn < fraction)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"sample_by": _sample_by}
