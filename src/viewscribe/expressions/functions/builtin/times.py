"""TIME: the clock, making, parts, truncation; time buckets.

Spark 4.3 has TIME under ``spark.sql.timeType.enabled``, and types nearly all of it as nullable.
"""

from __future__ import annotations

from datetime import timedelta

from viewscribe.expressions.functions.constants import constant_value, every_check
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY_TIME, INTEGRAL, NUMBER
from viewscribe.expressions.functions.inputs import to_first_known
from viewscribe.expressions.functions.outputs import always_nullable, argument
from viewscribe.expressions.functions.validators import (
    exactly,
    family,
    literal,
    same_types,
)
from viewscribe.types import (
    BIGINT,
    DAY_TIME_INTERVAL,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    YEAR_MONTH_INTERVAL,
    LogicalType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    decimal,
)


def _now(context: CallContext) -> LogicalType:
    if not context.types:
        return TIME.not_null()
    precision = context.literal(0)
    if not isinstance(precision, int) or not 0 <= precision <= 9:
        raise context.mismatch("the precision is a literal from 0 to 9")
    return TimeType(precision=precision, nullable=False)


def _check_size(context: CallContext) -> None:
    size = constant_value(context.given[0])
    months = isinstance(size, int) and size <= 0
    if months or (isinstance(size, timedelta) and size <= timedelta()):
        raise context.mismatch("the size of a bucket is more than 0")


_MOMENT = family("TIMESTAMP or TIMESTAMP_NTZ", TimestampType, TimestampNtzType)


def _from_number(name: str, doc: str, *, fractions: bool = False) -> FunctionDefinition:
    taken = NUMBER if fractions else INTEGRAL
    return scalar(name, args=(taken,), returns=always_nullable(TIME), since="4.2.0", doc=doc)


def _to_number(name: str, returns: LogicalType, doc: str) -> FunctionDefinition:
    return scalar(
        name, args=(exactly(TIME),), returns=always_nullable(returns), since="4.2.0", doc=doc
    )


CURRENT_TIME = scalar(
    "current_time",
    args=(literal(INT),),
    optional=1,
    parameter_names=("precision",),
    returns=_now,
    aliases=("localtime",),
    spelled={"localtime": "current_time"},
    since="4.1.0",
    defaults=("6",),
    tells_time=True,
    doc="The time of day at which the query started, with a number of digits of the second.",
)
MAKE_TIME = scalar(
    "make_time",
    args=(INT, INT, decimal(16, 6)),
    parameter_names=("hour", "minute", "second"),
    returns=always_nullable(TIME),
    since="4.1.0",
    doc="The time of an hour, minute and second.",
)
TO_TIME = scalar(
    "to_time",
    args=(exactly(STRING), exactly(STRING)),
    optional=1,
    parameter_names=("str", "format"),
    returns=always_nullable(TIME),
    since="4.1.0",
    doc="The time that a text of a format (by default ISO) says.",
)
TRY_TO_TIME = scalar(
    "try_to_time",
    args=(exactly(STRING), exactly(STRING)),
    optional=1,
    parameter_names=("str", "format"),
    returns=always_nullable(TIME),
    catalyst=(),
    spelled_arguments=lambda texts: [f"to_time({', '.join(texts)})"],
    since="4.1.0",
    doc="The time that a text of a format says, NULL where it says none.",
)
TIME_TRUNC = scalar(
    "time_trunc",
    args=(STRING, ANY_TIME),
    parameter_names=("unit", "time"),
    returns=always_nullable(argument(1)),
    since="4.1.0",
    doc="The time cut to a unit: HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND.",
)
TIME_DIFF = scalar(
    "time_diff",
    args=(STRING, ANY_TIME, ANY_TIME),
    parameter_names=("unit", "start", "end"),
    returns=always_nullable(BIGINT),
    since="4.1.0",
    doc="The number of whole units from the first time to the second.",
)
TIME_FROM_SECONDS = _from_number(
    "time_from_seconds", "The time a number of seconds after midnight.", fractions=True
)
TIME_FROM_MILLIS = _from_number(
    "time_from_millis", "The time a number of milliseconds after midnight."
)
TIME_FROM_MICROS = _from_number(
    "time_from_micros", "The time a number of microseconds after midnight."
)
TIME_TO_SECONDS = _to_number(
    "time_to_seconds", decimal(14, 6), "The seconds from midnight to a time."
)
TIME_TO_MILLIS = _to_number("time_to_millis", BIGINT, "The milliseconds from midnight to a time.")
TIME_TO_MICROS = _to_number("time_to_micros", BIGINT, "The microseconds from midnight to a time.")
TIME_BUCKET = scalar(
    "time_bucket",
    args=(
        literal(exactly(DAY_TIME_INTERVAL, YEAR_MONTH_INTERVAL)),
        _MOMENT,
        literal(_MOMENT),
    ),
    optional=1,
    check=every_check(_check_size, same_types(1)),
    inputs=to_first_known(1, default=TIMESTAMP),
    parameter_names=("bucket_size", "ts", "origin"),
    returns=argument(1),
    since="4.2.0",
    doc="The start of the bucket, of a size and counted from an origin, that a time falls in.",
)
