"""Dates, timestamps and intervals made of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from viewscribe.errors import ArityError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, scalar
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.newer_forms import with_fewer_arguments
from viewscribe.expressions.functions.outputs import always_nullable, null_without_ansi
from viewscribe.expressions.functions.validators import (
    ArgumentType,
    any_where,
    as_argument,
    exactly,
)
from viewscribe.types import (
    CALENDAR_INTERVAL,
    DATE,
    DAY_TIME_INTERVAL,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    YEAR_MONTH_INTERVAL,
    LogicalType,
    decimal,
)

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


def _timestamp(
    name: str,
    wanted: LogicalType | None,
    counts: Sequence[int],
    doc: str,
    *,
    nullable: tuple[bool, bool] = (False, False),
    **names: Unpack[Names],
) -> FunctionDefinition:
    """A timestamp of six or more numbers, or of a date, a time and a time zone.

    Args:
        name: its name.
        wanted: its type; None for the one that TIMESTAMP stands for, where it is made of numbers.
        counts: how many arguments it takes.
        doc: what it gives.
        nullable: whether it may be NULL without any argument being so, for each of the two forms.
        names: how it is called.
    """

    def infer_made(context: CallContext) -> LogicalType:
        count = len(context.types)
        if count not in counts:
            expected = ", ".join(map(str, counts[:-1])) + f" or {counts[-1]}"
            raise ArityError(f"{name} takes {expected} arguments, not {count}")
        numbers = count > len(_DATE_TIME_ZONE)
        forced = (nullable[0] or not context.ansi) if numbers else nullable[1]
        types = _read_as(context, _NUMBERS if numbers else _DATE_TIME_ZONE)
        found = wanted or (context.timestamp if numbers else TIMESTAMP)
        return found.with_nullability(forced or any(type_.nullable for type_ in types))

    args, required = _PARTS[: counts[-1]], counts[0]
    return scalar(
        name,
        args=args,
        required=required,
        parameter_names=_PART_NAMES[: counts[-1]],
        returns=infer_made,
        doc=doc,
        **names,
    )


_PART_NAMES = ("years", "months", "days", "hours", "mins", "secs", "timezone")


def _read_as(context: CallContext, wanted: Sequence[ArgumentType]) -> list[LogicalType]:
    types = []
    for place, (given, argument) in enumerate(zip(context.types, wanted, strict=False)):
        type_ = argument.coerce(given)
        if type_ is None:
            reason = f"argument {place + 1} is {given.ddl}, not {argument.description}"
            raise context.mismatch(reason)
        types.append(type_)
    return types


MAKE_DATE = scalar(
    "make_date",
    args=(INT, INT, INT),
    parameter_names=("year", "month", "day"),
    returns=null_without_ansi(DATE),
    since="3.0.0",
    doc="The date of a year, month and day.",
)
MAKE_TIMESTAMP = _timestamp(
    "make_timestamp",
    None,
    (1, 2, 3, 6, 7),
    "The timestamp of a year, month, day, hour, minute, second and time zone, or of a date, a "
    "time and a time zone.",
    newer_form=with_fewer_arguments(3, "4.1.0"),
    since="3.0.0",
    catalyst=("MakeTimestamp", "MakeTimestampFromDateTime"),
)
TRY_MAKE_TIMESTAMP = _timestamp(
    "try_make_timestamp",
    None,
    (1, 2, 3, 6, 7),
    "The timestamp that make_timestamp makes, NULL where there is none.",
    nullable=(True, False),
    spelled_arguments=first(6),
    newer_form=with_fewer_arguments(3, "4.1.0"),
    since="4.0.0",
    catalyst=("TryMakeTimestamp", "TryMakeTimestampFromDateTime"),
)
MAKE_TIMESTAMP_LTZ = _timestamp(
    "make_timestamp_ltz",
    TIMESTAMP,
    (2, 3, 6, 7),
    "The timestamp of the session's time zone that the parts, or a date and a time, make.",
    newer_form=with_fewer_arguments(3, "4.1.0"),
    since="3.4.0",
    catalyst="MakeTimestampLTZ",
)
TRY_MAKE_TIMESTAMP_LTZ = _timestamp(
    "try_make_timestamp_ltz",
    TIMESTAMP,
    (2, 3, 6, 7),
    "The timestamp that make_timestamp_ltz makes, NULL where there is none.",
    nullable=(True, False),
    newer_form=with_fewer_arguments(3, "4.1.0"),
    since="4.0.0",
    catalyst=(),
)
MAKE_TIMESTAMP_NTZ = _timestamp(
    "make_timestamp_ntz",
    TIMESTAMP_NTZ,
    (2, 6),
    "The timestamp without a time zone of a year, month, day, hour, minute and second, or of a "
    "date and a time.",
    nullable=(False, True),
    newer_form=with_fewer_arguments(2, "4.1.0"),
    since="3.4.0",
    catalyst="MakeTimestampNTZ",
)
TRY_MAKE_TIMESTAMP_NTZ = _timestamp(
    "try_make_timestamp_ntz",
    TIMESTAMP_NTZ,
    (2, 6),
    "The timestamp that make_timestamp_ntz makes, NULL where there is none.",
    nullable=(True, True),
    newer_form=with_fewer_arguments(2, "4.1.0"),
    since="4.0.0",
    catalyst=(),
)
MAKE_DT_INTERVAL = scalar(
    "make_dt_interval",
    args=(INT, INT, INT, decimal(18, 6)),
    required=0,
    parameter_names=("days", "hours", "mins", "secs"),
    returns=DAY_TIME_INTERVAL,
    catalyst="MakeDTInterval",
    since="3.2.0",
    defaults=("0", "0", "0", "0.000000"),
    doc="The interval of days, hours, minutes and seconds.",
)
MAKE_YM_INTERVAL = scalar(
    "make_ym_interval",
    args=(INT, INT),
    required=0,
    parameter_names=("years", "months"),
    returns=YEAR_MONTH_INTERVAL,
    catalyst="MakeYMInterval",
    since="3.2.0",
    defaults=("0", "0"),
    doc="The interval of years and months.",
)
MAKE_INTERVAL = scalar(
    "make_interval",
    args=(INT, INT, INT, INT, INT, INT, decimal(18, 6)),
    required=0,
    returns=null_without_ansi(CALENDAR_INTERVAL),
    since="3.0.0",
    defaults=("0", "0", "0", "0", "0", "0", "0.000000"),
    doc="The interval of years, months, weeks, days, hours, minutes and seconds.",
)
TRY_MAKE_INTERVAL = scalar(
    "try_make_interval",
    args=(INT, INT, INT, INT, INT, INT, decimal(18, 6)),
    required=1,
    returns=always_nullable(CALENDAR_INTERVAL),
    since="4.0.0",
    defaults=("0", "0", "0", "0", "0", "0", "0.000000"),
    doc="The interval of its parts, NULL where it is too long.",
)
