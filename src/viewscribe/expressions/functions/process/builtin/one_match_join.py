"""``one_match_join``: of each key, one row of the left with one of the right table."""

from __future__ import annotations

import datetime as dt
from typing import Any

from viewscribe.expressions.functions.process.builtin.columns import check_span, struct_of
from viewscribe.expressions.functions.process.context import (
    Context,
    OnTimerContext,
    ProcessTableFunction,
)
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import Row
from viewscribe.types import BOOLEAN, DAY_TIME_INTERVAL, Field, StructType

_LEFT, _RIGHT, _TTL = "left", "right", "ttl"


class OneMatchJoin(ProcessTableFunction[Any]):
    """One row of each table for a key, as they come; the columns ``left`` and ``right`` hold them.

    The first row of one table is matched with the last row that the other had before it. After the
    match further rows of the key are left out, until none has come for the time to live: then all
    is forgotten, and a key may match again. An unmatched row is forgotten in the same way. After
    ``BuiltInOneMatchJoin`` of the document on process table functions.
    """

    def type_inference(self) -> ProcessTypeInference:
        """``one_match_join(left, right, ttl => INTERVAL '5' MINUTE)``."""
        traits = (ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE)
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(_LEFT, *traits),
                StaticArgument.table(_RIGHT, *traits),
                StaticArgument.scalar(_TTL, DAY_TIME_INTERVAL),
            ],
            state_types={"waiting": _infer_waiting},
            output_type=_pair,
        )

    def eval(
        self,
        ctx: Context,
        waiting: Any,
        left: Row | None,
        right: Row | None,
        ttl: dt.timedelta,
    ) -> None:
        """One row, of either table."""
        timers = ctx.timers()
        timers.register_on_time("forget", timers.current_time() + ttl)
        if waiting.matched:
            return
        if left is not None:
            waiting.left = left
        else:
            waiting.right = right
        if waiting.left is not None and waiting.right is not None:
            self.collect((waiting.left, waiting.right))
            waiting.matched, waiting.left, waiting.right = True, None, None

    def on_timer(self, ctx: OnTimerContext) -> None:
        """No row of the key has come for the time to live."""
        ctx.clear_all()


def _infer_waiting(call: ProcessCallContext) -> StructType:
    left, right = call.data_type_of(_LEFT), call.data_type_of(_RIGHT)
    return struct_of(("matched", BOOLEAN), (_LEFT, left), (_RIGHT, right))


def _pair(call: ProcessCallContext) -> tuple[Field, ...]:
    check_span(call, _TTL)
    return tuple(Field(name, call.data_type_of(name)) for name in (_LEFT, _RIGHT))
