"""Functions that only work over a window."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import IGNORE_NULLS, Frames
from viewscribe.expressions.functions.entries import window
from viewscribe.expressions.functions.newer_forms import first
from viewscribe.expressions.functions.validators import family
from viewscribe.types import TIMESTAMP, LogicalType, TimestampNtzType, TimestampType


def _infer_shifted(context: CallContext) -> LogicalType:
    value = context.types[0]
    if len(context.types) < 3:
        return value.as_nullable()
    default = implicit_cast(context.types[2], value.as_nullable())
    if default is None:
        raise context.mismatch("the default is not of the type of the value")
    return value.with_nullability(value.nullable or default.nullable)


ROW_NUMBER = window("""row_number() -> INT!
    The place of the row in its partition, from 1.
    since 2.0.0""").where(frames=Frames.ROWS)
# Spark lets the ranks have arguments, and ignores them.
RANK = window("""rank(ANY?...) -> INT!
    The place of the row, equal rows alike, with gaps.
    since 2.0.0, shown RANK""").where(frames=Frames.ROWS, spelled_arguments=first(0))
DENSE_RANK = window("""dense_rank(ANY?...) -> INT!
    The place of the row, equal rows alike, no gaps.
    since 2.0.0, shown DENSE_RANK""").where(frames=Frames.ROWS, spelled_arguments=first(0))
PERCENT_RANK = window("""percent_rank(ANY?...) -> DOUBLE!
    The rank as a share from 0 to 1.
    since 2.0.0, shown PERCENT_RANK""").where(frames=Frames.ROWS, spelled_arguments=first(0))
CUME_DIST = window("""cume_dist() -> DOUBLE!
    The share of rows that do not come later.
    since 2.0.0""").where(frames=Frames.RANGE)
NTILE = window("""ntile(n: literal(exactly(INT)) = 1) -> INT!
    The number, from 1, of the row's bucket among equally large ones.
    since 2.0.0, class NTile""").where(
    check=number_where(0, "a number of buckets", lambda count: count > 0), frames=Frames.ROWS
)
LAG = window("""lag(ANY, literal(exactly(INT)) = 1, text(ANY) = NULL)
    The value a number of rows (by default 1) before, or a default.
    since 2.0.0, collated 0 2""").where(
    returns=_infer_shifted,
    check=number_where(1, "a number of rows", lambda rows: True),
    clauses=(IGNORE_NULLS,),
    frames=Frames.NONE,
)
LEAD = window("""lead(ANY, literal(exactly(INT)) = 1, text(ANY) = NULL)
    The value a number of rows (by default 1) after, or a default.
    since 2.0.0, collated 0 2""").where(
    returns=_infer_shifted,
    check=number_where(1, "a number of rows", lambda rows: True),
    clauses=(IGNORE_NULLS,),
    frames=Frames.NONE,
)
NTH_VALUE = window("""nth_value(ANY, literal(INT)) -> $0?
    The value of the n-th row of the frame.
    since 3.1.0""").where(
    check=number_where(1, "the number of a row", lambda place: place > 0), clauses=(IGNORE_NULLS,)
)
COUNTER_DIFF = window("""counter_diff(value: NUMBER, startTime: _?) -> $0?
    How much a counter grew since the row before; NULL where it, or its start, was reset.
    since 4.3.0, class CounterDiff CounterDiffWithStartTime""").where(
    args=(family("<timestamp>", TimestampType, TimestampNtzType, default=TIMESTAMP),),
    defaults=(),
    parameters=("value", ("start_time", None)),
    frames=Frames.ROWS,
)
