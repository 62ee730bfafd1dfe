"""``sampleBy``: a part of the rows of each stratum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import CallExpression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.resolve import resolve
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.types import (
    BOOLEAN,
    STRING,
    BooleanType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    StringType,
)

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _sample_by(walk: Walk, message: Any) -> QueryOperation:
    """One random number a row, compared with the fraction of its stratum."""
    child = walk.input(message.input)
    if not message.HasField("seed"):
        raise CaptureError("a sample without a seed differs each time", hint="give seed=…")
    column = walk.reader(child).read(message.col)
    type_ = resolve(column, child.schema).type
    branches: list[Any] = []
    for each in message.fractions:
        stratum = literal_of(each.stratum)
        _refuse_other_values(stratum.type, type_)
        branches += [column == ValueExpression(stratum), literal(each.fraction)]
    fraction = CallExpression(built_in("case"), (*branches, literal(0.0)))
    drawn = function_call(built_in("rand"), (message.seed,))
    return build.filter_rows(child, drawn < fraction)


def _refuse_other_values(stratum: LogicalType, column: LogicalType) -> None:
    """Spark looks the value up as it is, where SQL casts: so no DECIMAL is the number 1 to it."""
    numbers = isinstance(stratum, _NUMBERS) and isinstance(column, _NUMBERS)
    texts = isinstance(stratum, StringType) and column.same_type(STRING)
    if not (numbers or texts or (isinstance(stratum, BooleanType) and column.same_type(BOOLEAN))):
        raise CaptureError(
            f"sampleBy finds no {stratum.ddl} in a column of {column.ddl}: it compares without a "
            "cast, so that all rows of the stratum are left out",
            hint="cast the column to the type of the strata",
        )


_NUMBERS = (IntegralType, FloatType, DoubleType)

HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"sample_by": _sample_by}
