"""Aggregate and window functions as columns, with their clauses and windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, Window
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    AggregateCall,
    Frame,
    FrameBound,
    Over,
)
from viewscribe.spark.calls import user_call
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.literals import value_column
from viewscribe.types import BigIntType, IntType

if TYPE_CHECKING:
    from viewscribe.spark.bridge import Bridge

_SPECIAL = {
    UNBOUNDED_PRECEDING: "UnboundedPreceding",
    CURRENT_ROW: "CurrentRow",
    UNBOUNDED_FOLLOWING: "UnboundedFollowing",
}
_NUMBERS = {
    UNBOUNDED_PRECEDING: Window.unboundedPreceding,
    CURRENT_ROW: Window.currentRow,
    UNBOUNDED_FOLLOWING: Window.unboundedFollowing,
}


def aggregate_column(bridge: Bridge, node: AggregateCall, parts: Sequence[Column]) -> Column:
    """The call; ``parts`` are its arguments, its FILTER condition and its sort keys as columns."""
    args = list(parts[: len(node.args)])
    keys = parts[len(parts) - len(node.order_by) :] if node.order_by else ()
    condition = parts[len(args)] if node.filter is not None else None
    if isinstance(node.function, UserFunction) and node.function.is_python_aggregate:
        return _python_aggregate(node.function, node, args)
    if not args and node.function is built_in("count"):
        if node.distinct:
            raise NotInterpretableError(
                "count(DISTINCT *) does not say which columns", hint="build the pipeline again"
            )
        args = [F.lit(1)]
    return bridge.function(
        node.function.sql_name,
        args,
        distinct=node.distinct,
        condition=condition,
        nulls_ignored=True if node.ignore_nulls else False if node.respect_nulls else None,
        order_by=keys,
    )


def _python_aggregate(
    function: UserFunction, node: AggregateCall, args: Sequence[Column]
) -> Column:
    """Built without clauses (``python_aggregates.py``); a plan document may still have some."""
    if node.distinct or node.filter is not None or node.order_by or node.ignore_nulls:
        raise NotInterpretableError(
            f"Spark knows no DISTINCT, FILTER or ORDER BY of the Python aggregate {function!r}",
            hint="build the pipeline again: it then collects the rows first",
        )
    return user_call(function, args)


def over_column(bridge: Bridge, node: Over, parts: Sequence[Column]) -> Column:
    """The call over its window; ``parts`` are the call, the partition keys and the sort keys."""
    call, count = parts[0], len(node.partition_by)
    partition_by, order_by = parts[1 : 1 + count], parts[1 + count :]
    frame = node.frame
    if frame is not None and frame.unit == "RANGE" and not _is_numeric(frame):
        bounds = (_make_bound(frame.start), _make_bound(frame.end))
        return bridge.range_over(call, partition_by, order_by, bounds)
    window: Any = Window.partitionBy(*partition_by).orderBy(*order_by)
    if frame is not None:
        between = window.rowsBetween if frame.unit == "ROWS" else window.rangeBetween
        window = between(_number(frame.start), _number(frame.end))
    return call.over(window)


def _is_numeric(frame: Frame) -> bool:
    offsets = [bound.offset for bound in (frame.start, frame.end) if bound.offset is not None]
    return all(isinstance(offset.type, IntType | BigIntType) for offset in offsets)


def _number(bound: FrameBound) -> int:
    if bound.offset is None:
        return _NUMBERS[bound]
    distance = int(bound.offset.value)
    return -distance if bound.kind == "PRECEDING" else distance


def _make_bound(bound: FrameBound) -> Column | str:
    if bound.offset is None:
        return _SPECIAL[bound]
    column = value_column(bound.offset.value, bound.offset.type)
    return F.negate(column) if bound.kind == "PRECEDING" else column
