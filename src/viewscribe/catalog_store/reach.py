"""What a document of a catalog reaches, held against what is allowed, without Spark."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.catalog_store.documents import (
    Document,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.permissions import ForbiddenSourceError, Permissions
from viewscribe.errors import ViewscribeError


def refused_in(document: Document, permissions: Permissions) -> list[ForbiddenSourceError]:
    """Everything that opening a view would refuse of a document, each once."""
    found: dict[str, ForbiddenSourceError] = {}
    try:
        for error in _refused(document, permissions):
            found.setdefault(error.message, error)
    except ViewscribeError:
        pass  # it cannot be read, which is another finding
    return list(found.values())


def _refused(document: Document, permissions: Permissions) -> Iterator[ForbiddenSourceError]:
    if isinstance(document, ViewDocument):
        yield from permissions.refused_in_text("the view", document.sql)
        if document.plan is not None:
            from viewscribe.serializer.plan_document import from_plan

            yield from permissions.refused_in_tree("the view", from_plan(document.plan))
    elif isinstance(document, TableDocument):
        yield from permissions.refused_in_table("the table", document)
    elif isinstance(document, FunctionDocument):
        yield from permissions.refused_in_function("the function", source_of(document))
