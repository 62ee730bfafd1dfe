"""The types of ``DESCRIBE TABLE … AS JSON`` as those of documents.

The form is documented with that statement: ``{"name": "array", "element_type": …}`` and the like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.logical import (
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
)

Plain = Mapping[str, Any]


def type_of(plain: Plain) -> LogicalType:
    """The type, nullable.

    Raises:
        DataTypeError: it is none that is known.
        KeyError: a part of it is missing.
    """
    handler = _HANDLERS.get(plain["name"])
    return parse_type(plain["name"]) if handler is None else handler(plain)


def type_told(plain: Plain) -> str:
    """The type as text."""
    return type_text(type_of(plain))


def _array(plain: Plain) -> LogicalType:
    element = type_of(plain["element_type"])
    return ArrayType(element=element.with_nullability(plain.get("element_nullable", True)))


def _map(plain: Plain) -> LogicalType:
    value = type_of(plain["value_type"])
    return MapType(
        key=type_of(plain["key_type"]).not_null(),
        value=value.with_nullability(plain.get("value_nullable", True)),
    )


def _struct(plain: Plain) -> LogicalType:
    fields = [
        Field(
            each["name"],
            type_of(each["type"]).with_nullability(each.get("nullable", True)),
            each.get("comment"),
        )
        for each in plain["fields"]
    ]
    return StructType(fields=tuple(fields))


def _string(plain: Plain) -> LogicalType:
    collation = plain.get("collation")
    return StringType() if collation is None else StringType(collation=collation)


def _decimal(plain: Plain) -> LogicalType:
    return parse_type(f"decimal({plain['precision']}, {plain['scale']})")


def _with_length(plain: Plain) -> LogicalType:
    return parse_type(f"{plain['name']}({plain['length']})")


def _interval(plain: Plain) -> LogicalType:
    start, end = plain.get("start_unit"), plain.get("end_unit")
    if start is None:
        return parse_type("interval")
    return parse_type(f"interval {start}" if end in (None, start) else f"interval {start} to {end}")


_HANDLERS: dict[str, Callable[[Plain], LogicalType]] = {
    "array": _array,
    "map": _map,
    "struct": _struct,
    "string": _string,
    "decimal": _decimal,
    "char": _with_length,
    "varchar": _with_length,
    "interval": _interval,
}
