"""Dates and timestamps: the clock, parts, arithmetic, truncation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, scalar
from viewscribe.expressions.functions.families import MOMENT
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.outputs import always_nullable, chain, where
from viewscribe.expressions.functions.syntax import template
from viewscribe.expressions.functions.validators import ArgumentType, exactly, family, literal, text
from viewscribe.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    BigIntType,
    CalendarIntervalType,
    DateType,
    DayTimeIntervalType,
    IntType,
    LogicalType,
    SmallIntType,
    StringType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    TinyIntType,
    YearMonthIntervalType,
    decimal,
)
from viewscribe.types.policy import IN_FORCE as COERCION

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import AnyCall


_Parts = dict[str, LogicalType]


def _date_part(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return scalar(name, args=(DATE,), returns=INT, doc=doc, **names)


def _time_part(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return scalar(name, args=(_CLOCK,), returns=_of_clock, doc=doc, **names)


def _of_clock(context: CallContext) -> LogicalType:
    """Spark does not trust the parts of a TIME to be there."""
    type_ = context.types[0]
    return INT.with_nullability(type_.nullable or isinstance(type_, TimeType))


_CLOCK = ArgumentType(
    "TIMESTAMP or TIME",
    lambda given: given if isinstance(given, TimeType) else implicit_cast(given, TIMESTAMP),
)
_EXTRACTABLE = family(
    "<date, time, timestamp or INTERVAL>",
    DateType,
    TimestampType,
    TimestampNtzType,
    TimeType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    CalendarIntervalType,
    default=TIMESTAMP,
    text_as=TIMESTAMP,
)


def _days(given: LogicalType) -> LogicalType | None:
    if isinstance(given, StringType) and not COERCION.get().ansi:
        return None
    return _NUMBER_OF_DAYS.coerce(given)


_NUMBER_OF_DAYS = family("INT", IntType, SmallIntType, TinyIntType, default=INT, text_as=INT)
_DAYS = ArgumentType(_NUMBER_OF_DAYS.description, _days)


def _clock(name: str, returns: LogicalType, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return scalar(
        name, returns=returns.not_null(), tells_time=True, never_fails=True, doc=doc, **names
    )


_UNIT_NAMES = {
    "YEAR": "Y YEARS YR YRS",
    "YEAROFWEEK": "",
    "QUARTER": "QTR",
    "MONTH": "MON MONS MONTHS",
    "WEEK": "W WEEKS",
    "DAY": "D DAYS",
    "DAYOFWEEK": "DOW",
    "DAYOFWEEK_ISO": "DOW_ISO",
    "DOY": "",
    "HOUR": "H HOURS HR HRS",
    "MINUTE": "M MIN MINS MINUTES",
    "SECOND": "S SEC SECONDS SECS",
}
_UNITS = {alias: name for name, others in _UNIT_NAMES.items() for alias in (name, *others.split())}
_SECONDS = decimal(8, 6)
_CLOCK_PARTS: _Parts = {"HOUR": INT, "MINUTE": INT, "SECOND": _SECONDS}
_MOMENT_PARTS: _Parts = dict.fromkeys(_UNIT_NAMES, INT) | _CLOCK_PARTS
_MONTH_PARTS: _Parts = {"YEAR": INT, "MONTH": TINYINT}
_DAY_PARTS: _Parts = {"DAY": INT, "HOUR": TINYINT, "MINUTE": TINYINT, "SECOND": _SECONDS}
_PARTS: dict[type[LogicalType], _Parts] = {
    YearMonthIntervalType: _MONTH_PARTS,
    DayTimeIntervalType: _DAY_PARTS,
    CalendarIntervalType: _MONTH_PARTS | _DAY_PARTS,
}


def _extract(context: CallContext) -> LogicalType:
    unit, source = context.literal(0), context.types[1]
    if not isinstance(unit, str):
        raise context.mismatch("the unit must be a literal")
    name = _UNITS.get(unit.upper(), "")
    if isinstance(source, TimeType):
        return _of_time(context, name, source)
    found = _PARTS.get(type(source), _MOMENT_PARTS).get(name)
    if found is None or not _lies_within(name, source):
        raise context.mismatch(f"{source.ddl} has no {unit}")
    # Days and larger units are parts of a DATE, the others of a TIMESTAMP: a cast may give NULL.
    cast = implicit_cast(source, TIMESTAMP if name in _CLOCK_PARTS else DATE)
    return found.with_nullability(source.nullable if cast is None else cast.nullable)


def _lies_within(unit: str, source: LogicalType) -> bool:
    """Whether an interval of days or months has the unit: that of MINUTE TO SECOND has no hours."""
    if not isinstance(source, YearMonthIntervalType | DayTimeIntervalType):
        return True
    units = source.units
    return units.index(source.start) <= units.index(unit) <= units.index(source.end)


def _of_time(context: CallContext, name: str, source: TimeType) -> LogicalType:
    if name not in _CLOCK_PARTS:
        raise context.mismatch(f"{source.ddl} has no {context.literal(0)}")
    return decimal(2 + source.precision, source.precision) if name == "SECOND" else INT


def _seconds_form(call: AnyCall) -> str | None:
    """Seconds of a TIME have its precision since 4.3, and six digits before."""
    types = [argument.type for argument in call.args]
    shorter = any(isinstance(type_, TimeType) and type_.precision != 6 for type_ in types)
    return "4.3.0" if shorter else None


def _known_unit(context: CallContext) -> None:
    unit = context.literal(0)
    if not isinstance(unit, str) or unit.upper() not in _STEPS:
        raise context.mismatch(f"the unit must be one of {', '.join(_STEPS)}")


_STEPS = (
    *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"),
    *("MILLISECOND", "MICROSECOND"),
)
"""Units of TIMESTAMPADD and TIMESTAMPDIFF, which are words of SQL."""

_FORMAT = text(STRING)
_UNIT = literal(STRING)

CURRENT_DATE = _clock(
    "current_date",
    DATE,
    "The date on which the query started.",
    aliases=("curdate",),
    spelled={"curdate": "current_date"},
    since="1.5.0",
)
CURRENT_TIMESTAMP = _clock(
    "current_timestamp",
    TIMESTAMP,
    "The time at which the query started.",
    aliases=("now",),
    since="1.5.0",
    catalyst=("CurrentTimestamp", "Now"),
)
LOCALTIMESTAMP = _clock(
    "localtimestamp",
    TIMESTAMP_NTZ,
    "The time at which the query started, without a time zone.",
    since="3.4.0",
    catalyst="LocalTimestamp",
)
CURRENT_TIMEZONE = scalar(
    "current_timezone",
    returns=STRING.not_null(),
    since="3.1.0",
    catalyst="CurrentTimeZone",
    doc="The time zone of the session.",
)

YEAR = _date_part("year", "The year.", since="1.5.0")
QUARTER = _date_part("quarter", "The quarter, 1 to 4.", since="1.5.0")
MONTH = _date_part("month", "The month, 1 to 12.", since="1.5.0")
DAY = _date_part(
    "day",
    "The day of the month, 1 to 31.",
    aliases=("dayofmonth",),
    since="1.5.0",
    catalyst="DayOfMonth",
)
DAYOFWEEK = _date_part(
    "dayofweek",
    "The day of the week, 1 (Sunday) to 7 (Saturday).",
    since="2.3.0",
    catalyst="DayOfWeek",
)
WEEKDAY = _date_part(
    "weekday", "The day of the week, 0 (Monday) to 6 (Sunday).", since="2.4.0", catalyst="WeekDay"
)
DAYOFYEAR = _date_part(
    "dayofyear", "The day of the year, 1 to 366.", since="1.5.0", catalyst="DayOfYear"
)
WEEKOFYEAR = _date_part(
    "weekofyear", "The ISO week of the year, 1 to 53.", since="1.5.0", catalyst="WeekOfYear"
)
HOUR = _time_part("hour", "The hour, 0 to 23.", since="1.5.0", catalyst=("Hour", "HoursOfTime"))
MINUTE = _time_part(
    "minute", "The minute, 0 to 59.", since="1.5.0", catalyst=("Minute", "MinutesOfTime")
)
SECOND = _time_part(
    "second",
    "The second, 0 to 59.",
    since="1.5.0",
    catalyst=("Second", "SecondsOfTime", "SecondsOfTimeWithFraction"),
)
DAYNAME = scalar(
    "dayname",
    args=(DATE,),
    returns=STRING,
    catalyst="DayName",
    since="4.0.0",
    doc="The short name of the day.",
)
MONTHNAME = scalar(
    "monthname",
    args=(DATE,),
    returns=STRING,
    catalyst="MonthName",
    since="4.0.0",
    doc="The short name of the month.",
)
EXTRACT = scalar(
    "extract",
    args=(_UNIT, _EXTRACTABLE),
    parameter_names=("field", "source"),
    returns=_extract,
    syntax=template("extract({0!} FROM {1})"),
    aliases=("date_part", "datepart"),
    receiver=1,
    newer_form=_seconds_form,
    since="3.0.0",
    doc="A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …",
)

DATE_TRUNC = scalar(
    "date_trunc",
    args=(_FORMAT, TIMESTAMP),
    parameter_names=("format", "timestamp"),
    returns=always_nullable(TIMESTAMP),
    receiver=1,
    catalyst="TruncTimestamp",
    newer_form=with_type(TimeType, "4.3.0"),
    since="2.3.0",
    doc="The timestamp cut to a unit: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, …",
)
TRUNC = scalar(
    "trunc",
    args=(DATE, _FORMAT),
    parameter_names=("date", "format"),
    returns=always_nullable(DATE),
    catalyst="TruncDate",
    since="1.5.0",
    doc="The date cut to a unit: YEAR, QUARTER, MONTH or WEEK.",
)
DATE_ADD = scalar(
    "date_add",
    args=(DATE, _DAYS),
    parameter_names=("start", "days"),
    returns=DATE,
    aliases=("dateadd",),
    monotone="increasing",
    spelled={"dateadd": "date_add"},
    since="1.5.0",
    doc="The date a number of days later.",
)
DATE_SUB = scalar(
    "date_sub",
    args=(DATE, _DAYS),
    parameter_names=("start", "days"),
    returns=DATE,
    monotone="increasing",
    since="1.5.0",
    doc="The date a number of days earlier.",
)
DATEDIFF = scalar(
    "datediff",
    never_fails=True,
    args=(DATE, DATE),
    parameter_names=("end", "start"),
    returns=INT,
    aliases=("date_diff",),
    catalyst="DateDiff",
    since="1.5.0",
    doc="The number of days from the second date to the first.",
)
ADD_MONTHS = scalar(
    "add_months",
    args=(DATE, INT),
    parameter_names=("start", "months"),
    returns=DATE,
    since="1.5.0",
    doc="The date a number of months later.",
)
MONTHS_BETWEEN = scalar(
    "months_between",
    args=(TIMESTAMP, TIMESTAMP, BOOLEAN),
    optional=1,
    returns=DOUBLE,
    newer_form=with_type(TimeType, "4.3.0"),
    since="1.5.0",
    defaults=("true",),
    doc="The months from the second time to the first, rounded to 8 digits unless told not to.",
)
LAST_DAY = scalar(
    "last_day",
    args=(DATE,),
    parameter_names=("date",),
    returns=DATE,
    since="1.5.0",
    doc="The last day of the month.",
)
NEXT_DAY = scalar(
    "next_day",
    args=(DATE, _FORMAT),
    parameter_names=("date", "dayOfWeek"),
    returns=always_nullable(DATE),
    since="1.5.0",
    doc="The first day after the date that is a day of the week such as `Mon`.",
)
TIMESTAMPADD = scalar(
    "timestampadd",
    args=(_UNIT, INT, MOMENT),
    parameter_names=("unit", "quantity", "ts"),
    returns=chain(where(2, exactly(TIMESTAMP_NTZ), TIMESTAMP_NTZ), TIMESTAMP),
    check=_known_unit,
    syntax=template("timestampadd({0!}, {1}, {2})"),
    catalyst=(),
    newer_form=with_type(TimeType, "4.3.0"),
    doc="The time a number of units later.",
)
TIMESTAMPDIFF = scalar(
    "timestampdiff",
    args=(_UNIT, TIMESTAMP, TIMESTAMP),
    parameter_names=("unit", "start", "end"),
    returns=BigIntType(),
    check=_known_unit,
    syntax=template("timestampdiff({0!}, {1}, {2})"),
    catalyst=(),
    newer_form=with_type(TimeType, "4.3.0"),
    doc="The number of whole units from the first time to the second.",
)
