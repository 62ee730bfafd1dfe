"""Reading a view that is to be exported: what it means, and whether its text says just that."""

from __future__ import annotations

from functools import partial

from viewscribe.catalog_store.circle import ReadBack, read_back
from viewscribe.catalog_store.documents.normalization import is_edited
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.permissions import Permissions
from viewscribe.catalog_store.reach import refuse_in
from viewscribe.catalog_store.text_reader import DocumentWorld, text_tree
from viewscribe.catalog_store.view_checks import read_plan
from viewscribe.errors import ViewscribeError
from viewscribe.export.model import ExportedView
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.sources import Language
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Process
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.full_names import with_full_names
from viewscribe.parser.relation import rename
from viewscribe.parser.tokens import refuse_variables
from viewscribe.serializer import to_sql
from viewscribe.types.ddl import parse_type
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import coercion, coercion_of


def read_view(view: ExportedView, graph: LineageGraph, permissions: Permissions) -> ExportedView:
    """Returns the view with its tree and text, or with the reason why it cannot be exported."""
    try:
        tree = _tree(view, graph)
        reason = _reason_against(view, tree, permissions)
        if reason is not None:
            return view._replace(unread=reason)
        return view._replace(tree=tree, text=_in_file(_text(view, tree), tree, view))
    except ViewscribeError as error:
        where = f", {error.location.splitlines()[0]}" if error.location else ""
        how = "its text is not read" if view.document.plan is None else "its plan is damaged"
        return view._replace(unread=f"{how}: {error.message}{where}")


def _tree(view: ExportedView, graph: LineageGraph) -> QueryOperation:
    document = view.document
    refuse_variables(document.sql)
    if document.plan is None:
        home = view.path[:2]
        return text_tree(document, DocumentWorld(graph.columns_of, graph.function_of, home))
    with coercion(coercion_of(document.settings)):
        return read_plan(document)


def _reason_against(
    view: ExportedView, tree: QueryOperation, permissions: Permissions
) -> str | None:
    """Why no other tool can make the view from its text."""
    document = view.document
    if is_edited(document):
        return "its document was edited by hand; viewscribe accept takes the edit over"
    tree_of = None if document.plan is None else partial(read_plan, document)
    for refused in refuse_in(document, permissions, tree_of):
        return refused.message
    if any(isinstance(node, Process) for node in preorder(tree)):
        return "it calls a process table function"
    for function in user_functions(tree):
        if function.kind is FunctionKind.PROCESS_TABLE:
            return f"it calls the process table function {function!r}"
        if function.source.language is Language.PYTHON:
            return f"it calls the Python function {function!r}, which Spark's catalogs cannot keep"
    for column, field in zip(document.columns, tree.schema.fields, strict=False):
        if not value_type(parse_type(column.type)).same_type(value_type(field.type)):
            return f"its column {column.name} is {field.type}, and not {column.type} as declared"
    if document.plan is None:
        return None
    found = read_back(tree, document.sql, document.settings)
    if found.different is not None:
        return f"its text means something else than its plan: {found.different}"
    return None


def _text(view: ExportedView, tree: QueryOperation) -> str:
    """The query of the view, whose columns are called as in its document.

    In what another tool wrote, ``CREATE VIEW v (a, b)`` may have named them outside of the query.
    """
    document = view.document
    names = tuple(each.name for each in document.columns)
    if tree.schema.names == names:
        if document.plan is not None:
            return document.sql
        return with_full_names(document.sql, view.path[:2], view.reading).text
    with coercion(coercion_of(document.settings)):
        return to_sql(rename(tree, names), document.style)


def _in_file(text: str, tree: QueryOperation, view: ExportedView) -> str:
    """The text as it is read from a file, where it still means the view: with newlines alone."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain == text or read_back(tree, plain, view.document.settings) != ReadBack():
        return text
    return plain
