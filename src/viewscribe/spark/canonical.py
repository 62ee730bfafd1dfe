"""Rows in a form in which equal means equal, in Spark as well as in Python.

Floating point numbers become text, so that NaN equals itself and -0.0 is not 0.0; maps become
sorted entries; moments, dates and intervals become numbers or text, so that neither Python's
range of years nor a local time zone plays a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

_AS_THEY_ARE = (
    t.BooleanType,
    t.ByteType,
    t.ShortType,
    t.IntegerType,
    t.LongType,
    t.DecimalType,
)


def canonical_rows(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows of a DataFrame in canonical form, the columns called ``names``."""
    plain = frame.toDF(*names)
    fields = zip(names, frame.schema.fields, strict=True)
    return plain.select(
        *[canonical(F.col(name), field.dataType).alias(name) for name, field in fields]
    )


def canonical(column: Column, type_: t.DataType) -> Column:
    """One column in canonical form."""
    if isinstance(type_, _AS_THEY_ARE):
        return column
    handler = _HANDLERS.get(type(type_))
    if handler is not None:
        return handler(column, type_)
    if isinstance(type_, t.StringType):
        return F.collate(column, "UTF8_BINARY")
    return column.cast("string")


def _array(column: Column, type_: Any) -> Column:
    return F.transform(column, lambda item: canonical(item, type_.elementType))


def _map(column: Column, type_: Any) -> Column:
    def entry(pair: Column) -> Column:
        return F.struct(
            canonical(pair["key"], type_.keyType).alias("key"),
            canonical(pair["value"], type_.valueType).alias("value"),
        )

    return F.array_sort(F.transform(F.map_entries(column), entry))


def _struct(column: Column, type_: Any) -> Column:
    """Fields are numbered first: two of them may have the same name."""
    if not type_.fields:
        return column.cast("string")
    numbered = t.StructType(
        [t.StructField(f"f{place}", field.dataType) for place, field in enumerate(type_.fields)]
    )
    plain = column.cast(numbered)
    fields = [
        canonical(plain.getField(field.name), field.dataType).alias(field.name)
        for field in numbered.fields
    ]
    return F.when(column.isNotNull(), F.struct(*fields))


def _variant(column: Column, type_: Any) -> Column:
    return F.concat(F.schema_of_variant(column), F.lit(" "), F.to_json(column))


_HANDLERS: dict[type[t.DataType], Callable[[Column, Any], Column]] = {
    t.BinaryType: lambda column, type_: F.hex(column),
    t.TimestampType: lambda column, type_: F.unix_micros(column),
    t.ArrayType: _array,
    t.MapType: _map,
    t.StructType: _struct,
    t.VariantType: _variant,
}


def frozen(value: object) -> Any:
    """A collected value as something hashable."""
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return value


def is_floating(type_: t.DataType) -> bool:
    """Whether values of the type hold floating point numbers."""
    return any(_floating_places(type_))


def _floating_places(type_: t.DataType) -> Iterator[bool]:
    if isinstance(type_, t.FloatType | t.DoubleType):
        yield True
    elif isinstance(type_, t.ArrayType):
        yield from _floating_places(type_.elementType)
    elif isinstance(type_, t.MapType):
        yield from _floating_places(type_.keyType)
        yield from _floating_places(type_.valueType)
    elif isinstance(type_, t.StructType):
        for field in type_.fields:
            yield from _floating_places(field.dataType)


def split_floats(value: Any, type_: t.DataType, floats: list[tuple[float, bool]]) -> Any:
    """The canonical value without its floating point numbers, which go into ``floats``.

    Beside each number stands whether it is a single-precision one.
    """
    if value is None:
        return None
    if isinstance(type_, t.FloatType | t.DoubleType):
        floats.append((float(value), isinstance(type_, t.FloatType)))
        return "#"
    if isinstance(type_, t.ArrayType):
        return tuple(split_floats(item, type_.elementType, floats) for item in value)
    if isinstance(type_, t.MapType):
        pairs = (type_.keyType, type_.valueType)
        return tuple(_split_all(pair, pairs, floats) for pair in value)
    if isinstance(type_, t.StructType) and type_.fields:
        return _split_all(value, [field.dataType for field in type_.fields], floats)
    return value


def _split_all(
    values: Any, types: Sequence[t.DataType], floats: list[tuple[float, bool]]
) -> tuple[Any, ...]:
    pairs = zip(values, types, strict=True)
    return tuple(split_floats(value, type_, floats) for value, type_ in pairs)
