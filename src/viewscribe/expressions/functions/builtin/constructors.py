"""Dates, timestamps and intervals made of their parts."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import ArityError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.newer_forms import first, with_fewer_arguments
from viewscribe.expressions.functions.validators import (
    ArgumentType,
    any_where,
    as_argument,
    exactly,
)
from viewscribe.types import DATE, INT, STRING, TIME, TIMESTAMP, TIMESTAMP_NTZ, LogicalType, decimal

_SECONDS = decimal(16, 6)
_NUMBERS = tuple(map(as_argument, (INT, INT, INT, INT, INT, _SECONDS, STRING)))
_DATE_TIME_ZONE = (exactly(DATE), exactly(TIME), exactly(STRING))


def _part(description: str) -> ArgumentType:
    """An argument whose type depends on how many there are."""
    return any_where(description, lambda type_: True)


_PARTS = (
    _part("INT or DATE"),
    _part("INT or TIME"),
    _part("INT or STRING"),
    _part("INT"),
    _part("INT"),
    _part(_SECONDS.ddl),
    _part("STRING"),
)


def _made(
    wanted: LogicalType | None,
    *counts: int,
    numbers_fail: bool = False,
    others_fail: bool = False,
) -> OutputStrategy:
    """A timestamp of six or more numbers, or of a date, a time and a time zone.

    Args:
        wanted: its type; None for the one that TIMESTAMP stands for, where it is made of numbers.
        counts: how many arguments it takes.
        numbers_fail: whether it may be NULL without any of the numbers being so.
        others_fail: whether it may be so of a date, a time and a time zone.
    """

    def infer_made(context: CallContext) -> LogicalType:
        count = len(context.types)
        if count not in counts:
            expected = ", ".join(map(str, counts[:-1])) + f" or {counts[-1]}"
            raise ArityError(f"{context.function.name} takes {expected} arguments, not {count}")
        numbers = count > len(_DATE_TIME_ZONE)
        forced = (numbers_fail or not context.ansi) if numbers else others_fail
        types = _read_as(context, _NUMBERS if numbers else _DATE_TIME_ZONE)
        found = wanted or (context.timestamp if numbers else TIMESTAMP)
        return found.with_nullability(forced or any(type_.nullable for type_ in types))

    return infer_made


def _read_as(context: CallContext, wanted: Sequence[ArgumentType]) -> list[LogicalType]:
    types = []
    for place, (given, argument) in enumerate(zip(context.types, wanted, strict=False)):
        type_ = argument.coerce(given)
        if type_ is None:
            reason = f"argument {place + 1} is {given.ddl}, not {argument.description}"
            raise context.mismatch(reason)
        types.append(type_)
    return types


MAKE_DATE = scalar("""make_date(year: INT, month: INT, day: INT) -> null_without_ansi(DATE)
    The date of a year, month and day.
    since 3.0.0""")
MAKE_TIMESTAMP = scalar("""make_timestamp(years: _, months: _?, days: _?, hours: _?, mins: _?,
        secs: _?, timezone: _?)
    The timestamp of a year, month, day, hour, minute, second and time zone, or of a date, a time
    and a time zone.
    since 3.0.0, class MakeTimestamp MakeTimestampFromDateTime""").where(
    args=_PARTS, returns=_made(None, 1, 2, 3, 6, 7), newer_form=with_fewer_arguments(3, "4.1.0")
)
TRY_MAKE_TIMESTAMP = scalar("""try_make_timestamp(years: _, months: _?, days: _?, hours: _?,
        mins: _?, secs: _?, timezone: _?)
    The timestamp that make_timestamp makes, NULL where there is none.
    since 4.0.0, class TryMakeTimestamp TryMakeTimestampFromDateTime""").where(
    args=_PARTS,
    returns=_made(None, 1, 2, 3, 6, 7, numbers_fail=True),
    spelled_arguments=first(6),
    newer_form=with_fewer_arguments(3, "4.1.0"),
)
MAKE_TIMESTAMP_LTZ = scalar("""make_timestamp_ltz(years: _, months: _, days: _?, hours: _?,
        mins: _?, secs: _?, timezone: _?)
    The timestamp of the session's time zone that the parts, or a date and a time, make.
    since 3.4.0, class MakeTimestampLTZ""").where(
    args=_PARTS, returns=_made(TIMESTAMP, 2, 3, 6, 7), newer_form=with_fewer_arguments(3, "4.1.0")
)
TRY_MAKE_TIMESTAMP_LTZ = scalar("""try_make_timestamp_ltz(years: _, months: _, days: _?, hours: _?,
        mins: _?, secs: _?, timezone: _?)
    The timestamp that make_timestamp_ltz makes, NULL where there is none.
    since 4.0.0, no class""").where(
    args=_PARTS,
    returns=_made(TIMESTAMP, 2, 3, 6, 7, numbers_fail=True),
    newer_form=with_fewer_arguments(3, "4.1.0"),
)
MAKE_TIMESTAMP_NTZ = scalar("""make_timestamp_ntz(years: _, months: _, days: _?, hours: _?,
        mins: _?, secs: _?)
    The timestamp without a time zone of a year, month, day, hour, minute and second, or of a date
    and a time.
    since 3.4.0, class MakeTimestampNTZ""").where(
    args=_PARTS[:6],
    returns=_made(TIMESTAMP_NTZ, 2, 6, others_fail=True),
    newer_form=with_fewer_arguments(2, "4.1.0"),
)
TRY_MAKE_TIMESTAMP_NTZ = scalar("""try_make_timestamp_ntz(years: _, months: _, days: _?, hours: _?,
        mins: _?, secs: _?)
    The timestamp that make_timestamp_ntz makes, NULL where there is none.
    since 4.0.0, no class""").where(
    args=_PARTS[:6],
    returns=_made(TIMESTAMP_NTZ, 2, 6, numbers_fail=True, others_fail=True),
    newer_form=with_fewer_arguments(2, "4.1.0"),
)
MAKE_DT_INTERVAL = scalar("""make_dt_interval(days: INT = 0, hours: INT = 0, mins: INT = 0,
        secs: DECIMAL(18, 6) = 0.000000) -> DAY_TIME_INTERVAL
    The interval of days, hours, minutes and seconds.
    since 3.2.0, class MakeDTInterval""")
MAKE_YM_INTERVAL = scalar("""make_ym_interval(years: INT = 0,
        months: INT = 0) -> YEAR_MONTH_INTERVAL
    The interval of years and months.
    since 3.2.0, class MakeYMInterval""")
MAKE_INTERVAL = scalar("""make_interval(INT = 0, INT = 0, INT = 0, INT = 0, INT = 0, INT = 0,
        DECIMAL(18, 6) = 0.000000) -> null_without_ansi(CALENDAR_INTERVAL)
    The interval of years, months, weeks, days, hours, minutes and seconds.
    since 3.0.0""")
TRY_MAKE_INTERVAL = scalar("""try_make_interval(INT, INT?, INT?, INT?, INT?, INT?,
        DECIMAL(18, 6)?) -> CALENDAR_INTERVAL?
    The interval of its parts, NULL where it is too long.
    since 4.0.0""").where(defaults=("0", "0", "0", "0", "0", "0", "0.000000"))
