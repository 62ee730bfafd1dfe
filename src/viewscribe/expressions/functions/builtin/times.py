"""TIME: the clock, making, parts, truncation; time buckets.

Spark 4.3 has TIME under ``spark.sql.timeType.enabled``, and types nearly all of it as nullable.
"""

from __future__ import annotations

from datetime import timedelta

from viewscribe.expressions.functions.constants import constant_value, every_check
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import to_first_known
from viewscribe.expressions.functions.validators import family, literal, same_types
from viewscribe.types import TIME, TIMESTAMP, LogicalType, TimestampNtzType, TimestampType, TimeType


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


CURRENT_TIME = scalar("""current_time(precision: literal(INT) = 6)
    The time of day at which the query started, with a number of digits of the second.
    since 4.1.0, alias localtime, tells time
    """).where(returns=_now, spelled={"localtime": "current_time"})
MAKE_TIME = scalar("""make_time(hour: INT, minute: INT, second: DECIMAL(16, 6)) -> TIME?
    The time of an hour, minute and second.
    since 4.1.0""")
TO_TIME = scalar("""to_time(str: exactly(STRING), format: exactly(STRING)?) -> TIME?
    The time that a text of a format (by default ISO) says.
    since 4.1.0""")
TRY_TO_TIME = scalar("""try_to_time(str: exactly(STRING), format: exactly(STRING)?) -> TIME?
    The time that a text of a format says, NULL where it says none.
    since 4.1.0, no class
    """).where(spelled_arguments=lambda texts: [f"to_time({', '.join(texts)})"])
TIME_TRUNC = scalar("""time_trunc(unit: STRING, time: ANY_TIME) -> $1?
    The time cut to a unit: HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND.
    since 4.1.0""")
TIME_DIFF = scalar("""time_diff(unit: STRING, start: ANY_TIME, end: ANY_TIME) -> BIGINT?
    The number of whole units from the first time to the second.
    since 4.1.0""")
TIME_FROM_SECONDS = scalar("""time_from_seconds(col: NUMBER) -> TIME?
    The time a number of seconds after midnight.
    since 4.2.0""")
TIME_FROM_MILLIS = scalar("""time_from_millis(col: INTEGRAL) -> TIME?
    The time a number of milliseconds after midnight.
    since 4.2.0""")
TIME_FROM_MICROS = scalar("""time_from_micros(col: INTEGRAL) -> TIME?
    The time a number of microseconds after midnight.
    since 4.2.0""")
TIME_TO_SECONDS = scalar("""time_to_seconds(col: exactly(TIME)) -> DECIMAL(14, 6)?
    The seconds from midnight to a time.
    since 4.2.0""")
TIME_TO_MILLIS = scalar("""time_to_millis(col: exactly(TIME)) -> BIGINT?
    The milliseconds from midnight to a time.
    since 4.2.0""")
TIME_TO_MICROS = scalar("""time_to_micros(col: exactly(TIME)) -> BIGINT?
    The microseconds from midnight to a time.
    since 4.2.0""")
TIME_BUCKET = scalar("""time_bucket(
        bucket_size: literal(exactly(DAY_TIME_INTERVAL, YEAR_MONTH_INTERVAL)), ts: _,
        origin: _?) -> $1
    The start of the bucket, of a size and counted from an origin, that a time falls in.
    since 4.2.0""").where(
    args=(_MOMENT, literal(_MOMENT)),
    check=every_check(_check_size, same_types(1)),
    inputs=to_first_known(1, default=TIMESTAMP),
)
