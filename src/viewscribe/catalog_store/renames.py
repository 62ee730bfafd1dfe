"""Renaming: the document under its new name, and the version that records the former name."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.names import check_name, fold
from viewscribe.errors import ValidationError

O = TypeVar("O", ViewDocument, TableDocument, FunctionDocument)  # noqa: E741


def rename_document(document: O, to: tuple[str, str]) -> O:
    """Returns ``document`` under the database and name ``to``.

    Unqualified names in a view's text refer to the view's own database. If that changes, they are
    qualified with the old one.
    """
    moved = msgspec.structs.replace(document, database=to[0], name=to[1])
    if fold(document.database) == fold(to[0]):
        return moved
    return _in_full(moved, document.database)


def _in_full(document: O, home: str) -> O:
    """Qualifies unqualified names in a view with ``home``; other documents are unchanged."""
    if not isinstance(document, ViewDocument):
        return document
    from viewscribe.parser.full_names import with_full_tables
    from viewscribe.parser.settings import make_reading

    reading = make_reading(document.settings)
    try:
        return msgspec.structs.replace(
            document, sql=with_full_tables(document.sql, (home,), reading)
        )
    except ValidationError:
        if document.plan is None:
            raise
        return document  # text that viewscribe printed has full names only


def check_new_name(kind: ObjectKind, to: tuple[str, str]) -> None:
    """Raises ``InvalidNameError`` unless an object can have this name."""
    check_name(to[0], "database")
    check_name(to[1], kind)


def rename_change(change: Change | None, database: str, name: str) -> Change:
    """Returns ``change`` with the former name as its source, unless it has a source."""
    change = change or Change()
    if change.source is not None:
        return change
    return msgspec.structs.replace(change, source=former_name(database, name))


def former_name(database: str, name: str) -> str:
    """Returns the text by which a rename's version records the former name."""
    return f"{database}.{name}"
