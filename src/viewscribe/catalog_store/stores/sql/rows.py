"""What a row says and what is in it, of which somebody may have changed one alone."""

from __future__ import annotations

from typing import Any

from viewscribe.catalog_store.documents.model import Document
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidNameError
from viewscribe.catalog_store.names import decode, encode
from viewscribe.schemas.strict_json import loads


def check_keys(document: Document, home: str, key: str | None, path: str) -> None:
    """Pass where ``document`` is what the keys of its row say it is.

    Raises:
        DamagedDocumentError: it is another's, which opening or moving it would take it for.
    """
    names = [getattr(document, "database", None), document.name]
    parts = [each for each in names if each is not None]
    try:
        keys = [encode(each) for each in parts]
    except InvalidNameError as error:
        raise DamagedDocumentError(error.message, path=path) from None
    if keys != [each for each in (home, key) if each is not None]:
        name = ".".join(parts)
        raise DamagedDocumentError(f"the document is for the {document.kind} `{name}`", path=path)


def spell(row: Any) -> str:
    """The name as it was given; as the key has it where somebody changed one of them alone."""
    try:
        name = loads(row.name)
        if isinstance(name, str) and encode(name) == row.key:
            return name
    except (ValueError, InvalidNameError):
        pass
    return decode(row.key) or str(row.key)
