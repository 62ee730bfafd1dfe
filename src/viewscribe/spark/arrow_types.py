"""The types of Arrow that stand for Spark's, as Spark's Python workers have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types import logical
from viewscribe.types.logical import LogicalType


def to_arrow(type_: LogicalType) -> Any:
    """The type of arrays that hold values of ``type_``.

    Raises:
        NotInterpretableError: Arrow, or pyarrow, has none.
    """
    make = _TYPES.get(type(type_))
    if make is None:
        raise NotInterpretableError(
            f"no Python function is handed, or gives, {type_.ddl}",
            hint="cast it to a type that Python has, an INT or a STRING for one",
        )
    return make(type_)


def _field(name: str, type_: LogicalType) -> Any:
    return pa.field(name, to_arrow(type_), nullable=type_.nullable)


def _always(made: Any) -> Callable[[Any], Any]:
    return lambda type_: made


def _variant(type_: Any) -> Any:
    tagged = {b"variant": b"true"}
    return pa.struct(
        [
            pa.field("value", pa.binary(), nullable=False),
            pa.field("metadata", pa.binary(), nullable=False, metadata=tagged),
        ]
    )


_TYPES: dict[type[LogicalType], Callable[[Any], Any]] = {
    logical.VoidType: _always(pa.null()),
    logical.BooleanType: _always(pa.bool_()),
    logical.TinyIntType: _always(pa.int8()),
    logical.SmallIntType: _always(pa.int16()),
    logical.IntType: _always(pa.int32()),
    logical.BigIntType: _always(pa.int64()),
    logical.FloatType: _always(pa.float32()),
    logical.DoubleType: _always(pa.float64()),
    logical.DecimalType: lambda t: pa.decimal128(t.precision, t.scale),
    logical.StringType: _always(pa.string()),
    logical.CharType: _always(pa.string()),
    logical.VarcharType: _always(pa.string()),
    logical.BinaryType: _always(pa.binary()),
    logical.DateType: _always(pa.date32()),
    logical.TimeType: _always(pa.time64("ns")),
    logical.TimestampType: _always(pa.timestamp("us", tz="UTC")),
    logical.TimestampNtzType: _always(pa.timestamp("us")),
    logical.DayTimeIntervalType: _always(pa.duration("us")),
    logical.VariantType: _variant,
    logical.ArrayType: lambda t: pa.list_(_field("element", t.element)),
    logical.MapType: lambda t: pa.map_(to_arrow(t.key), _field("value", t.value)),
    logical.StructType: lambda t: pa.struct([_field(f.name, f.type) for f in t.fields]),
}
