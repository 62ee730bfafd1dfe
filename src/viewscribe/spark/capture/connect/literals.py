"""Connect's literals as ours: one handler for each kind of literal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql.connect import proto

from viewscribe.errors import CaptureError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.capture.connect.exclusions import REFUSED_LITERALS
from viewscribe.spark.capture.connect.types import logical_type
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    DayTimeIntervalType,
    LogicalType,
    MapType,
    TimeType,
    YearMonthIntervalType,
    decimal,
)

_EPOCH = dt.datetime(1970, 1, 1)
_DAY_ZERO = dt.date(1970, 1, 1)


def literal_of(message: object) -> Literal:
    """The literal of a ``Literal`` message, of the type Spark gives it.

    Raises:
        CaptureError: a kind, or a value, that SQL text cannot hold.
    """
    value, type_ = _read(message)
    return literal(value, type_)


_SINCE_1900 = -2_208_988_800_000_000
"""The microseconds of 1900 as Spark counts them."""


def classic_literal_of(message: Any) -> Literal:
    """The literal as a classic session has it: a DECIMAL of as many digits as the value needs.

    Raises:
        CaptureError: a moment of a time of which PySpark makes another one in classic sessions:
            those count it by the calendar and the zones of ``java.sql.Timestamp``.
    """
    if message.WhichOneof("literal_type") == "timestamp" and message.timestamp < _SINCE_1900:
        raise CaptureError(
            "a Python datetime before 1900 is another moment in a classic session than over Spark "
            "Connect",
            location="literal",
            hint="write it as SQL has it: F.expr(\"TIMESTAMP '1880-01-01 12:00:00'\")",
        )
    if message.WhichOneof("literal_type") == "decimal":
        message = proto.Expression.Literal(
            decimal=proto.Expression.Literal.Decimal(value=message.decimal.value)
        )
    return literal_of(message)


def _read(message: Any) -> tuple[Any, LogicalType]:
    kind = message.WhichOneof("literal_type")
    reader = READERS.get(kind)
    if reader is None:
        reason, hint = REFUSED_LITERALS.get(kind, (f"a literal of the kind {kind}", None))
        raise CaptureError(reason, location="literal", hint=hint)
    try:
        return reader(message)
    except (OverflowError, ValueError) as error:
        raise CaptureError(
            f"a literal of the kind {kind} is outside of what Python can hold: {error}",
            location="literal",
            hint="write it with a cast from text",
        ) from error


def _plain(kind: str, type_: LogicalType) -> Callable[[Any], tuple[Any, LogicalType]]:
    return lambda message: (getattr(message, kind), type_)


def _decimal(message: Any) -> tuple[Any, LogicalType]:
    """Spark takes what the value needs, or more where the message says so."""
    value = Decimal(message.decimal.value)
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(str(value))
    scale = max(-exponent, 0)
    precision = max(len(digits) + max(exponent, 0), scale)
    if message.decimal.HasField("precision"):
        precision = max(precision, message.decimal.precision)
    if message.decimal.HasField("scale"):
        scale = max(scale, message.decimal.scale)
    return value, decimal(max(precision, scale), scale)


def _date(message: Any) -> tuple[Any, LogicalType]:
    return _DAY_ZERO + dt.timedelta(days=message.date), DATE


def _timestamp(message: Any) -> tuple[Any, LogicalType]:
    moment = _EPOCH + dt.timedelta(microseconds=message.timestamp)
    return moment.replace(tzinfo=dt.UTC), TIMESTAMP


def _timestamp_ntz(message: Any) -> tuple[Any, LogicalType]:
    return _EPOCH + dt.timedelta(microseconds=message.timestamp_ntz), TIMESTAMP_NTZ


def _time(message: Any) -> tuple[Any, LogicalType]:
    nano = message.time.nano
    if nano % 1000:
        raise ValueError("nanoseconds")
    precision = message.time.precision if message.time.HasField("precision") else 6
    moment = (_EPOCH + dt.timedelta(microseconds=nano // 1000)).time()
    return moment, TimeType(precision=precision)


_HAS_TYPE = "data_type" in proto.Expression.Literal.DESCRIPTOR.fields_by_name
"""Whether a literal can say its own type: the protobuf of Spark 4.0 has no field for it."""


def _says_its_type(message: Any) -> bool:
    return _HAS_TYPE and bool(message.HasField("data_type"))


def _array(message: Any) -> tuple[Any, LogicalType]:
    items = [_read(item) for item in message.array.elements]
    if _says_its_type(message):
        return [value for value, _ in items], logical_type(message.data_type)
    if message.array.HasField("element_type"):
        element = logical_type(message.array.element_type)
    else:
        element = items[0][1]
    nullable = any(value is None for value, _ in items)
    return [value for value, _ in items], ArrayType(element=element.with_nullability(nullable))


def _specialize(message: Any) -> tuple[Any, LogicalType]:
    kind = message.specialized_array.WhichOneof("value_type")
    values = list(getattr(message.specialized_array, kind).values)
    return values, ArrayType(element=_SPECIALIZED[kind].not_null())


_SPECIALIZED: dict[str, LogicalType] = {
    "bools": BOOLEAN,
    "ints": INT,
    "longs": BIGINT,
    "floats": FLOAT,
    "doubles": DOUBLE,
    "strings": STRING,
}


def _map(message: Any) -> tuple[Any, LogicalType]:
    keys = [_read(item) for item in message.map.keys]
    values = [_read(item) for item in message.map.values]
    pairs = tuple((key[0], value[0]) for key, value in zip(keys, values, strict=True))
    if _says_its_type(message):
        return pairs, logical_type(message.data_type)
    key_type = (
        logical_type(message.map.key_type)
        if keys or message.map.HasField("key_type")
        else keys[0][1]
    )
    value_type = logical_type(message.map.value_type)
    return pairs, MapType(key=key_type.not_null(), value=value_type)


def _struct(message: Any) -> tuple[Any, LogicalType]:
    holder = message.data_type if _says_its_type(message) else message.struct.struct_type
    values = tuple(_read(item)[0] for item in message.struct.elements)
    return values, logical_type(holder)


def _null(message: Any) -> tuple[Any, LogicalType]:
    return None, logical_type(message.null)


READERS: dict[str, Callable[[Any], tuple[Any, LogicalType]]] = {
    "null": _null,
    "binary": _plain("binary", BINARY),
    "boolean": _plain("boolean", BOOLEAN),
    "byte": _plain("byte", TINYINT),
    "short": _plain("short", SMALLINT),
    "integer": _plain("integer", INT),
    "long": _plain("long", BIGINT),
    "float": _plain("float", FLOAT),
    "double": _plain("double", DOUBLE),
    "decimal": _decimal,
    "string": _plain("string", STRING),
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp_ntz,
    "time": _time,
    "year_month_interval": _plain(
        "year_month_interval", YearMonthIntervalType(start="YEAR", end="MONTH")
    ),
    "day_time_interval": lambda message: (
        dt.timedelta(microseconds=message.day_time_interval),
        DayTimeIntervalType(start="DAY", end="SECOND"),
    ),
    "array": _array,
    "specialized_array": _specialize,
    "map": _map,
    "struct": _struct,
}
