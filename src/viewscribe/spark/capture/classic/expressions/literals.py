"""Spark's own form of values (days, microseconds, text of numbers) as literals of ours."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
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
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def captured_literal(written: object, type_: LogicalType) -> Literal:
    """A value as the readers hand it over, as a literal of exactly its type.

    Raises:
        CaptureError: no literal of SQL has the value.
    """
    return literal(None if written is None else value_of(written, type_), type_.as_nullable())


def value_of(written: object, type_: LogicalType) -> Any:
    """The value in the form that ``expressions/literals.py`` describes."""
    if written is None:
        return None
    reader = _READERS.get(type(type_))
    if reader is None:
        raise CaptureError(
            f"SQL has no literal for a value of type {type_.ddl}",
            location="Literal",
            hint="build the value with a function, parse_json(…) or make_interval(…) for one",
        )
    try:
        return reader(written, type_)
    except OverflowError as error:
        raise CaptureError(
            f"{written} is a {type_.ddl} outside of the years 1 to 9999",
            location="Literal",
            hint="save the data as a table, and start from spark.table(…)",
        ) from error


def _date(written: str, type_: LogicalType) -> dt.date:
    return (_EPOCH + dt.timedelta(days=int(written))).date()


def _timestamp(written: str, type_: LogicalType) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=int(written))


def _timestamp_ntz(written: str, type_: LogicalType) -> dt.datetime:
    return _timestamp(written, type_).replace(tzinfo=None)


def _time(written: str, type_: LogicalType) -> dt.time:
    return (_EPOCH + dt.timedelta(microseconds=int(written) // 1000)).time()


def _array(written: list[Any], type_: ArrayType) -> tuple[Any, ...]:
    return tuple(value_of(each, type_.element) for each in written)


def _map(written: list[list[Any]], type_: MapType) -> tuple[tuple[Any, Any], ...]:
    keys, values = written
    return tuple(
        (value_of(key, type_.key), value_of(value, type_.value))
        for key, value in zip(keys, values, strict=True)
    )


def _struct(written: list[Any], type_: StructType) -> tuple[Any, ...]:
    pairs = zip(written, type_.fields, strict=True)
    return tuple(value_of(each, field.type) for each, field in pairs)


_READERS: dict[type[LogicalType], Callable[[Any, Any], Any]] = {
    BooleanType: lambda written, type_: written,
    **dict.fromkeys(IntegralType.__subclasses__(), lambda written, type_: int(written)),
    FloatType: lambda written, type_: float(written),
    DoubleType: lambda written, type_: float(written),
    DecimalType: lambda written, type_: Decimal(written),
    StringType: lambda written, type_: written,
    BinaryType: lambda written, type_: bytes.fromhex(written),
    DateType: _date,
    TimestampType: _timestamp,
    TimestampNtzType: _timestamp_ntz,
    TimeType: _time,
    YearMonthIntervalType: lambda written, type_: int(written),
    DayTimeIntervalType: lambda written, type_: dt.timedelta(microseconds=int(written)),
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
