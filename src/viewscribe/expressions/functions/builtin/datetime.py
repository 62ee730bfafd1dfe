"""Dates and timestamps: the clock, parts, arithmetic, truncation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import chain, where
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.syntax import template
from viewscribe.expressions.functions.validators import ArgumentType, exactly, family
from viewscribe.types import (
    DATE,
    INT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
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
        if name not in _CLOCK_PARTS:
            raise context.mismatch(f"{source.ddl} has no {context.literal(0)}")
        return decimal(2 + source.precision, source.precision) if name == "SECOND" else INT
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


CURRENT_DATE = scalar("""current_date() -> DATE!
    The date on which the query started.
    since 1.5.0, alias curdate, tells time, never fails
    """).where(spelled={"curdate": "current_date"})
CURRENT_TIMESTAMP = scalar("""current_timestamp() -> TIMESTAMP!
    The time at which the query started.
    since 1.5.0, alias now, class CurrentTimestamp Now, tells time, never fails""")
LOCALTIMESTAMP = scalar("""localtimestamp() -> TIMESTAMP_NTZ!
    The time at which the query started, without a time zone.
    since 3.4.0, class LocalTimestamp, tells time, never fails""")
CURRENT_TIMEZONE = scalar("""current_timezone() -> STRING!
    The time zone of the session.
    since 3.1.0, class CurrentTimeZone""")

YEAR = scalar("""year(col: DATE) -> INT
    The year.
    since 1.5.0""")
QUARTER = scalar("""quarter(col: DATE) -> INT
    The quarter, 1 to 4.
    since 1.5.0""")
MONTH = scalar("""month(col: DATE) -> INT
    The month, 1 to 12.
    since 1.5.0""")
DAY = scalar("""day(col: DATE) -> INT
    The day of the month, 1 to 31.
    since 1.5.0, alias dayofmonth, class DayOfMonth""")
DAYOFWEEK = scalar("""dayofweek(col: DATE) -> INT
    The day of the week, 1 (Sunday) to 7 (Saturday).
    since 2.3.0, class DayOfWeek""")
WEEKDAY = scalar("""weekday(col: DATE) -> INT
    The day of the week, 0 (Monday) to 6 (Sunday).
    since 2.4.0, class WeekDay""")
DAYOFYEAR = scalar("""dayofyear(col: DATE) -> INT
    The day of the year, 1 to 366.
    since 1.5.0, class DayOfYear""")
WEEKOFYEAR = scalar("""weekofyear(col: DATE) -> INT
    The ISO week of the year, 1 to 53.
    since 1.5.0, class WeekOfYear""")
HOUR = scalar("""hour(col: _)
    The hour, 0 to 23.
    since 1.5.0, class Hour HoursOfTime""").where(args=(_CLOCK,), returns=_of_clock)
MINUTE = scalar("""minute(col: _)
    The minute, 0 to 59.
    since 1.5.0, class Minute MinutesOfTime""").where(args=(_CLOCK,), returns=_of_clock)
SECOND = scalar("""second(col: _)
    The second, 0 to 59.
    since 1.5.0, class Second SecondsOfTime SecondsOfTimeWithFraction
    """).where(args=(_CLOCK,), returns=_of_clock)
DAYNAME = scalar("""dayname(col: DATE) -> STRING
    The short name of the day.
    since 4.0.0, class DayName""")
MONTHNAME = scalar("""monthname(col: DATE) -> STRING
    The short name of the month.
    since 4.0.0, class MonthName""")
EXTRACT = scalar("""extract(field: literal(STRING), source: _)
    A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …
    since 3.0.0, alias date_part datepart, receiver 1""").where(
    args=(_EXTRACTABLE,),
    returns=_extract,
    syntax=template("extract({0!} FROM {1})"),
    newer_form=_seconds_form,
)

DATE_TRUNC = scalar("""date_trunc(format: text(STRING), timestamp: TIMESTAMP) -> TIMESTAMP?
    The timestamp cut to a unit: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, …
    since 2.3.0, class TruncTimestamp, receiver 1""").where(newer_form=with_type(TimeType, "4.3.0"))
TRUNC = scalar("""trunc(date: DATE, format: text(STRING)) -> DATE?
    The date cut to a unit: YEAR, QUARTER, MONTH or WEEK.
    since 1.5.0, class TruncDate""")
DATE_ADD = scalar("""date_add(start: DATE, days: _) -> DATE
    The date a number of days later.
    since 1.5.0, alias dateadd, increasing""").where(args=(_DAYS,), spelled={"dateadd": "date_add"})
DATE_SUB = scalar("""date_sub(start: DATE, days: _) -> DATE
    The date a number of days earlier.
    since 1.5.0, increasing""").where(args=(_DAYS,))
DATEDIFF = scalar("""datediff(end: DATE, start: DATE) -> INT
    The number of days from the second date to the first.
    since 1.5.0, alias date_diff, class DateDiff, never fails""")
ADD_MONTHS = scalar("""add_months(start: DATE, months: INT) -> DATE
    The date a number of months later.
    since 1.5.0""")
MONTHS_BETWEEN = scalar("""months_between(TIMESTAMP, TIMESTAMP, BOOLEAN = true) -> DOUBLE
    The months from the second time to the first, rounded to 8 digits unless told not to.
    since 1.5.0""").where(newer_form=with_type(TimeType, "4.3.0"))
LAST_DAY = scalar("""last_day(date: DATE) -> DATE
    The last day of the month.
    since 1.5.0""")
NEXT_DAY = scalar("""next_day(date: DATE, dayOfWeek: text(STRING)) -> DATE?
    The first day after the date that is a day of the week such as `Mon`.
    since 1.5.0""")
TIMESTAMPADD = scalar("""timestampadd(unit: literal(STRING), quantity: INT, ts: MOMENT)
    The time a number of units later.
    no class""").where(
    returns=chain(where(2, exactly(TIMESTAMP_NTZ), TIMESTAMP_NTZ), TIMESTAMP),
    check=_known_unit,
    syntax=template("timestampadd({0!}, {1}, {2})"),
    newer_form=with_type(TimeType, "4.3.0"),
)
TIMESTAMPDIFF = scalar("""timestampdiff(unit: literal(STRING), start: TIMESTAMP,
        end: TIMESTAMP) -> BIGINT
    The number of whole units from the first time to the second.
    no class""").where(
    check=_known_unit,
    syntax=template("timestampdiff({0!}, {1}, {2})"),
    newer_form=with_type(TimeType, "4.3.0"),
)
