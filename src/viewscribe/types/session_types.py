"""Types in the texts that Spark reads, where the word TIMESTAMP means what a setting says.

In documents, and in what users hand to viewscribe, TIMESTAMP is the type with a time zone. Spark
takes it for TIMESTAMP_NTZ where ``spark.sql.timestampType`` says so; the policy in force knows.
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
    """The type that Spark reads in a text.

    Raises:
        DataTypeError: it cannot be read.
    """
    return parse_type(text, IN_FORCE.get().timestamp)


def session_schema(text: str) -> tuple[Field, ...]:
    """The columns that Spark reads in a text.

    Raises:
        DataTypeError: they cannot be read.
    """
    return parse_schema(text, IN_FORCE.get().timestamp)


def session_ddl(type_: LogicalType) -> str:
    """The text by which Spark reads the type."""
    text = type_.ddl
    if IN_FORCE.get().timestamp is TIMESTAMP or "TIMESTAMP" not in text:
        return text
    return _ddl(type_)


def session_schema_ddl(type_: LogicalType) -> str:
    """The same, for a function that reads columns: those of a STRUCT without ``STRUCT<…>``."""
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
