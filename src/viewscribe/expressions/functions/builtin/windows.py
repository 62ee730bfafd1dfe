"""Functions that only work over a window."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.clauses import IGNORE_NULLS, Frames
from viewscribe.expressions.functions.collation_groups import texts_at
from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import window
from viewscribe.expressions.functions.families import ANY, NUMBER
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.outputs import always_nullable, exactly_argument
from viewscribe.expressions.functions.validators import exactly, family, literal, text
from viewscribe.types import (
    DOUBLE,
    INT,
    TIMESTAMP,
    LogicalType,
    TimestampNtzType,
    TimestampType,
)


def _infer_shifted(context: CallContext) -> LogicalType:
    value = context.types[0]
    if len(context.types) < 3:
        return value.as_nullable()
    default = implicit_cast(context.types[2], value.as_nullable())
    if default is None:
        raise context.mismatch("the default is not of the type of the value")
    return value.with_nullability(value.nullable or default.nullable)


ROW_NUMBER = window(
    "row_number",
    returns=INT.not_null(),
    since="2.0.0",
    frames=Frames.ROWS,
    doc="The place of the row in its partition, from 1.",
)
# Spark lets the ranks have arguments, and ignores them.
RANK = window(
    "rank",
    args=(ANY,),
    required=0,
    variadic=True,
    returns=INT.not_null(),
    spelled="RANK",
    spelled_arguments=first(0),
    since="2.0.0",
    frames=Frames.ROWS,
    doc="The place of the row, equal rows alike, with gaps.",
)
DENSE_RANK = window(
    "dense_rank",
    args=(ANY,),
    required=0,
    variadic=True,
    returns=INT.not_null(),
    spelled="DENSE_RANK",
    spelled_arguments=first(0),
    since="2.0.0",
    frames=Frames.ROWS,
    doc="The place of the row, equal rows alike, no gaps.",
)
PERCENT_RANK = window(
    "percent_rank",
    args=(ANY,),
    required=0,
    variadic=True,
    returns=DOUBLE.not_null(),
    spelled="PERCENT_RANK",
    spelled_arguments=first(0),
    since="2.0.0",
    frames=Frames.ROWS,
    doc="The rank as a share from 0 to 1.",
)
CUME_DIST = window(
    "cume_dist",
    returns=DOUBLE.not_null(),
    since="2.0.0",
    frames=Frames.RANGE,
    doc="The share of rows that do not come later.",
)
NTILE = window(
    "ntile",
    args=(literal(exactly(INT)),),
    optional=1,
    check=number_where(0, "a number of buckets", lambda count: count > 0),
    parameter_names=("n",),
    returns=INT.not_null(),
    catalyst="NTile",
    since="2.0.0",
    frames=Frames.ROWS,
    defaults=("1",),
    doc="The number, from 1, of the row's bucket among equally large ones.",
)
LAG = window(
    "lag",
    args=(ANY, literal(exactly(INT)), text(ANY)),
    optional=2,
    check=number_where(1, "a number of rows", lambda rows: True),
    returns=_infer_shifted,
    collated=texts_at(0, 2),
    since="2.0.0",
    clauses=(IGNORE_NULLS,),
    frames=Frames.NONE,
    defaults=("1", "NULL"),
    doc="The value a number of rows (by default 1) before, or a default.",
)
LEAD = window(
    "lead",
    args=(ANY, literal(exactly(INT)), text(ANY)),
    optional=2,
    check=number_where(1, "a number of rows", lambda rows: True),
    returns=_infer_shifted,
    collated=texts_at(0, 2),
    since="2.0.0",
    clauses=(IGNORE_NULLS,),
    frames=Frames.NONE,
    defaults=("1", "NULL"),
    doc="The value a number of rows (by default 1) after, or a default.",
)
NTH_VALUE = window(
    "nth_value",
    args=(ANY, literal(INT)),
    check=number_where(1, "the number of a row", lambda place: place > 0),
    returns=always_nullable(exactly_argument(0)),
    since="3.1.0",
    clauses=(IGNORE_NULLS,),
    doc="The value of the n-th row of the frame.",
)
COUNTER_DIFF = window(
    "counter_diff",
    args=(NUMBER, family("<timestamp>", TimestampType, TimestampNtzType, default=TIMESTAMP)),
    optional=1,
    parameter_names=("value", "startTime"),
    returns=always_nullable(exactly_argument(0)),
    catalyst=("CounterDiff", "CounterDiffWithStartTime"),
    since="4.3.0",
    frames=Frames.ROWS,
    parameters=("value", ("start_time", None)),
    defaults=(),
    doc="How much a counter grew since the row before; NULL where it, or its start, was reset.",
)
