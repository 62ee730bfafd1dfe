"""Constants as functions see them, whether a tree holds them or Spark hands them over."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.expressions.functions.process.rows import row_class
from viewscribe.types import ArrayType, LogicalType, MapType, StructType, TimestampType


def as_python(held: object, type_: LogicalType | None) -> Any:
    """The value of a scalar argument.

    An ARRAY is a list, a MAP a dict, a STRUCT a ``Row``, a TIMESTAMP a datetime in UTC: as the
    values of a row are.

    Args:
        held: the value of a literal, or what Spark calls ``analyze`` with.
        type_: the type of the argument.
    """
    convert = None if held is None or type_ is None else _CONVERTERS.get(type(type_))
    return held if convert is None else convert(held, type_)


def _list(held: Any, type_: ArrayType) -> list[Any]:
    return [as_python(each, type_.element) for each in held]


def _dict(held: Any, type_: MapType) -> dict[Any, Any]:
    """In the order of the keys' texts, for Spark hands maps over in any."""
    pairs = sorted(
        held.items() if isinstance(held, Mapping) else held, key=lambda pair: str(pair[0])
    )
    return {as_python(k, type_.key): as_python(v, type_.value) for k, v in pairs}


def _row(held: Any, type_: StructType) -> Any:
    row = row_class([field.name for field in type_.fields])
    return row(as_python(v, field.type) for v, field in zip(held, type_.fields, strict=True))


def _moment(held: dt.datetime, type_: TimestampType) -> dt.datetime:
    return held.astimezone(dt.UTC)  # without a time zone, Spark means that of the machine


_CONVERTERS: dict[type[LogicalType], Callable[[Any, Any], Any]] = {
    ArrayType: _list,
    MapType: _dict,
    StructType: _row,
    TimestampType: _moment,
}
