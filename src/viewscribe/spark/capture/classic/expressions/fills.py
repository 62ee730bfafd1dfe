"""``na.fill(…)``: a value cast to the column's type, where the value of that type says the same."""

from __future__ import annotations

import struct

from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Handler,
    arguments_of,
)
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.types import (
    BigIntType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    SmallIntType,
    TinyIntType,
)

_BITS: dict[type[LogicalType], int] = {
    TinyIntType: 8,
    SmallIntType: 16,
    IntType: 32,
    BigIntType: 64,
}


def _coalesce(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    given = arguments_of(node)
    if len(given) == 2 and given[1].kind == "Cast" and given[1]["child"].kind == "Literal":
        first, target = reader.read(given[0]), given[1]["dataType"]
        value = reader.read(given[1]["child"])
        if isinstance(value, Literal) and first.type.same_type(target):
            same = _as(value, target)
            if same is not None and "written" in given[1].extra:
                return reader.call("coalesce", [given[0], same], node)
    return reader.call("coalesce", given, node)


def _as(value: Literal, target: LogicalType) -> Literal | None:
    """The literal of the target type that the cast gives; None where that is not certain.

    Spark's optimizer makes the same of it: the plans compare equal.
    """
    number = value.value
    if number is None:
        return None
    if value.type.same_type(target):
        return value
    if not isinstance(value.type, DoubleType) or not isinstance(number, float):
        return None
    bits = _BITS.get(type(target))
    if bits is not None and number.is_integer() and -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        return literal(int(number), target)
    if isinstance(target, FloatType) and _is_short(number):
        return literal(number, target)
    return None


def _is_short(number: float) -> bool:
    """Whether a FLOAT has exactly the value."""
    try:
        found: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return False
    return found == number


HANDLERS: dict[str, Handler] = {"Coalesce": _coalesce}
