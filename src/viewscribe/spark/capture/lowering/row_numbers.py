"""The numbers of ``zipWithIndex``: from 0, by partition and by place in it."""

from __future__ import annotations

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    Call,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.types import BIGINT


def row_index() -> ResolvedExpression:
    """``count(*) OVER (ORDER BY monotonically_increasing_id()) - 1``.

    The ids grow by partition and by place in it, as the numbers of the rows do.
    """
    made = built_in("monotonically_increasing_id")
    id_ = Call(made, (), made.infer(()))
    count = built_in("count")
    call = AggregateCall(count, (STAR,), count.infer_aggregate((STAR,), []))
    counted = Over(call, (), (SortOrder(id_, False, True, id_.type),), None, call.type)
    return make_call(op.MINUS, (counted, literal(1, BIGINT.not_null())))
