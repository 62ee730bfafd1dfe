"""What a row says and what is in it, of which somebody may have changed one alone."""

from __future__ import annotations

from typing import Any

from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidNameError
from viewscribe.catalog_store.names import decode, encode
from viewscribe.catalog_store.protocol import Stored
from viewscribe.catalog_store.strict_json import loads


def in_place(stored: Stored[Any], home: str, key: str | None, path: str) -> Stored[Any]:
    """The stored document, where it is what the keys of its row say it is.

    Raises:
        DamagedDocumentError: it is another's, which opening or moving it would take it for.
    """
    document = stored.document
    try:
        if key is None:
            right = encode(document.name) == home
        else:
            right = (encode(document.database), encode(document.name)) == (home, key)
    except InvalidNameError as error:
        raise DamagedDocumentError(error.message, path=path) from None
    if not right:
        parts = [getattr(document, "database", None), document.name]
        name = ".".join(each for each in parts if each is not None)
        raise DamagedDocumentError(f"the document is for the {document.kind} `{name}`", path=path)
    return stored


def spelled(row: Any) -> str:
    """The name as it was given; as the key has it where somebody changed one of them alone."""
    try:
        name = loads(row.name)
        if isinstance(name, str) and encode(name) == row.key:
            return name
    except (ValueError, InvalidNameError):
        pass
    return decode(row.key) or str(row.key)
