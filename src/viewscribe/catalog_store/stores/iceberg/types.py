"""Columns as an Iceberg schema and back.

Iceberg knows fewer types than Spark (https://iceberg.apache.org/spec/#primitive-types). One without
a type of its own is written as the nearest that holds all of its values (TINYINT as ``int``); one
that no type holds is an error. Which type it was exactly, the exporter keeps beside the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from viewscribe import types as t
from viewscribe.catalog_store.documents.model import Column
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.types.ddl import parse_type, type_text

Json = Any

_PRIMITIVES: dict[type[t.LogicalType], str] = {
    t.BooleanType: "boolean",
    t.TinyIntType: "int",
    t.SmallIntType: "int",
    t.IntType: "int",
    t.BigIntType: "long",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.StringType: "string",
    t.CharType: "string",
    t.VarcharType: "string",
    t.BinaryType: "binary",
    t.DateType: "date",
    t.TimestampType: "timestamptz",
    t.TimestampNtzType: "timestamp",
}

_SPARK: dict[str, t.LogicalType] = {
    "boolean": t.BOOLEAN,
    "int": t.INT,
    "long": t.BIGINT,
    "float": t.FLOAT,
    "double": t.DOUBLE,
    "string": t.STRING,
    "uuid": t.STRING,
    "binary": t.BINARY,
    "date": t.DATE,
    "time": t.TIME,
    "timestamp": t.TIMESTAMP_NTZ,
    "timestamptz": t.TIMESTAMP,
    "variant": t.VARIANT,
    "unknown": t.VOID,
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_FIXED = re.compile(r"fixed\[\s*\d+\s*\]")


def schema_of(columns: Sequence[Column], schema_id: int, view: str) -> dict[str, Json]:
    """The columns as an Iceberg schema with fresh field ids.

    Raises:
        InvalidDocumentError: Iceberg has no type for a column; names it.
    """
    ids = count(1)
    fields = []
    for column in columns:
        field: dict[str, Json] = {
            "id": next(ids),
            "name": column.name,
            "required": not column.nullable,
        }
        field["type"] = _write_type(parse_type(column.type), ids, (column.name,), view)
        if column.comment is not None:
            field["doc"] = column.comment
        fields.append(field)
    return {"type": "struct", "schema-id": schema_id, "fields": fields}


def id_of(schema: Mapping[str, Json]) -> int:
    """The id of a schema; whoever gives it none means the first."""
    return int(schema.get("schema-id", 0))


def columns_of(schema: dict[str, Json]) -> tuple[Column, ...]:
    """The columns of an Iceberg schema.

    Raises:
        InvalidDocumentError: Spark has no type for a column; names it.
    """
    return tuple(
        Column(
            name=field["name"],
            type=type_text(_read(field["type"], (field["name"],))),
            nullable=not field["required"],
            comment=field.get("doc"),
        )
        for field in schema["fields"]
    )


def _write_type(type_: t.LogicalType, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    writer = _WRITERS.get(type(type_))
    if writer is not None:
        return writer(type_, ids, path, view)
    if isinstance(type_, t.TimeType) and type_.precision <= 6:
        return "time"
    name = _PRIMITIVES.get(type(type_))
    if name is None:
        raise InvalidDocumentError(
            f"Iceberg has no type for the column `{'.'.join(path)}` of {view}: {type_text(type_)}",
            hint="cast it to another type in the view, or leave it out",
        )
    return name


def _decimal(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    return f"decimal({type_.precision}, {type_.scale})"


def _list(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    return {
        "type": "list",
        "element-id": next(ids),
        "element-required": not type_.element.nullable,
        "element": _write_type(type_.element, ids, (*path, "element"), view),
    }


def _map(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    key, value = next(ids), next(ids)
    return {
        "type": "map",
        "key-id": key,
        "key": _write_type(type_.key, ids, (*path, "key"), view),
        "value-id": value,
        "value-required": not type_.value.nullable,
        "value": _write_type(type_.value, ids, (*path, "value"), view),
    }


def _struct(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    fields = []
    for each in type_.fields:
        field = {"id": next(ids), "name": each.name, "required": not each.nullable}
        field["type"] = _write_type(each.type, ids, (*path, each.name), view)
        if each.comment is not None:
            field["doc"] = each.comment
        fields.append(field)
    return {"type": "struct", "fields": fields}


_Writer = Callable[[Any, Iterator[int], tuple[str, ...], str], Json]
_WRITERS: dict[type[t.LogicalType], _Writer] = {
    t.DecimalType: _decimal,
    t.ArrayType: _list,
    t.MapType: _map,
    t.StructType: _struct,
}


def _read(type_: Json, path: tuple[str, ...]) -> t.LogicalType:
    if isinstance(type_, dict):
        reader = _READERS.get(type_["type"])
        if reader is not None:
            return reader(type_, path)
    elif type_ in _SPARK:
        return _SPARK[type_]
    elif match := _DECIMAL.fullmatch(type_):
        return t.decimal(int(match[1]), int(match[2]))
    elif _FIXED.fullmatch(type_):
        return t.BINARY
    raise InvalidDocumentError(
        f"Spark has no type for the column `{'.'.join(path)}`: {type_}",
        hint="the view cannot be imported as it is",
    )


def _read_list(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    element = _read(type_["element"], (*path, "element"))
    return t.ArrayType(element=element.with_nullability(not type_["element-required"]))


def _read_map(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    value = _read(type_["value"], (*path, "value"))
    return t.MapType(
        key=_read(type_["key"], (*path, "key")),
        value=value.with_nullability(not type_["value-required"]),
    )


def _read_struct(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    fields = []
    for each in type_["fields"]:
        inner = _read(each["type"], (*path, each["name"])).with_nullability(not each["required"])
        fields.append(t.Field(each["name"], inner, each.get("doc")))
    return t.StructType(fields=tuple(fields))


_READERS: dict[str, Callable[[dict[str, Json], tuple[str, ...]], t.LogicalType]] = {
    "list": _read_list,
    "map": _read_map,
    "struct": _read_struct,
}
