"""What is worked out of a view: its SQL in each style, and what its columns come from.

It is most of the work for a site, and needs nothing but the view and the columns that it reads, so
large catalogs are shared out to several processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import is_untouched
from viewscribe.catalog_store.lineage.graph import LineageGraph
from viewscribe.catalog_store.lineage.influence import NOTHING, ColumnId, Origins
from viewscribe.catalog_store.lineage.views import view_lineage
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.text_reader import DocumentWorld, text_tree
from viewscribe.catalog_store.view_checks import read_plan
from viewscribe.errors import ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.targets import session_target
from viewscribe.site.contents import Contents, Entry, Path, key_of
from viewscribe.types.policy import coercion, coercion_of

Object = ViewDocument | TableDocument | FunctionDocument

# Documents are checked against schemas, not for sense: what one without it raises is told of.
_SENSELESS = (ViewscribeError, LookupError, TypeError, AttributeError, ValueError, RecursionError)


class Analysis(NamedTuple):
    """What is worked out of a view.

    Args:
        columns: for each column, in order, what its values come from.
        rows: what decides its rows.
        unknown: why this is not complete.
        texts: the SQL by style, without the style that the stored text has.
        unprinted: why there is no SQL in other styles.
        edited: whether the document was edited by hand.
    """

    columns: tuple[Origins, ...]
    rows: Origins
    unknown: tuple[str, ...]
    texts: dict[str, str]
    unprinted: str | None = None
    edited: bool = False


class _Job(NamedTuple):
    """Some views, with the objects that they read; of these only the columns count."""

    views: tuple[Path, ...]
    objects: tuple[tuple[Path, Object], ...]


def analyse(
    contents: Contents, watch: Callable[[str], None], processes: int = 1
) -> dict[str, Analysis]:
    """Works out all views of a catalog, by their pages.

    Args:
        contents: the catalog.
        processes: how many processes may share the work, if there is much of it.
        watch: is called with each view that is done.
    """
    views = [each for each in contents.entries if isinstance(each.document, ViewDocument)]
    groups = [views[start : start + TOGETHER] for start in range(0, len(views), TOGETHER)]
    jobs = (_job(contents, group) for group in groups)
    found: dict[str, Analysis] = {}
    for group, results in zip(
        groups, share_out(_work, None, jobs, documents=len(views), processes=processes), strict=True
    ):
        for entry, result in zip(group, results, strict=True):
            found[entry.page] = result
            watch(".".join(entry.path[1:]))
    return found


def _job(contents: Contents, group: Sequence[Entry]) -> _Job:
    objects: dict[tuple[str, tuple[str, ...]], tuple[Path, Object]] = {}
    for entry in group:
        for each in contents.references(entry):
            if each.entry is None or each.entry.document is None:
                continue
            kind = "function" if each.kind == "function" else "relation"
            lean = _only_columns(each.entry.document)
            objects.setdefault((kind, key_of(each.path)), (each.entry.path, lean))
    for entry in group:
        assert isinstance(entry.document, ViewDocument)
        objects["relation", key_of(entry.path)] = (entry.path, entry.document)
    return _Job(tuple(each.path for each in group), tuple(objects.values()))


def _only_columns(document: Object) -> Object:
    if not isinstance(document, ViewDocument):
        return document
    return TableDocument(database=document.database, name=document.name, columns=document.columns)


def _work(_: None, job: _Job) -> list[Analysis]:
    graph = LineageGraph(job.objects)
    return [_analyse_view(graph, path) for path in job.views]


def _analyse_view(graph: LineageGraph, path: Path) -> Analysis:
    view = graph.document(path)
    assert isinstance(view, ViewDocument)
    tree_of = cache(lambda: _tree(graph, path, view))
    order = _order(graph, view)
    try:
        read = tree_of if view.plan is not None else None
        found = view_lineage(path, view, graph.columns_of, graph.function_of, read)
        columns = tuple(order(found.columns.get(each.name, NOTHING)) for each in view.columns)
        rows, unknown = order(found.rows), found.unknown
    except _SENSELESS as error:
        columns, rows = (NOTHING,) * len(view.columns), NOTHING
        unknown = (f"its lineage cannot be worked out: {_message(error)}",)
    try:
        texts, unprinted = _print_styles(view, tree_of), None
    except _SENSELESS as error:
        texts, unprinted = {}, _message(error)
    edited = bool(view.fingerprint) and not is_untouched(view)
    return Analysis(columns, rows, unknown, texts, unprinted, edited)


def _order(graph: LineageGraph, view: ViewDocument) -> Callable[[Origins], Origins]:
    """Puts columns in the order of what the view reads, and of the columns there."""
    tables = {key_of(each.name): place for place, each in enumerate(view.dependencies)}
    columns = {
        (key_of(each.name), column.name.lower()): place
        for each in view.dependencies
        for place, column in enumerate(graph.columns_of(each.name) or ())
    }

    def place_of(source: ColumnId) -> tuple[int, int, str]:
        key = key_of(source.path)
        name = source.column or ""
        return tables.get(key, len(tables)), columns.get((key, name.lower()), -1), str(source)

    def order(origins: Origins) -> Origins:
        if len(origins) < 2:
            return origins
        return {each: origins[each] for each in sorted(origins, key=place_of)}

    return order


def _print_styles(view: ViewDocument, tree_of: Callable[[], QueryOperation]) -> dict[str, str]:
    """The SQL in the styles that are not stored; of a view without a plan in every style."""
    stored = view.style if view.plan is not None else None
    target = session_target(view.spark_version) if view.spark_version else None
    with coercion(coercion_of(view.settings)):
        return {each: to_sql(tree_of(), each, target) for each in STYLES if each != stored}


def _tree(graph: LineageGraph, path: Path, view: ViewDocument) -> QueryOperation:
    if view.plan is None:
        return text_tree(view, DocumentWorld(graph.columns_of, graph.function_of, path[:-1]))
    with coercion(coercion_of(view.settings)):
        return read_plan(view)


def _message(error: Exception) -> str:
    if isinstance(error, ViewscribeError):
        return error.message
    return f"{type(error).__name__}: {error}"
