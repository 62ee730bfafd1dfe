"""Schemas as users give them, as fields, and as the columns of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import ValidationError
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


def columns_of_fields(
    fields: Sequence[Field], defaults: Mapping[str, str] | None = None
) -> tuple[Any, ...]:
    """The columns of a document for fields; ``defaults`` are SQL texts by the names of columns."""
    missing = set(defaults or ()) - {field.name for field in fields}
    if missing:
        raise ValidationError(f"no column `{min(missing)}` to have a default")
    from viewscribe.catalog_store import Column
    from viewscribe.types.ddl import type_text

    return tuple(
        Column(
            name=field.name,
            type=type_text(field.type.as_nullable()),
            nullable=field.nullable,
            comment=field.comment,
            default=(defaults or {}).get(field.name),
        )
        for field in fields
    )
