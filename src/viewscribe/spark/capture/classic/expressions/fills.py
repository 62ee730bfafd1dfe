"""``na.fill(…)``: a value is cast to the column's type even where it is of that type."""

from __future__ import annotations

from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Given,
    Handler,
    arguments_of,
)
from viewscribe.spark.capture.classic.plan import PlanNode


def _coalesce(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """Without the cast, which Spark's optimizer leaves out too: the plans compare equal.

    A cast of another type stays, even where the value is the same: a cast of a DOUBLE to an INT
    makes the column nullable.
    """
    given: list[Given] = [*arguments_of(node)]
    last = given[-1] if len(given) == 2 else None
    if isinstance(last, PlanNode) and last.kind == "Cast" and last["child"].kind == "Literal":
        value = reader.read(last["child"])
        if isinstance(value, Literal) and value.type.same_type(last["dataType"]):
            given[-1] = value
    return reader.call("coalesce", given, node)


HANDLERS: dict[str, Handler] = {"Coalesce": _coalesce}
