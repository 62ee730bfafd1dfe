"""Schemas as users give them, and those of documents, as fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.types import Field


def given_fields(schema: str | Sequence[Field]) -> tuple[Field, ...]:
    """The fields of a schema in DDL, or those that were given."""
    if not isinstance(schema, str):
        return tuple(schema)
    from viewscribe.types.ddl import parse_schema

    return tuple(parse_schema(schema))


def fields_of_columns(columns: Sequence[Any]) -> tuple[Field, ...]:
    """The fields of the columns of a document."""
    from viewscribe.types.ddl import parse_type

    return tuple(
        Field(
            column.name,
            parse_type(column.type).with_nullability(column.nullable),
            column.comment,
        )
        for column in columns
    )
