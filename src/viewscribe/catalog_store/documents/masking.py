"""Documents as others may be told them: without the secrets in their options and places."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import Document
from viewscribe.secrets import mask_settings, mask_value

D = TypeVar("D", bound=Document)

_FIELDS = ("options", "properties", "settings", "location", "resources")
_CHANGED = " (changed)"


def mask_document(document: D) -> D:
    """The document with every secret in it masked; its SQL is as it was."""
    return _replace(document, {field: _mask(getattr(document, field, None)) for field in _FIELDS})


def mask_change(before: D, after: D) -> tuple[D, D]:
    """Both as ``mask_document`` gives them; where only a secret changes, the later one says so."""
    old, new = mask_document(before), mask_document(after)
    marked = {}
    for field in _FIELDS:
        values = (getattr(each, field, None) for each in (before, after, old, new))
        marked[field] = _mark(*values)
    return old, _replace(new, marked)


def _replace(document: D, fields: dict[str, Any]) -> D:
    changed = {name: each for name, each in fields.items() if each}
    return msgspec.structs.replace(document, **changed) if changed else document


def _mask(value: Any) -> Any:
    """A place, several places, or settings by name."""
    if isinstance(value, str):
        return mask_value(value)
    return tuple(map(mask_value, value)) if isinstance(value, tuple) else mask_settings(value or {})


def _mark(before: Any, after: Any, old: Any, new: Any) -> Any:
    """The new value, with a word where it is shown as the old one and is another."""
    if isinstance(new, dict):
        keys = before or {}
        return {
            key: _mark(keys.get(key), after[key], (old or {}).get(key), new[key]) for key in new
        }
    if before == after or old != new:
        return new
    return f"{new}{_CHANGED}" if isinstance(new, str) else (*new[:-1], f"{new[-1]}{_CHANGED}")
