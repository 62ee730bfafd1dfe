"""DDL text as a Spark session reads it, where a setting decides what TIMESTAMP means.

In documents and in user input, TIMESTAMP is always the type with a time zone. In Spark it means
TIMESTAMP_NTZ if ``spark.sql.timestampType`` says so; the policy in force knows the setting.
"""

from __future__ import annotations

from viewscribe.types.ddl import parse_schema, parse_type, quote_text
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.logical import (
    TIMESTAMP,
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StructType,
    TimestampType,
)
from viewscribe.types.policy import IN_FORCE

__all__ = ["session_ddl", "session_schema", "session_schema_ddl", "session_type"]


def session_type(text: str) -> LogicalType:
    """Parses a type the way the session does.

    Raises:
        DataTypeError: the text does not parse.
    """
    return parse_type(text, IN_FORCE.get().timestamp)


def session_schema(text: str) -> tuple[Field, ...]:
    """Parses columns the way the session does.

    Raises:
        DataTypeError: the text does not parse.
    """
    return parse_schema(text, IN_FORCE.get().timestamp)


def session_ddl(type_: LogicalType) -> str:
    """Returns DDL text that the session parses into this type."""
    text = type_.ddl
    if IN_FORCE.get().timestamp is TIMESTAMP or "TIMESTAMP" not in text:
        return text
    return _ddl(type_)


def session_schema_ddl(type_: LogicalType) -> str:
    """Returns the columns of a STRUCT as DDL text, without ``STRUCT<…>`` around them."""
    if isinstance(type_, StructType):
        return ", ".join(_field(field, " ") for field in type_.fields)
    return session_ddl(type_)


def _ddl(type_: LogicalType) -> str:
    if isinstance(type_, TimestampType):
        return "TIMESTAMP_LTZ"
    if isinstance(type_, ArrayType):
        return f"ARRAY<{_ddl(type_.element)}>"
    if isinstance(type_, MapType):
        return f"MAP<{_ddl(type_.key)}, {_ddl(type_.value)}>"
    if isinstance(type_, StructType):
        return f"STRUCT<{', '.join(_field(field, ': ') for field in type_.fields)}>"
    return type_.ddl


def _field(field: Field, separator: str) -> str:
    text = f"{quote_identifier(field.name)}{separator}{session_ddl(field.type)}"
    if not field.type.nullable:
        text += " NOT NULL"
    return text if field.comment is None else f"{text} COMMENT {quote_text(field.comment)}"
