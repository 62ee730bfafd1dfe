"""Conversion of user-supplied schemas and of document columns to fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.types import Field
from viewscribe.types.arguments import as_list, wrong_class


def given_fields(schema: str | Sequence[Field]) -> tuple[Field, ...]:
    """Returns the fields of a schema given as DDL or as fields."""
    if not isinstance(schema, str):
        return tuple(map(_field, as_list(schema, "a schema")))
    from viewscribe.types.ddl import parse_schema

    return tuple(parse_schema(schema))


def given_columns(
    schema: str | Sequence[Field] | Sequence[str] | None,
) -> tuple[tuple[Field, ...] | None, tuple[str, ...] | None]:
    """Returns the fields of a schema, or its names where it has no types."""
    if schema is None:
        return None, None
    if not isinstance(schema, str):
        schema = as_list(schema, "a schema")
        if schema and all(isinstance(each, str) for each in schema):
            return None, tuple(schema)
    return given_fields(schema), None


def _field(given: object) -> Field:
    if not isinstance(given, Field):
        raise wrong_class(given, "each column of a schema", "a Field, or DDL text for all of them")
    return given


def fields_of_columns(columns: Sequence[Any]) -> tuple[Field, ...]:
    """Returns the columns of a document as fields."""
    from viewscribe.types.ddl import parse_type

    return tuple(
        Field(
            column.name,
            parse_type(column.type).with_nullability(column.nullable),
            column.comment,
        )
        for column in columns
    )
