"""Checking a document against the permissions without Spark."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.catalog_store.documents.model import (
    Document,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.permissions import ForbiddenSourceError, Permissions
from viewscribe.catalog_store.settings import is_allowed
from viewscribe.catalog_store.view_checks import ReadPlan
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.asynchronous.options import sparks_own
from viewscribe.operations.only_queries import NOT_A_QUERY, require_no_script, require_query


def refuse_in(
    document: Document, permissions: Permissions, tree_of: ReadPlan | None
) -> list[ForbiddenSourceError]:
    """Returns everything in a document that opening it would reject, without duplicates.

    Args:
        document: the document, as a catalog gives it.
        permissions: what is allowed.
        tree_of: reads its plan, where it is a view that has one.
    """
    found: dict[str, ForbiddenSourceError] = {}
    try:
        for error in _find_refused(document, permissions, tree_of):
            found.setdefault(error.message, error)
    except ViewscribeError as error:
        # A document that cannot be read is another finding; a text that is no query is none.
        if error.code == NOT_A_QUERY and error.message not in found:
            found[error.message] = ForbiddenSourceError(error.message, hint=error.hint)
    return list(found.values())


def _no_query(view: ViewDocument) -> Iterator[ForbiddenSourceError]:
    """What is refused before Spark sees the text: other than a query, settings of other kinds."""
    try:
        require_query(view.sql)
    except ValidationError as error:
        yield ForbiddenSourceError(error.message, hint=error.hint)
    for name, value in sparks_own(view.settings).items():
        if not is_allowed(name, value):
            yield ForbiddenSourceError(
                f"the view sets {name} = {value!r}, which no view may set",
                hint="store the view again, or take the setting out of its document",
            )


def _find_refused(
    document: Document, permissions: Permissions, tree_of: ReadPlan | None
) -> Iterator[ForbiddenSourceError]:
    if isinstance(document, ViewDocument):
        yield from _no_query(document)
        yield from permissions.refused_in_text("the view", document.sql)
        called = {tuple(map(fold, each.name)) for each in document.dependencies}
        yield from permissions.refused_catalog_functions(
            "the view", document.sql, lambda path: len(path) < 3 or tuple(map(fold, path)) in called
        )
        if tree_of is not None:
            yield from permissions.refused_in_tree("the view", tree_of())
    elif isinstance(document, TableDocument):
        yield from permissions.refused_in_table("the table", document)
    elif isinstance(document, FunctionDocument):
        yield from permissions.refused_in_function("the function", source_of(document))
        require_no_script(document.body or "")
