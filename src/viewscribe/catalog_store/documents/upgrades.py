"""Upgrades of stored documents, one step a version.

To change the form of a document: raise ``SCHEMA_VERSION``, change the schema, and add for each
kind the step that turns a mapping of the version before into one of the next. A step is a pure
function and must keep working for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.catalog_store.documents.model import SCHEMA_VERSION, DocumentKind

Step = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns a document of one version into the same document of the next version."""

MIGRATIONS: dict[DocumentKind, dict[int, Step]] = {
    "view": {},
    "table": {},
    "function": {},
    "database": {},
}
"""For each kind: the version a step starts from, and the step."""


def migrate(
    plain: dict[str, Any],
    kind: DocumentKind,
    *,
    current: int = SCHEMA_VERSION,
    steps: Mapping[DocumentKind, Mapping[int, Step]] = MIGRATIONS,
) -> dict[str, Any]:
    """``plain`` brought to version ``current``. Its ``schema_version`` must be in 1..current."""
    for version in range(plain["schema_version"], current):
        plain = {**steps[kind][version](plain), "schema_version": version + 1}
    return plain
