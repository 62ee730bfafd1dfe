"""The JSON Schemas of everything viewscribe writes to disk, and the one validator.

``validate(document, "view")`` raises :class:`DocumentSchemaError` if the document is invalid. For
each fault, its ``problems`` give a JSON pointer, what is wrong and what is allowed.
"""

from __future__ import annotations

from viewscribe.schemas.validator import (
    DocumentSchemaError,
    Problem,
    SchemaKind,
    find_problems,
    is_valid,
    schema_for,
    validate,
)

__all__ = [
    "DocumentSchemaError",
    "Problem",
    "SchemaKind",
    "find_problems",
    "is_valid",
    "schema_for",
    "validate",
]
