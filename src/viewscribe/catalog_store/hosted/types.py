"""Types in the words of Spark's JSON schemas and of Hive's columns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from viewscribe.catalog_store.documents.model import Column
from viewscribe.errors import DataTypeError
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.types.ddl import type_text
from viewscribe.types.ddl_reader import parse_type
from viewscribe.types.nested_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    SmallIntType,
    StringType,
    StructType,
    TimestampType,
    TinyIntType,
    VarcharType,
)

COLLATIONS = "__COLLATIONS"
EXACT = "__CHAR_VARCHAR_TYPE_STRING"

_TO_JSON = {"tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long"}
_FROM_JSON = {spark: sql for sql, spark in _TO_JSON.items()}

DEFAULT_COLLATION = StringType().collation


class UnknownTypeError(Exception):
    """A schema that is none, or has a type of a Spark that is newer."""


# --- to Spark's JSON ---


def schema_json(columns: Iterable[Column]) -> str:
    """The JSON of a schema, as ``spark.sql.sources.schema`` has it.

    Raises:
        DataTypeError: the type of a column is none.
    """
    fields = [
        _field_json(
            Field(each.name, parse_type(each.type).with_nullability(each.nullable), each.comment)
        )
        for each in columns
    ]
    return json.dumps(
        {"type": "struct", "fields": fields}, ensure_ascii=False, separators=(",", ":")
    )


def _field_json(field: Field) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if field.comment is not None:
        metadata["comment"] = field.comment
    if _has_length(field.type):
        metadata[EXACT] = exact_name(field.type)
    collations: dict[str, str] = {}
    type_ = _json(field.type, field.name, collations)
    if collations:
        metadata[COLLATIONS] = collations
    return {
        "name": field.name,
        "type": type_,
        "nullable": field.type.nullable,
        "metadata": metadata,
    }


def _json(type_: LogicalType, path: str, collations: dict[str, str]) -> Any:
    match type_:
        case ArrayType():
            return {
                "type": "array",
                "elementType": _json(type_.element, f"{path}.element", collations),
                "containsNull": type_.element.nullable,
            }
        case MapType():
            return {
                "type": "map",
                "keyType": _json(type_.key, f"{path}.key", collations),
                "valueType": _json(type_.value, f"{path}.value", collations),
                "valueContainsNull": type_.value.nullable,
            }
        case StructType():
            return {"type": "struct", "fields": [_field_json(each) for each in type_.fields]}
        case StringType() | CharType() | VarcharType():
            if type_.collation != DEFAULT_COLLATION:
                collations[path] = f"{_provider(type_.collation)}.{type_.collation}"
            return "string"
    name = type_.ddl.lower().replace(", ", ",")
    return _TO_JSON.get(name, name)


def _provider(collation: str) -> str:
    return "spark" if collation.startswith("UTF8_") else "icu"


def _has_length(type_: LogicalType) -> bool:
    """Whether Spark must be told of a CHAR or VARCHAR, which it takes for strings inside."""
    match type_:
        case CharType() | VarcharType():
            return True
        case ArrayType():
            return _has_length(type_.element)
        case MapType():
            return _has_length(type_.key) or _has_length(type_.value)
        case StructType():
            return any(_has_length(each.type) for each in type_.fields)
    return False


# --- from Spark's JSON ---


def columns_of(text: str) -> tuple[Column, ...]:
    """The columns of a schema in JSON.

    Raises:
        UnknownTypeError: the text is no schema, or a type is unknown.
    """
    try:
        schema = loads(text, depth=OUTER_DEPTH)
        return tuple(_column(_field(each)) for each in schema["fields"])
    except (ValueError, KeyError, TypeError, AttributeError, DataTypeError) as error:
        raise UnknownTypeError(str(error) or type(error).__name__) from error


def _column(field: Field) -> Column:
    return Column(
        field.name, type_text(field.type.as_nullable()), field.type.nullable, field.comment
    )


def _field(plain: Mapping[str, Any]) -> Field:
    metadata = plain.get("metadata", {})
    type_ = _type(plain["type"], plain["name"], metadata.get(COLLATIONS, {}))
    exact = metadata.get(EXACT)
    if exact is not None:
        type_ = parse_type(exact)
    nullable = bool(plain.get("nullable", True))
    return Field(plain["name"], type_.with_nullability(nullable), metadata.get("comment"))


def _type(plain: Any, path: str, collations: Mapping[str, str]) -> LogicalType:
    if isinstance(plain, str):
        if plain == "string" and path in collations:
            return StringType(collation=collations[path].partition(".")[2])
        return parse_type(_FROM_JSON.get(plain, plain))
    match plain["type"]:
        case "array":
            element = _type(plain["elementType"], f"{path}.element", collations)
            return ArrayType(element=element.with_nullability(plain["containsNull"]))
        case "map":
            value = _type(plain["valueType"], f"{path}.value", collations)
            return MapType(
                key=_type(plain["keyType"], f"{path}.key", collations).not_null(),
                value=value.with_nullability(plain["valueContainsNull"]),
            )
        case "struct":
            return StructType(fields=tuple(_field(each) for each in plain["fields"]))
        case "udt":
            return _type(plain["sqlType"], path, collations)
    raise UnknownTypeError(f"the type {plain['type']!r} is unknown")


# --- Hive's words ---

_HIVE: tuple[type[LogicalType], ...] = (
    BigIntType, BinaryType, BooleanType, DateType, DoubleType, FloatType, IntType, SmallIntType,
    TimestampType, TinyIntType,
)  # fmt: skip

_PLAIN_NAME = re.compile(r"\w+")
_UNFIT = re.compile("[,:;]")
_MAX_TYPE = 4_000


class NotHiveError(Exception):
    """Hive has no such type."""


def hive_columns(columns: Sequence[Column]) -> list[tuple[str, str]] | None:
    """Names and types in Hive's words; None where Hive cannot say one of them."""
    names = [each.name.lower() for each in columns]
    if len(set(names)) < len(names) or any(map(_UNFIT.search, names)):
        return None
    try:
        types = [hive_name(parse_type(each.type)) for each in columns]
    except NotHiveError:
        return None
    return (
        None if any(len(each) > _MAX_TYPE for each in types) else [*zip(names, types, strict=True)]
    )


