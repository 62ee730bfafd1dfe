"""Documents as the commands print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.catalog_store import ObjectDocument


def document_data(document: ObjectDocument) -> dict[str, Any]:
    """Returns the document as JSON data; of the plan, it only says whether there is one."""
    data = {"kind": document.kind, **_plain(document)}
    if document.kind == "view":
        data["has_plan"] = data.pop("plan") is not None
        for column in data["columns"]:
            del column["default"]  # only tables have defaults
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value)
        return {name: _plain(item) for name, item in fields.items()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
