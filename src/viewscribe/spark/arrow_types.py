"""The types of Arrow that stand for Spark's, as Spark's Python workers have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types import nested_types
from viewscribe.types.nested_types import LogicalType


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
    nested_types.VoidType: _always(pa.null()),
    nested_types.BooleanType: _always(pa.bool_()),
    nested_types.TinyIntType: _always(pa.int8()),
    nested_types.SmallIntType: _always(pa.int16()),
    nested_types.IntType: _always(pa.int32()),
    nested_types.BigIntType: _always(pa.int64()),
    nested_types.FloatType: _always(pa.float32()),
    nested_types.DoubleType: _always(pa.float64()),
    nested_types.DecimalType: lambda t: pa.decimal128(t.precision, t.scale),
    nested_types.StringType: _always(pa.string()),
    nested_types.CharType: _always(pa.string()),
    nested_types.VarcharType: _always(pa.string()),
    nested_types.BinaryType: _always(pa.binary()),
    nested_types.DateType: _always(pa.date32()),
    nested_types.TimeType: _always(pa.time64("ns")),
    nested_types.TimestampType: _always(pa.timestamp("us", tz="UTC")),
    nested_types.TimestampNtzType: _always(pa.timestamp("us")),
    nested_types.DayTimeIntervalType: _always(pa.duration("us")),
    nested_types.VariantType: _variant,
    nested_types.ArrayType: lambda t: pa.list_(_field("element", t.element)),
    nested_types.MapType: lambda t: pa.map_(to_arrow(t.key), _field("value", t.value)),
    nested_types.StructType: lambda t: pa.struct([_field(f.name, f.type) for f in t.fields]),
}
