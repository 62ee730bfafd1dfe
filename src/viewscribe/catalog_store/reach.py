"""Checking a document against the permissions without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from viewscribe.catalog_store.documents.model import (
    Document,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import ForbiddenSourceError, Permissions
from viewscribe.catalog_store.settings import is_allowed
from viewscribe.catalog_store.view_checks import ReadPlan
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.asynchronous.options import sparks_own
from viewscribe.operations.reach import Part
from viewscribe.types.lexemes import SPARK_SQL


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
    except ViewscribeError:
        pass  # a document that cannot be read is another finding
    return list(found.values())


def _find_refused(
    document: Document, permissions: Permissions, tree_of: ReadPlan | None
) -> Iterator[ForbiddenSourceError]:
    if isinstance(document, ViewDocument):
        yield from _refused_settings(document)
        gate = Gate(permissions, document.settings).knowing(
            each.name for each in document.dependencies
        )
        view = (document.database, document.name)
        yield from gate.refused_in_text("the view", document.sql, view=view)
        yield from _refused_source(document, gate)
        if tree_of is not None:
            yield from gate.refused_in_view("the view", tree_of())
    elif isinstance(document, TableDocument):
        yield from permissions.refused_in_table("the table", document)
        yield from _refused_in_columns(document, Gate(permissions))
    elif isinstance(document, FunctionDocument):
        yield from Gate(permissions).refused_in_function("the function", source_of(document))


def _refused_source(view: ViewDocument, gate: Gate) -> Iterator[ForbiddenSourceError]:
    """What is refused of the author's text, which ``verify`` asks Spark."""
    source = view.source
    if source is not None and source.language == SPARK_SQL:
        own = replace(gate, settings={**view.settings, **source.settings})
        yield from own.refused_in_text("the source of the view", source.text)


def _refused_settings(view: ViewDocument) -> Iterator[ForbiddenSourceError]:
    of_source = {} if view.source is None else view.source.settings
    for name, value in (*sparks_own(view.settings).items(), *sparks_own(of_source).items()):
        if not is_allowed(name, value):
            yield ForbiddenSourceError(
                f"the view sets {name} = {value!r}, which no view may set",
                hint="store the view again, or take the setting out of its document",
            )


def _refused_in_columns(table: TableDocument, gate: Gate) -> Iterator[ForbiddenSourceError]:
    defaults = (each.default for each in table.columns)
    for text in (*defaults, *(each.condition for each in table.checks)):
        if text is not None:
            yield from gate.refused_in_text("the table", text, Part.EXPRESSION)
