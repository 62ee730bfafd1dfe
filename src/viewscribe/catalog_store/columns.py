"""The columns of a document for the fields of a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import Column
from viewscribe.errors import ValidationError
from viewscribe.types import Field
from viewscribe.types.arguments import as_mapping
from viewscribe.types.ddl import type_text


def columns_of_fields(
    fields: Sequence[Field], defaults: Mapping[str, str] | None = None
) -> tuple[Column, ...]:
    """The columns of a document for fields; ``defaults`` are SQL texts by the names of columns."""
    given = as_mapping(defaults, "defaults")
    missing = given.keys() - {field.name for field in fields}
    if missing:
        raise ValidationError(f"no column `{min(missing)}` to have a default")
    nameless = [place for place, field in enumerate(fields, 1) if not field.name]
    if nameless:
        raise ValidationError(
            f"column {nameless[0]} has the empty name, which no catalog keeps",
            hint='give it another: df.withColumnRenamed("", "name")',
        )
    return tuple(
        Column(
            name=field.name,
            type=type_text(field.type.as_nullable()),
            nullable=field.nullable,
            comment=field.comment,
            default=given.get(field.name),
        )
        for field in fields
    )
