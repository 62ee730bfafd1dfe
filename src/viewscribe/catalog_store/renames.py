"""Renaming: the document under its new name, and the version that says where it came from."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from viewscribe.catalog_store.documents import (
    FunctionDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.names import check_name, fold
from viewscribe.catalog_store.versions import Change
from viewscribe.errors import ValidationError
from viewscribe.parser.full_names import with_full_tables
from viewscribe.parser.settings import reading_of

O = TypeVar("O", ViewDocument, TableDocument, FunctionDocument)  # noqa: E741


def renamed(document: O, to: tuple[str, str]) -> O:
    """``document`` under the database and name ``to``.

    In the text of a view, a table without a database is one of the database that the view is in:
    where that changes, the text says which one it was.
    """
    moved = msgspec.structs.replace(document, database=to[0], name=to[1])
    if fold(document.database) == fold(to[0]):
        return moved
    return _in_full(moved, document.database)


def _in_full(document: O, home: str) -> O:
    """A view whose short names are meant in ``home``; anything else as it is."""
    if not isinstance(document, ViewDocument):
        return document
    reading = reading_of(document.settings)
    try:
        return msgspec.structs.replace(
            document, sql=with_full_tables(document.sql, (home,), reading)
        )
    except ValidationError:
        if document.plan is None:
            raise
        return document  # a text of ours has full names


def check_new_name(kind: ObjectKind, to: tuple[str, str]) -> None:
    """Raises ``InvalidNameError`` unless an object can be called so."""
    check_name(to[0], "database")
    check_name(to[1], kind)


def rename_change(change: Change | None, database: str, name: str) -> Change:
    """``change`` with the former name as its source, unless it names another."""
    change = change or Change()
    if change.source is not None:
        return change
    return msgspec.structs.replace(change, source=former_name(database, name))


def former_name(database: str, name: str) -> str:
    """How a rename's version tells the former name."""
    return f"{database}.{name}"
