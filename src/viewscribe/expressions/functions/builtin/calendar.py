"""Dates and timestamps: reading and writing them, time zones, time windows."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY, ANY_TIMESTAMP, INTEGRAL, NUMBER, STRUCT
from viewscribe.expressions.functions.made_up_names import with_default_before
from viewscribe.expressions.functions.newer_forms import always, with_type
from viewscribe.expressions.functions.outputs import (
    OutputStrategy,
    always_nullable,
    null_without_ansi,
)
from viewscribe.expressions.functions.validators import either, exactly, literal, text
from viewscribe.expressions.functions.window_lengths import check_lengths
from viewscribe.expressions.nodes import AggregateCall, Call, Cast, strip_alias
from viewscribe.expressions.properties import is_foldable
from viewscribe.types import (
    BIGINT,
    CALENDAR_INTERVAL,
    DATE,
    INT,
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

_FORMAT = text(STRING)
_STRICT_FORMAT = text(exactly(STRING))
_READABLE = either(STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ)
_READABLE_OR_NUMBER = either(STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ, NUMBER)
_MOMENT_OR_TEXT = exactly(STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ)


def _read_as(type_: LogicalType | None = None, *, lenient: bool = False) -> OutputStrategy:
    """The type: NULL where a plain cast to it may be; with a format only if ``lenient``.

    Without a type it is the one that TIMESTAMP stands for.
    """

    def strategy(context: CallContext) -> LogicalType:
        wanted = type_ or context.timestamp
        if len(context.types) > 1:
            if isinstance(context.types[0], NumericType):
                _forbid_constant_format(context)
            forced = lenient or not context.ansi
            return wanted.with_nullability(forced or context.any_nullable)
        forced = cast_introduces_null(context.types[0], wanted)
        return wanted.with_nullability(context.any_nullable or forced)

    return strategy


def _forbid_constant_format(context: CallContext) -> None:
    """Beside a number Spark fails on a format that it can look at; on others it does not look."""
    context.values_seen = True
    if is_foldable(context.given[1]):
        raise context.mismatch("a number has no format: Spark takes one for text alone")


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


def _to_epoch(name: str, doc: str, *, since: str = "1.0.0") -> FunctionDefinition:
    return scalar(
        name,
        args=(exactly(TIMESTAMP, TIMESTAMP_NTZ),),
        returns=BIGINT,
        since=since,
        newer_form=with_type(TimestampNtzType, "4.3.0"),
        doc=doc,
    )


TO_DATE = scalar(
    "to_date",
    args=(_READABLE, _FORMAT),
    optional=1,
    parameter_names=("col", "format"),
    returns=_read_as(DATE),
    catalyst="ParseToDate",
    since="1.5.0",
    doc="The date that a text of a format (by default ISO) says.",
)
TRY_TO_DATE = scalar(
    "try_to_date",
    args=(_READABLE, _FORMAT),
    optional=1,
    parameter_names=("col", "format"),
    returns=_read_as(DATE, lenient=True),
    catalyst=(),
    newer_form=always("4.1.0"),
    since="4.0.0",
    doc="The date that a text of a format says, NULL where it says none.",
)
TO_TIMESTAMP = scalar(
    "to_timestamp",
    args=(_READABLE_OR_NUMBER, _FORMAT),
    optional=1,
    parameter_names=("col", "format"),
    returns=_read_as(),
    catalyst="ParseToTimestamp",
    since="2.2.0",
    doc="The timestamp that a text of a format (by default ISO) says.",
)
TRY_TO_TIMESTAMP = scalar(
    "try_to_timestamp",
    args=(_READABLE_OR_NUMBER, _FORMAT),
    optional=1,
    parameter_names=("col", "format"),
    returns=_read_as(lenient=True),
    catalyst=(),
    since="3.4.0",
    doc="The timestamp that a text of a format says, NULL where it says none.",
)
TO_TIMESTAMP_NTZ = scalar(
    "to_timestamp_ntz",
    args=(_READABLE, _FORMAT),
    optional=1,
    parameter_names=("timestamp", "format"),
    returns=_read_as(TIMESTAMP_NTZ),
    catalyst=(),
    since="3.4.0",
    doc="The timestamp without a time zone that a text of a format says.",
)
TO_TIMESTAMP_LTZ = scalar(
    "to_timestamp_ltz",
    args=(_READABLE_OR_NUMBER, _FORMAT),
    optional=1,
    parameter_names=("timestamp", "format"),
    returns=_read_as(TIMESTAMP),
    catalyst=(),
    since="3.4.0",
    doc="The timestamp of the session's time zone that a text of a format says.",
)
DATE_FORMAT = scalar(
    "date_format",
    args=(TIMESTAMP, _FORMAT),
    parameter_names=("date", "format"),
    returns=STRING,
    catalyst="DateFormatClass",
    newer_form=with_type(TimeType, "4.3.0"),
    since="1.5.0",
    doc="The time as text of a format such as `yyyy-MM-dd`.",
)
UNIX_TIMESTAMP = scalar(
    "unix_timestamp",
    args=(_MOMENT_OR_TEXT, _STRICT_FORMAT),
    required=0,
    returns=null_without_ansi(BIGINT),
    since="1.5.0",
    defaults=("current_timestamp()", "yyyy-MM-dd HH:mm:ss"),
    tells_time=True,
    doc="The seconds from 1970 to a time, or to now.",
)
TO_UNIX_TIMESTAMP = scalar(
    "to_unix_timestamp",
    args=(_MOMENT_OR_TEXT, _STRICT_FORMAT),
    optional=1,
    parameter_names=("timestamp", "format"),
    returns=null_without_ansi(BIGINT),
    since="1.6.0",
    defaults=("yyyy-MM-dd HH:mm:ss",),
    doc="The seconds from 1970 to a time.",
)
FROM_UNIXTIME = scalar(
    "from_unixtime",
    args=(BIGINT, _FORMAT),
    optional=1,
    parameter_names=("timestamp", "format"),
    returns=always_nullable(STRING),
    catalyst="FromUnixTime",
    since="1.5.0",
    defaults=("yyyy-MM-dd HH:mm:ss",),
    doc="The time a number of seconds after 1970 began, as text of a format.",
)
UNIX_SECONDS = _to_epoch("unix_seconds", "The seconds from 1970 to a time.", since="3.1.0")
UNIX_MILLIS = _to_epoch("unix_millis", "The milliseconds from 1970 to a time.", since="3.1.0")
UNIX_MICROS = _to_epoch("unix_micros", "The microseconds from 1970 to a time.", since="3.1.0")
UNIX_DATE = scalar(
    "unix_date",
    args=(exactly(DATE),),
    returns=INT,
    since="3.1.0",
    doc="The days from 1970 to a date.",
)
TIMESTAMP_SECONDS = scalar(
    "timestamp_seconds",
    args=(NUMBER,),
    returns=_moment_of_number,
    catalyst="SecondsToTimestamp",
    since="3.1.0",
    doc="The time a number of seconds after 1970 began.",
)
TIMESTAMP_MILLIS = scalar(
    "timestamp_millis",
    args=(INTEGRAL,),
    returns=TIMESTAMP,
    catalyst="MillisToTimestamp",
    since="3.1.0",
    doc="The time a number of milliseconds after 1970 began.",
)
TIMESTAMP_MICROS = scalar(
    "timestamp_micros",
    args=(INTEGRAL,),
    returns=TIMESTAMP,
    catalyst="MicrosToTimestamp",
    since="3.1.0",
    doc="The time a number of microseconds after 1970 began.",
)
DATE_FROM_UNIX_DATE = scalar(
    "date_from_unix_date",
    args=(INT,),
    parameter_names=("days",),
    returns=DATE,
    since="3.1.0",
    doc="The date a number of days after 1970 began.",
)
FROM_UTC_TIMESTAMP = scalar(
    "from_utc_timestamp",
    args=(TIMESTAMP, text(STRING)),
    parameter_names=("timestamp", "tz"),
    returns=TIMESTAMP,
    catalyst="FromUTCTimestamp",
    newer_form=with_type(TimeType, "4.3.0"),
    since="1.5.0",
    doc="The time of a time zone when it is the time given in UTC.",
)
TO_UTC_TIMESTAMP = scalar(
    "to_utc_timestamp",
    args=(TIMESTAMP, text(STRING)),
    parameter_names=("timestamp", "tz"),
    returns=TIMESTAMP,
    catalyst="ToUTCTimestamp",
    newer_form=with_type(TimeType, "4.3.0"),
    since="1.5.0",
    doc="The time in UTC when it is the time given in a time zone.",
)
CONVERT_TIMEZONE = scalar(
    "convert_timezone",
    args=(text(STRING), ANY, TIMESTAMP_NTZ),
    optional=1,
    returns=_convert,
    spelled_arguments=with_default_before("current_timezone()", 2),
    newer_form=with_type(TimeType, "4.3.0"),
    since="3.4.0",
    doc="The time of the second time zone when it is the time given in the first; the first is "
    "the session's where it is left out.",
)
WINDOW = scalar(
    "window",
    args=(ANY_TIMESTAMP, literal(STRING), literal(STRING), literal(STRING)),
    optional=2,
    check=_check_lengths,
    returns=_bounds,
    catalyst=(),
    since="2.0.0",
    is_step=True,
    doc="The time window, of a duration, slide and start, that a time falls in.",
)
SESSION_WINDOW = scalar(
    "session_window",
    args=(ANY_TIMESTAMP, text(exactly(STRING, CALENDAR_INTERVAL))),
    parameter_names=("timeColumn", "gapDuration"),
    returns=_bounds,
    catalyst=(),
    since="3.2.0",
    is_step=True,
    doc="The session of events no further apart than a gap that a time falls in.",
)
WINDOW_TIME = scalar(
    "window_time",
    args=(STRUCT,),
    parameter_names=("windowColumn",),
    returns=_end,
    catalyst=(),
    since="3.4.0",
    doc="The time that stands for a time window: just before its end.",
)
