"""Dates and timestamps: reading and writing them, time zones, time windows."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.declarative import check_lengths
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.newer_forms import always, with_default_before, with_type
from viewscribe.expressions.nodes import AggregateCall, Call, Cast, strip_alias
from viewscribe.expressions.properties import is_foldable
from viewscribe.types import (
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DoubleType,
    Field,
    FloatType,
    LogicalType,
    NumericType,
    StructType,
    TimestampNtzType,
    TimeType,
)
from viewscribe.types.coercion import cast_introduces_null


def _read_as(type_: LogicalType | None = None, *, lenient: bool = False) -> OutputStrategy:
    """The type: NULL where a plain cast to it may be; with a format only if ``lenient``.

    Without a type it is the one that TIMESTAMP stands for.
    """

    def strategy(context: CallContext) -> LogicalType:
        wanted = type_ or context.timestamp
        if len(context.types) > 1:
            if isinstance(context.types[0], NumericType):
                # Beside a number Spark fails on a format that it can look at; on others it does
                # not look.
                context.values_seen = True
                if is_foldable(context.given[1]):
                    raise context.mismatch("a number has no format: Spark takes one for text alone")
            forced = lenient or not context.ansi
            return wanted.with_nullability(forced or context.any_nullable)
        forced = cast_introduces_null(context.types[0], wanted)
        return wanted.with_nullability(context.any_nullable or forced)

    return strategy


def _convert(context: CallContext) -> LogicalType:
    wanted = TIMESTAMP_NTZ if len(context.types) == 2 else STRING
    second = implicit_cast(context.types[1], wanted)
    if second is None:
        raise context.mismatch(f"argument 2 is not {wanted.ddl}")
    types = (context.types[0], second, *context.types[2:])
    return TIMESTAMP_NTZ.with_nullability(any(type_.nullable for type_ in types))


def _moment_of_number(context: CallContext) -> LogicalType:
    inexact = isinstance(context.types[0], FloatType | DoubleType)
    return TIMESTAMP.with_nullability(context.any_nullable or inexact)


def _check_lengths(context: CallContext) -> None:
    check_lengths(context.args[1:])


def _bounds(context: CallContext) -> LogicalType:
    time = context.types[0].as_nullable()
    # A time falls in more than one window, or in none, where windows slide.
    slides = len(context.types) > 2 and context.literal(1) != context.literal(2)
    return StructType(fields=(Field("start", time), Field("end", time)), nullable=slides)


def _end(context: CallContext) -> LogicalType:
    window, given = context.types[0], strip_alias(context.args[0])
    end = window.field("end") if isinstance(window, StructType) else None
    context.values_seen = True  # Spark looks for what it noted of the column, not for its type
    is_other = isinstance(given, Call) and not given.function.is_step
    if end is None or is_other or isinstance(given, AggregateCall | Cast):
        raise context.mismatch("the argument is the column that window() makes")
    return end.type.as_nullable()


TO_DATE = scalar("""to_date(col: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ, format: text(STRING)?)
    The date that a text of a format (by default ISO) says.
    since 1.5.0, class ParseToDate""").where(returns=_read_as(DATE))
TRY_TO_DATE = scalar("""try_to_date(col: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ,
        format: text(STRING)?)
    The date that a text of a format says, NULL where it says none.
    since 4.0.0, no class
    """).where(returns=_read_as(DATE, lenient=True), newer_form=always("4.1.0"))
TO_TIMESTAMP = scalar("""to_timestamp(col: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ | NUMBER,
        format: text(STRING)?)
    The timestamp that a text of a format (by default ISO) says.
    since 2.2.0, class ParseToTimestamp""").where(returns=_read_as())
TRY_TO_TIMESTAMP = scalar("""try_to_timestamp(
        col: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ | NUMBER, format: text(STRING)?)
    The timestamp that a text of a format says, NULL where it says none.
    since 3.4.0, no class""").where(returns=_read_as(lenient=True))
TO_TIMESTAMP_NTZ = scalar("""to_timestamp_ntz(timestamp: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ,
        format: text(STRING)?)
    The timestamp without a time zone that a text of a format says.
    since 3.4.0, no class""").where(returns=_read_as(TIMESTAMP_NTZ))
TO_TIMESTAMP_LTZ = scalar("""to_timestamp_ltz(
        timestamp: STRING | DATE | TIMESTAMP | TIMESTAMP_NTZ | NUMBER, format: text(STRING)?)
    The timestamp of the session's time zone that a text of a format says.
    since 3.4.0, no class""").where(returns=_read_as(TIMESTAMP))
DATE_FORMAT = scalar("""date_format(date: TIMESTAMP, format: text(STRING)) -> STRING
    The time as text of a format such as `yyyy-MM-dd`.
    since 1.5.0, class DateFormatClass""").where(newer_form=with_type(TimeType, "4.3.0"))
UNIX_TIMESTAMP = scalar("""unix_timestamp(
        exactly(STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ) = 'current_timestamp()',
        text(exactly(STRING)) = 'yyyy-MM-dd HH:mm:ss') -> null_without_ansi(BIGINT)
    The seconds from 1970 to a time, or to now.
    since 1.5.0, tells time""")
TO_UNIX_TIMESTAMP = scalar("""to_unix_timestamp(
        timestamp: exactly(STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ),
        format: text(exactly(STRING)) = 'yyyy-MM-dd HH:mm:ss') -> null_without_ansi(BIGINT)
    The seconds from 1970 to a time.
    since 1.6.0""")
FROM_UNIXTIME = scalar("""from_unixtime(timestamp: BIGINT,
        format: text(STRING) = 'yyyy-MM-dd HH:mm:ss') -> STRING?
    The time a number of seconds after 1970 began, as text of a format.
    since 1.5.0, class FromUnixTime""")
UNIX_SECONDS = scalar("""unix_seconds(col: exactly(TIMESTAMP, TIMESTAMP_NTZ)) -> BIGINT
    The seconds from 1970 to a time.
    since 3.1.0""").where(newer_form=with_type(TimestampNtzType, "4.3.0"))
UNIX_MILLIS = scalar("""unix_millis(col: exactly(TIMESTAMP, TIMESTAMP_NTZ)) -> BIGINT
    The milliseconds from 1970 to a time.
    since 3.1.0""").where(newer_form=with_type(TimestampNtzType, "4.3.0"))
UNIX_MICROS = scalar("""unix_micros(col: exactly(TIMESTAMP, TIMESTAMP_NTZ)) -> BIGINT
    The microseconds from 1970 to a time.
    since 3.1.0""").where(newer_form=with_type(TimestampNtzType, "4.3.0"))
UNIX_DATE = scalar("""unix_date(col: exactly(DATE)) -> INT
    The days from 1970 to a date.
    since 3.1.0""")
TIMESTAMP_SECONDS = scalar("""timestamp_seconds(col: NUMBER)
    The time a number of seconds after 1970 began.
    since 3.1.0, class SecondsToTimestamp""").where(returns=_moment_of_number)
TIMESTAMP_MILLIS = scalar("""timestamp_millis(col: INTEGRAL) -> TIMESTAMP
    The time a number of milliseconds after 1970 began.
    since 3.1.0, class MillisToTimestamp""")
TIMESTAMP_MICROS = scalar("""timestamp_micros(col: INTEGRAL) -> TIMESTAMP
    The time a number of microseconds after 1970 began.
    since 3.1.0, class MicrosToTimestamp""")
DATE_FROM_UNIX_DATE = scalar("""date_from_unix_date(days: INT) -> DATE
    The date a number of days after 1970 began.
    since 3.1.0""")
FROM_UTC_TIMESTAMP = scalar("""from_utc_timestamp(timestamp: TIMESTAMP,
        tz: text(STRING)) -> TIMESTAMP
    The time of a time zone when it is the time given in UTC.
    since 1.5.0, class FromUTCTimestamp""").where(newer_form=with_type(TimeType, "4.3.0"))
TO_UTC_TIMESTAMP = scalar("""to_utc_timestamp(timestamp: TIMESTAMP, tz: text(STRING)) -> TIMESTAMP
    The time in UTC when it is the time given in a time zone.
    since 1.5.0, class ToUTCTimestamp""").where(newer_form=with_type(TimeType, "4.3.0"))
CONVERT_TIMEZONE = scalar("""convert_timezone(text(STRING), ANY, TIMESTAMP_NTZ?)
    The time of the second time zone when it is the time given in the first; the first is the
    session's where it is left out.
    since 3.4.0""").where(
    returns=_convert,
    spelled_arguments=with_default_before("current_timezone()", 2),
    newer_form=with_type(TimeType, "4.3.0"),
)
WINDOW = scalar("""window(ANY_TIMESTAMP, literal(STRING), literal(STRING)?, literal(STRING)?)
    The time window, of a duration, slide and start, that a time falls in.
    since 2.0.0, no class, step""").where(returns=_bounds, check=_check_lengths)
SESSION_WINDOW = scalar("""session_window(timeColumn: ANY_TIMESTAMP,
        gapDuration: text(exactly(STRING, CALENDAR_INTERVAL)))
    The session of events no further apart than a gap that a time falls in.
    since 3.2.0, no class, step""").where(returns=_bounds)
WINDOW_TIME = scalar("""window_time(windowColumn: STRUCT)
    The time that stands for a time window: just before its end.
    since 3.4.0, no class""").where(returns=_end)
