"""How an object changes besides its SQL and its columns: its settings, comment and properties."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.masking import mask_change
from viewscribe.catalog_store.documents.model import Document
from viewscribe.catalog_store.documents.plain import to_plain

_SETTINGS = "settings."
_ELSEWHERE = frozenset(
    (
        *("schema_version", "kind", "database", "name", "owner", "version", "dependencies"),
        *("sql", "body", "columns", "plan", "fingerprint", "viewscribe_version", "spark_version"),
    )
)
"""Fields that a plan shows in another way, or that follow from others."""
_LONGEST = 300


class FieldChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed field, as ``comment`` or ``settings.spark.sql.ansi.enabled``; one line each.

    Args:
        name: the field.
        before: its value, with passwords masked; None if there was none.
        after: its new value; None if there is none.
    """

    name: str
    before: str | None = None
    after: str | None = None

    @property
    def is_setting(self) -> bool:
        """Whether it is a setting, with which the same SQL may mean something else."""
        return self.name.startswith(_SETTINGS)

    def __str__(self) -> str:
        if self.before is None:
            return f"+ {self.name}: {self.after}"
        if self.after is None:
            return f"- {self.name}: {self.before}"
        return f"~ {self.name}: {self.before} -> {self.after}"


def field_changes(before: Document | None, after: Document | None) -> tuple[FieldChange, ...]:
    """Returns the changed fields in the order of the document; none where one is missing."""
    if before is None or after is None:
        return ()
    old, new = _values(before), _values(after)
    old_shown, new_shown = map(_values, mask_change(before, after))
    return tuple(
        FieldChange(name, old_shown.get(name), new_shown.get(name))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    )


def _values(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in to_plain(document).items():
        if name in _ELSEWHERE:
            continue
        if isinstance(value, dict):
            found |= {f"{name}.{key}": _shorten(each) for key, each in value.items()}
        elif value is not None:
            found[name] = _shorten(value)
    return found


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
