"""The lineage of a stored view, from its plan or else from its SQL text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.lineage.influence import NOTHING, ColumnId, Origins
from viewscribe.catalog_store.lineage.operations import (
    QueryLineage,
    query_lineage,
    unknown_lineage,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.text_reader import (
    DocumentWorld,
    FindColumns,
    FindFunction,
    text_tree,
)
from viewscribe.errors import SqlSyntaxError, ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.names import read_words


class ViewLineage(NamedTuple):
    """The direct lineage of a view.

    Args:
        path: the view's full name.
        columns: by column name, in order, what the column's values depend on.
        rows: what determines the rows.
        carried: columns that its text names without influence on its result; the view still breaks
            without them.
        unknown: the reasons if the lineage is incomplete.
    """

    path: tuple[str, ...]
    columns: dict[str, Origins]
    rows: Origins
    carried: frozenset[ColumnId]
    unknown: tuple[str, ...] = ()


def view_lineage(
    path: tuple[str, ...],
    view: ViewDocument,
    columns_of: FindColumns | None = None,
    function_of: FindFunction | None = None,
    tree_of: Callable[[], QueryOperation] | None = None,
) -> ViewLineage:
    """Computes the lineage of a view.

    Args:
        path: its full name.
        view: its document.
        columns_of: finds the columns of tables that SQL text reads.
        function_of: finds the user functions that SQL text calls.
        tree_of: reads the plan, where others read it as well.
    """
    columns_of = columns_of or (lambda path: None)
    if view.plan is not None:
        found = _from_plan(view, columns_of, tree_of)
    else:
        world = DocumentWorld(columns_of, function_of or (lambda path: None), path[:-1])
        found = _from_text(view, world, columns_of)
    names = [column.name for column in view.columns]
    if len(names) != len(found.columns):
        columns = dict.fromkeys(names, NOTHING)
        reason = f"the plan has {len(found.columns)} columns, the document {len(names)}"
        found = found._replace(unknown=(*found.unknown, reason))
    else:
        columns = dict(zip(names, found.columns, strict=True))
    carried = _named_in(view.sql, found.carried)
    return ViewLineage(path, columns, found.rows, frozenset(carried), found.unknown)


def with_text_read(
    lineage: ViewLineage, view: ViewDocument, columns_of: FindColumns, function_of: FindFunction
) -> ViewLineage:
    """The lineage of a view with a plan, without what is carried only as far as the plan can tell.

    Reading the text takes several times as long as the rest: for columns that it depends on.
    """
    if view.plan is None or lineage.unknown or not lineage.carried:
        return lineage
    found = _from_text(view, DocumentWorld(columns_of, function_of, lineage.path[:-1]), columns_of)
    if found.unknown:
        return lineage
    named = {_fold(each) for each in found.carried | found.used()}
    return lineage._replace(carried=frozenset(c for c in lineage.carried if _fold(c) in named))


def _fold(column: ColumnId) -> tuple[tuple[str, ...], str | None]:
    return tuple(map(fold, column.path)), column.column and column.column.lower()


def _from_plan(
    view: ViewDocument, columns_of: FindColumns, tree_of: Callable[[], QueryOperation] | None
) -> QueryLineage:
    from viewscribe.serializer.plan_document import from_plan
    from viewscribe.types.policy import coercion, coercion_of

    assert view.plan is not None
    try:
        with coercion(coercion_of(view.settings)):
            operation = from_plan(view.plan) if tree_of is None else tree_of()
    except ViewscribeError as error:
        return _unknown(view, columns_of, f"its plan cannot be read: {error.message}")
    return query_lineage(operation, columns_of)


def _from_text(view: ViewDocument, world: DocumentWorld, columns_of: FindColumns) -> QueryLineage:
    try:
        tree = text_tree(view, world)
    except ViewscribeError as error:
        return _unknown(view, columns_of, f"the lineage of SQL text is unknown: {error.message}")
    return query_lineage(tree, columns_of, is_written=True)


def _unknown(view: ViewDocument, columns_of: FindColumns, reason: str) -> QueryLineage:
    paths = [each.name for each in view.dependencies if each.kind != "function"]
    return unknown_lineage(len(view.columns), paths, columns_of, reason)


def _named_in(text: str, columns: Iterable[ColumnId]) -> list[ColumnId]:
    """The columns whose names stand in a text; all where it cannot be read."""
    try:
        words = read_words(text)
    except SqlSyntaxError:
        return [each for each in columns if each.column]
    return [each for each in columns if each.column and each.column.lower() in words]
