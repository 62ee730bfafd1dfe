"""Values as people write them in tests, as values of a type: ``"2026-01-31"`` is a DATE there."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from viewscribe.catalog_store.names import fold
from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.snapshots.rows.errors import ViewTestError
from viewscribe.types import (
    ArrayType,
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VarcharType,
)
from viewscribe.types.nested_types import change_inside

_EXACT = 15
"""How many digits of a decimal number every float keeps."""

_TOO_FINE = re.compile(r"[.,]\d{7,}")
_FLOATS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


def read_value(value: object, type_: LogicalType, zone: str) -> Literal:
    """Returns a value of a test as a literal of a type.

    Args:
        value: dates, times and timestamps may be ISO texts, decimals numbers or texts, BINARY
            hexadecimal digits, structs mappings in which a field that is left out is NULL.
        type_: the type.
        zone: the time zone of timestamps that have none.

    Raises:
        TypeMismatchError: it is no value of the type.
    """
    try:
        return literal(_natural(value, type_, zone), _held(type_))
    except ValidationError as error:
        raise TypeMismatchError(error.message, hint=error.hint) from None


def _held(type_: LogicalType) -> LogicalType:
    """The type of the literal: VARCHAR is a STRING, whose length ``_natural`` has checked."""
    return change_inside(type_, _without_length)


def _without_length(type_: LogicalType) -> LogicalType:
    if isinstance(type_, VarcharType):
        return StringType(collation=type_.collation, nullable=type_.nullable)
    return type_


def _string(value: Any, type_: LogicalType, zone: str) -> Any:
    if not isinstance(value, str):
        return value
    if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
        raise TypeMismatchError(f"{value!r} holds half of a surrogate pair")
    if isinstance(type_, VarcharType) and len(value) > type_.length:
        raise TypeMismatchError(f"{value!r} is not a value of {type_.ddl}")
    return value


def _natural(value: Any, type_: LogicalType, zone: str) -> Any:
    """The value as Python has it, for ``literal`` to check."""
    reader = _READERS.get(type(type_))
    return value if reader is None or value is None else reader(value, type_, zone)


def _decimal(value: Any, type_: LogicalType, zone: str) -> Any:
    if isinstance(value, float):
        digits = Decimal(repr(value)).as_tuple().digits
        if len(digits) > _EXACT:
            raise TypeMismatchError(
                f"{value!r} may have lost digits as a float", hint="write the number as a text"
            )
        value = repr(value)
    if not isinstance(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        return value


def _float(value: Any, type_: LogicalType, zone: str) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return float(_FLOATS[value]) if isinstance(value, str) and value in _FLOATS else value


def _date(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.date.fromisoformat)


def _time(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.time.fromisoformat)


def _ntz(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.datetime.fromisoformat)


def _timestamp(value: Any, type_: LogicalType, zone: str) -> Any:
    value = _parsed(value, dt.datetime.fromisoformat)
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.replace(tzinfo=time_zone(zone))
    return value


def _parsed(value: Any, parse: Callable[[str], Any]) -> Any:
    if not isinstance(value, str) or _TOO_FINE.search(value):
        return value
    try:
        return parse(value)
    except ValueError:
        return value


def time_zone(name: str) -> dt.tzinfo:
    """Returns Spark's time zone of a name."""
    if name in ("UTC", "Z"):
        return dt.UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ViewTestError(
            f"the time zone {name} is not known here",
            hint="give timestamps with their offsets: 2026-01-31T12:00:00+00:00",
        ) from None


def _binary(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, bytes.fromhex)


def _array(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, ArrayType)
    if not isinstance(value, list | tuple):
        return value
    return [_natural(each, type_.element, zone) for each in value]


def _map(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, MapType)
    if not isinstance(value, Mapping):
        return value
    return [
        (_natural(key, type_.key, zone), _natural(each, type_.value, zone))
        for key, each in value.items()
    ]


def _struct(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, StructType)
    if isinstance(value, Mapping):
        known = {fold(field.name) for field in type_.fields}
        unknown = [name for name in value if fold(str(name)) not in known]
        if unknown:
            raise TypeMismatchError(f"{type_.ddl} has no field `{unknown[0]}`")
        named = {fold(str(name)): each for name, each in value.items()}
        if len(named) < len(value):
            raise TypeMismatchError(f"a field of {type_.ddl} is given twice")
        value = [named.get(fold(field.name)) for field in type_.fields]
    if not isinstance(value, list | tuple) or len(value) != len(type_.fields):
        return value
    return tuple(
        _natural(each, field.type, zone) for each, field in zip(value, type_.fields, strict=True)
    )


_READERS: dict[type[LogicalType], Callable[[Any, LogicalType, str], Any]] = {
    StringType: _string,
    VarcharType: _string,
    DecimalType: _decimal,
    FloatType: _float,
    DoubleType: _float,
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    TimestampNtzType: _ntz,
    BinaryType: _binary,
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}


def found_value(value: Any, type_: LogicalType) -> Any:
    """Returns a value that an engine gave as the value of a literal; maps are sorted."""
    if value is None:
        return None
    if isinstance(type_, ArrayType):
        return tuple([found_value(each, type_.element) for each in value])
    if isinstance(type_, MapType):
        pairs = value.items() if isinstance(value, Mapping) else value
        made = [(found_value(k, type_.key), found_value(v, type_.value)) for k, v in pairs]
        return tuple(sorted(made, key=repr))
    if isinstance(type_, StructType):
        parts = list(value.values()) if isinstance(value, Mapping) else list(value)
        fields = zip(parts, type_.fields, strict=True)
        return tuple([found_value(part, field.type) for part, field in fields])
    if isinstance(type_, TimestampType):
        return value.astimezone(dt.UTC)  # without a zone it is one of this process
    return bytes(value) if isinstance(value, bytearray) else value
