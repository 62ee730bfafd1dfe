"""Printing types and schemas as DDL text, and parsing them.

Functions with ``ddl`` in their name print text for Spark. Those with ``text`` also print NOT NULL
inside arrays and maps, which Spark's DDL cannot express. ``parse_type`` and ``parse_schema`` read
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import ArrayType, Field, LogicalType, MapType, StructType

__all__ = [
    "field_ddl",
    "field_text",
    "parse_schema",
    "parse_type",
    "quote_text",
    "schema_ddl",
    "schema_text",
    "type_text",
]

_ESCAPES = str.maketrans(
    {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
)


def quote_text(text: str) -> str:
    """Returns the text as a Spark SQL string literal on one line."""
    return f"'{text.translate(_ESCAPES)}'"


def type_text(type_: LogicalType) -> str:
    """Returns the text of a type with NOT NULL at every depth."""
    body = _body(type_)
    return body if type_.nullable else f"{body} NOT NULL"


def field_ddl(field: Field, separator: str = " ") -> str:
    """Returns the field as Spark DDL: ``name TYPE [NOT NULL] [COMMENT 'text']``."""
    return _field(field, field.type.ddl, separator)


def field_text(field: Field, separator: str = " ") -> str:
    """Returns the field as text, with NOT NULL at every depth of its type."""
    return _field(field, _body(field.type), separator)


def schema_ddl(fields: Iterable[Field]) -> str:
    """Returns the fields as Spark DDL, separated by commas."""
    return ", ".join(map(field_ddl, fields))


def schema_text(fields: Iterable[Field]) -> str:
    """Returns the fields as text, with NOT NULL at every depth, separated by commas."""
    return ", ".join(map(field_text, fields))


def _field(field: Field, type_: str, separator: str) -> str:
    text = f"{quote_identifier(field.name)}{separator}{type_}"
    if not field.type.nullable:
        text += " NOT NULL"
    return text if field.comment is None else f"{text} COMMENT {quote_text(field.comment)}"


def _body(type_: LogicalType) -> str:
    handler = _NESTED.get(type(type_))
    return handler(type_) if handler else type_.ddl


def _array(type_: LogicalType) -> str:
    assert isinstance(type_, ArrayType)
    return f"ARRAY<{type_text(type_.element)}>"


def _map(type_: LogicalType) -> str:
    assert isinstance(type_, MapType)
    return f"MAP<{_body(type_.key)}, {type_text(type_.value)}>"


def _struct(type_: LogicalType) -> str:
    assert isinstance(type_, StructType)
    return f"STRUCT<{', '.join(field_text(field, ': ') for field in type_.fields)}>"


_NESTED: dict[type[LogicalType], Callable[[LogicalType], str]] = {
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
