"""Passwords in stored options and properties, which pages and metadata for others must not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.model import ObjectDocument
from viewscribe.catalog_store.url_secrets import without_secrets

_SECRET = re.compile(
    r"(?i)passw|passphrase|(?<![a-z])pass(?![a-z])|pwd|secret|token|credential|authorization"
    r"|signature|(?<![a-z])(sig|sas)(?![a-z])|connection.?string"
    r"|(access|account|api|encryption|private|shared).?key"
)


def mask_options(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options by name, in order, with passwords replaced by ``***``."""
    return {
        name: "***" if _SECRET.search(name) and value else without_secrets(value)
        for name, value in sorted(options.items())
    }


def without_passwords(document: ObjectDocument) -> ObjectDocument:
    """Returns a document as others may be told it, with passwords replaced by ``***``."""
    changes: dict[str, Any] = {}
    for field in ("options", "properties"):
        values = getattr(document, field, None)
        if values:
            changes[field] = mask_options(values)
    location = getattr(document, "location", None)
    if location:
        changes["location"] = without_secrets(location)
    resources = getattr(document, "resources", None)
    if resources:
        changes["resources"] = tuple(map(without_secrets, resources))
    return msgspec.structs.replace(document, **changes) if changes else document
