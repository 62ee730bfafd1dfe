"""Literals as columns, of exactly the value and the type, whatever the session's time zone.

PySpark turns dates and timestamps into Java's old classes, by way of the local time zone and the
Julian calendar. So they travel as days or microseconds since 1970, and Spark folds the rest into
a constant. Of literals only NULL, NaN and the infinities may be NULL, which rules out text and a
cast for all others.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.nodes import Literal
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.types import to_spark
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    IntType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
    YearMonthIntervalType,
)

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_MICROSECONDS_OF_A_SECOND = 1_000_000


def literal_column(literal: Literal) -> Column:
    """The literal as a constant column."""
    return value_column(literal.value, literal.type)


def value_column(value: object, type_: LogicalType) -> Column:
    """A value, held as ``literals.py`` of the expressions says, as a column of the type."""
    if value is None:
        null = F.lit(None)
        return null if isinstance(type_, VoidType) else null.cast(to_spark(type_))
    maker = _MAKERS.get(type(type_))
    if maker is None:
        raise NotInterpretableError(
            f"{type_.ddl} has no literals", hint="build the value from a literal with a function"
        )
    return maker(value, type_)


def _integer(value: int, type_: LogicalType) -> Column:
    column = F.lit(value)
    return column if isinstance(type_, IntType) else column.cast(to_spark(type_))


def _float(value: float, type_: LogicalType) -> Column:
    if not math.isfinite(value):  # as its text is read: a conversion, so it may be NULL
        return F.lit(str(value)).cast(to_spark(type_))
    return F.lit(float(value)).cast(to_spark(type_))


def _decimal(value: Decimal, type_: DecimalType) -> Column:
    """Not cast where it needs no cast: a literal beside a whole number Spark treats otherwise."""
    column = F.lit(value)
    if max(len(value.as_tuple().digits), type_.scale) == type_.precision:
        return column
    return column.cast(to_spark(type_))


def _string(value: str, type_: StringType) -> Column:
    column = F.lit(value)
    if type_.collation == "UTF8_BINARY":
        return column
    return F.collate(column, type_.collation)


def _date(value: dt.date, type_: LogicalType) -> Column:
    return F.date_from_unix_date(F.lit(value.toordinal() - _EPOCH.toordinal()))


def _timestamp(value: dt.datetime, type_: LogicalType) -> Column:
    return F.timestamp_micros(F.lit((value - _EPOCH) // _MICROSECOND).cast("bigint"))


def _timestamp_ntz(value: dt.datetime, type_: LogicalType) -> Column:
    parts = (value.year, value.month, value.day, value.hour, value.minute)
    seconds = Decimal(value.second * _MICROSECONDS_OF_A_SECOND + value.microsecond)
    years, months, days, hours, minutes = map(F.lit, parts)
    return F.make_timestamp_ntz(years, months, days, hours, minutes, F.lit(seconds.scaleb(-6)))


def _time(value: dt.time, type_: LogicalType) -> Column:
    return F.lit(value).cast(to_spark(type_))


def _year_month(value: int, type_: LogicalType) -> Column:
    years, months = divmod(abs(value), 12)
    sign = -1 if value < 0 else 1
    made = F.make_ym_interval(F.lit(sign * years), F.lit(sign * months))
    return made.cast(to_spark(type_))


def _day_time(value: dt.timedelta, type_: LogicalType) -> Column:
    return F.lit(value).cast(to_spark(type_))


def _array(value: tuple[Any, ...], type_: ArrayType) -> Column:
    items = [value_column(item, type_.element) for item in value]
    return F.array(*items).cast(to_spark(type_))


def _map(value: tuple[tuple[Any, Any], ...], type_: MapType) -> Column:
    items = []
    for key, item in value:
        items += [value_column(key, type_.key), value_column(item, type_.value)]
    return F.create_map(*items).cast(to_spark(type_))


def _struct(value: tuple[Any, ...], type_: StructType) -> Column:
    items = []
    for field, item in zip(type_.fields, value, strict=True):
        items += [F.lit(field.name), value_column(item, field.type)]
    made = F.named_struct(*items) if items else F.struct()
    return made.cast(to_spark(type_))


_MAKERS: dict[type[LogicalType], Callable[[Any, Any], Column]] = {
    BooleanType: lambda value, type_: F.lit(value),
    **dict.fromkeys(IntegralType.__subclasses__(), _integer),
    FloatType: _float,
    DoubleType: _float,
    DecimalType: _decimal,
    StringType: _string,
    BinaryType: lambda value, type_: F.lit(bytearray(value)),
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    TimestampNtzType: _timestamp_ntz,
    YearMonthIntervalType: _year_month,
    DayTimeIntervalType: _day_time,
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