def hive_name(type_: LogicalType) -> str:
    """The type as Hive calls it.

    Raises:
        NotHiveError: it has none like it.
    """
    if isinstance(type_, _HIVE):
        return type_.ddl.lower()
    return _spell(type_, hive_name, collated=False)


def exact_name(type_: LogicalType) -> str:
    """The type as ``__CHAR_VARCHAR_TYPE_STRING`` tells it."""
    try:
        return _spell(type_, exact_name, collated=True)
    except NotHiveError:
        return type_.ddl.lower().replace(", ", ",")


def _spell(type_: LogicalType, inner: Callable[[LogicalType], str], *, collated: bool) -> str:
    match type_:
        case DecimalType():
            return f"decimal({type_.precision},{type_.scale})"
        case StringType() | CharType() | VarcharType():
            name = type_.ddl.lower().partition(" collate ")[0]
            if collated and type_.collation != DEFAULT_COLLATION:
                return f"{name} collate {type_.collation}"
            return name
        case ArrayType():
            return f"array<{inner(type_.element)}>"
        case MapType():
            return f"map<{inner(type_.key)},{inner(type_.value)}>"
        case StructType():
            fields = [
                f"{_struct_name(each.name, collated)}:{inner(each.type)}" for each in type_.fields
            ]
            return f"struct<{','.join(fields)}>"
    raise NotHiveError(type_.ddl)


def _struct_name(name: str, quoted: bool) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    if quoted:
        return "`" + name.replace("`", "``") + "`"
    raise NotHiveError(name)


def column_of_hive(name: str, type_: str, comment: str | None) -> Column:
    """A column that only Hive's words tell of.

    Raises:
        UnknownTypeError: its type is none of Spark's.
    """
    try:
        return Column(name, type_text(parse_type(type_)), comment=comment or None)
    except DataTypeError as error:
        raise UnknownTypeError(f"the column `{name}` has the type {type_}: {error}") from error
