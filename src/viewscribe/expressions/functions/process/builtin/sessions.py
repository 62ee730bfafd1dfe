"""Sessions: rows of a key that follow each other with no more than a gap between them.

As Spark's ``session_window`` has them: a row exactly one gap after the one before still belongs to
its session.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from viewscribe.expressions.functions.process.builtin.columns import (
    INPUT,
    check_span,
    struct_of,
    time_type,
)
from viewscribe.expressions.functions.process.context import Context, OnTimerContext
from viewscribe.expressions.functions.process.function import ProcessTableFunction
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import Row
from viewscribe.types import BIGINT, DAY_TIME_INTERVAL, Field, StructType

_MICRO = dt.timedelta(microseconds=1)
_GAP = StaticArgument.scalar("gap", DAY_TIME_INTERVAL)


class SessionCount(ProcessTableFunction[Any]):
    """How many rows each session has: its start, its end one gap after its last row, the number.

    A session is given when time passes its end, by a timer that each row puts off.
    """

    def type_inference(self) -> ProcessTypeInference:
        """``session_count(input, gap => INTERVAL '5' MINUTE)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE
                ),
                _GAP,
            ],
            state_types={"session": _infer_sessions},
            output_type=_counts,
        )

    def eval(self, ctx: Context, session: Any, input: Row, gap: dt.timedelta) -> None:
        """One row, which puts the end of its session off."""
        timers = ctx.timers(int)  # datetimes are only made where one is given
        count = session.count or 0
        if not count:
            session.start = ctx.timers().current_time()
        session.count = count + 1
        timers.register_on_time("end", timers.current_time() + gap // _MICRO)

    def on_timer(self, ctx: OnTimerContext, session: Any) -> None:
        """The end of the session."""
        self.collect((session.start, ctx.timers().current_time(), session.count))
        ctx.clear_all()


class Sessionize(ProcessTableFunction[Any]):
    """Each row as it is, with the number of its session in the partition and its start."""

    def type_inference(self) -> ProcessTypeInference:
        """``sessionize(input, gap => INTERVAL '5' MINUTE)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT,
                    ArgumentTrait.TABLE_AS_SET,
                    ArgumentTrait.REQUIRES_TIME_ATTRIBUTE,
                    ArgumentTrait.PASS_COLUMNS_THROUGH,
                ),
                _GAP,
            ],
            state_types={"session": _current},
            output_type=_numbers,
        )

    def eval(self, ctx: Context, session: Any, input: Row, gap: dt.timedelta) -> None:
        """One row, of the session there is or of the next."""
        now = ctx.timers(int).current_time()
        if session.until is None or now > session.until:
            session.id = (session.id or 0) + 1
            session.start = ctx.timers().current_time()
        session.until = now + gap // _MICRO
        self.collect((session.id, session.start))


def _infer_sessions(call: ProcessCallContext) -> StructType:
    return struct_of(("start", time_type(call)), ("count", BIGINT))


def _counts(call: ProcessCallContext) -> tuple[Field, ...]:
    check_span(call, "gap")
    time = time_type(call)
    return (Field("session_start", time), Field("session_end", time), Field("count", BIGINT))


def _current(call: ProcessCallContext) -> StructType:
    return struct_of(("id", BIGINT), ("start", time_type(call)), ("until", BIGINT))


def _numbers(call: ProcessCallContext) -> tuple[Field, ...]:
    check_span(call, "gap")
    return (Field("session_id", BIGINT), Field("session_start", time_type(call)))
