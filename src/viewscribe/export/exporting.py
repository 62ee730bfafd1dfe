"""Exporting the views of a catalog to a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from viewscribe.catalog_store.circle import ReadBack, read_back
from viewscribe.catalog_store.documents.model import (
    D,
    FunctionDocument,
    TableDocument,
    ViewDocument,
    mask_document,
)
from viewscribe.catalog_store.documents.normalization import is_edited
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.permissions import Permissions
from viewscribe.catalog_store.protocol import Catalog, Loaded, Unreadable
from viewscribe.catalog_store.reach import refuse_in
from viewscribe.catalog_store.text_reader import DocumentWorld, text_tree
from viewscribe.catalog_store.view_checks import read_plan, warnings_of
from viewscribe.errors import ViewscribeError, did_you_mean
from viewscribe.export.folder import ExportRefusedError, Written, write_folder
from viewscribe.export.model import (
    ExportedView,
    Files,
    Path,
    Project,
    Refusal,
    Target,
    key_of,
    own_properties,
)
from viewscribe.export.targets import TARGETS
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import Language
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Process
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.qualify import with_full_names
from viewscribe.parser.scopes import rename
from viewscribe.parser.tokens import refuse_variables
from viewscribe.secrets import MASK, mask_value
from viewscribe.serializer import to_sql
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_name
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    import os


# Reading a view that is to be exported: what it means, and whether its text says just that.


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


EPOCH = "1970-01-01T00:00:00.000Z"
"""The time of a view without a history."""


class Exported(NamedTuple):
    """What an export did.

    Args:
        views: the names of the views that it holds.
        skipped: the views that were left out.
        written: what happened to the files.
        warnings: which views may be out of date, and why; which lose their properties.
    """

    views: tuple[str, ...]
    skipped: tuple[Refusal, ...]
    written: Written
    warnings: tuple[str, ...]


def export_catalog(
    catalog: Catalog,
    target: str,
    folder: str | os.PathLike[str],
    *,
    name: str = "spark_catalog",
    only: Sequence[tuple[str, str]] = (),
    skip: bool = False,
    permissions: Permissions | None = None,
) -> Exported:
    """Writes the views of a catalog to a folder, in the form of another tool.

    Args:
        catalog: the catalog.
        target: one of ``TARGETS``.
        folder: where to write; only files that an earlier export wrote there are replaced.
        name: what the texts of the views call the catalog.
        only: database and name of the views to export, with those that they read; by default all.
        skip: whether to leave out what cannot be exported exactly, with all that reads it.
        permissions: what views may reach besides tables; by default nothing.

    Raises:
        ExportRefusedError: views cannot be exported exactly; each is named.
        ForeignFilesError: the folder has other files in the places to write to.
        ObjectNotFoundError: one of ``only`` is not in the catalog.
    """
    loaded = _Loaded(catalog, name, permissions or Permissions())
    chosen = loaded.chosen(only)
    form = TARGETS[target]([loaded.bare(key) for key in chosen if key in loaded.views])
    project, refused = _select(loaded, form, chosen)
    if refused and not skip:
        raise _refusal(target, refused)
    files: Files = form.files(project)
    written = write_folder(folder, target, files)
    warnings = [
        text
        for each in project.views
        for text in warnings_of(each.document, loaded.graph.columns_of)
    ]
    lost = [each.name for each in project.views if own_properties(each.document)]
    if lost and not form.keeps_properties:
        warnings.append(f"properties of views are not exported to {target}: {', '.join(lost)}")
    masked = [path for path, text in files.items() if loaded.has_secrets and MASK in text]
    if masked:
        shown = ", ".join(masked)
        warnings.append(f"secrets are not exported: write yours in the place of {MASK} in {shown}")
    names = tuple(each.name for each in project.views)
    return Exported(names, tuple(refused), written, tuple(warnings))


class _Loaded:
    """All documents of a catalog by their folded full names."""

    def __init__(self, catalog: Catalog, name: str, permissions: Permissions) -> None:
        self.catalog_name = name
        self.url = mask_value(catalog.url)
        self.permissions = permissions
        self.has_secrets = False
        """Whether something is masked in what was taken from it."""
        self.views: dict[Path, Loaded] = {}
        self.unreadable: dict[Path, Unreadable] = {}
        self.tables: dict[Path, TableDocument] = {}
        objects = []
        for each in sorted(catalog.load_all(), key=lambda each: each.id):
            path = (name, each.id.database, each.id.name)
            if isinstance(each, Unreadable):
                if each.id.kind == "view":
                    self.unreadable[key_of(path)] = each
                continue
            document = each.document
            if isinstance(document, ViewDocument):
                self.views[key_of(path)] = each
            elif isinstance(document, TableDocument):
                self.tables[path] = self._mask(document)
            if isinstance(document, ViewDocument | TableDocument | FunctionDocument):
                objects.append((path, document))
        self.graph = LineageGraph(objects)

    def chosen(self, only: Sequence[tuple[str, str]]) -> list[Path]:
        """The keys of the views to export: those asked for and what they read, or all.

        Raises:
            ObjectNotFoundError: there is no such view.
        """
        if not only:
            return sorted((*self.views, *self.unreadable))
        found: dict[Path, None] = {}
        pending = [self._find(each) for each in only]
        while pending:
            key = pending.pop()
            if key in found:
                continue
            found[key] = None
            pending += [each for each in self.reads(key) if self.is_view(each)]
        return sorted(found)

    def is_view(self, key: Path) -> bool:
        """Whether a name is one of a view, readable or not."""
        return key in self.views or key in self.unreadable

    def _find(self, name: tuple[str, str]) -> Path:
        key = key_of((self.catalog_name, *name))
        if self.is_view(key):
            return key
        every: list[Loaded | Unreadable] = [*self.views.values(), *self.unreadable.values()]
        known = [quote_name((each.id.database, each.id.name)) for each in every]
        wanted = quote_name(name)
        raise ObjectNotFoundError(
            f"no view `{wanted}` in {self.url}", hint=did_you_mean(wanted, known)
        )

    def reads(self, key: Path) -> list[Path]:
        """The keys of what a view reads."""
        if key not in self.views:
            return []
        return [key_of(each) for each in self.bare(key).reads]

    def _mask(self, document: D) -> D:
        masked = mask_document(document)
        self.has_secrets |= masked != document
        return masked

    def bare(self, key: Path) -> ExportedView:
        """A view whose text has not been read."""
        entry = self.views[key]
        assert isinstance(entry.document, ViewDocument)
        path = (self.catalog_name, entry.id.database, entry.id.name)
        return ExportedView(
            path, self._mask(entry.document), entry.version.at if entry.version else EPOCH
        )


def _select(loaded: _Loaded, form: Target, chosen: Sequence[Path]) -> tuple[Project, list[Refusal]]:
    """The views that the target takes, each after those that it reads, and the others."""
    views: list[ExportedView] = []
    out: dict[Path, Refusal] = {}
    wanted = set(chosen)
    order, circles = _order({key: set(loaded.reads(key)) & wanted for key in chosen})
    for key in order:
        if key in loaded.unreadable:
            entry = loaded.unreadable[key]
            name = quote_name((entry.id.database, entry.id.name))
            out[key] = Refusal(name, f"its document cannot be read: {entry.error.message}")
            continue
        view = loaded.bare(key)
        reason = circles.get(key) or _reason(form, view, out)
        if reason is None and form.makes_views:
            view = read_view(view, loaded.graph, loaded.permissions)
            reason = view.unread or form.reason_against(view)
        if reason is None:
            views.append(view)
        else:
            out[key] = Refusal(view.name, reason)
    tables = _tables(loaded, views, every=len(wanted) == len(loaded.views) + len(loaded.unreadable))
    project = Project(loaded.catalog_name, loaded.url, views, tables, loaded.graph)
    return project, list(out.values())


def _reason(form: Target, view: ExportedView, out: Mapping[Path, Refusal]) -> str | None:
    """Why a view goes with one that it reads."""
    if not form.makes_views:
        return None
    missing = [out[key].view for key in map(key_of, view.reads) if key in out]
    return f"it reads {', '.join(missing)}, which is not exported" if missing else None


def _tables(
    loaded: _Loaded, views: Sequence[ExportedView], *, every: bool
) -> Mapping[Path, TableDocument]:
    """The tables that the views read; all of them where the whole catalog is exported."""
    if every:
        return loaded.tables
    read = {key_of(path) for view in views for path in view.reads}
    return {path: each for path, each in loaded.tables.items() if key_of(path) in read}


def _order(reads: Mapping[Path, set[Path]]) -> tuple[list[Path], dict[Path, str]]:
    """The views, each after those that it reads, by name where that leaves a choice.

    Those that read each other in a circle come last, each with that as its reason.
    """
    circles: dict[Path, str] = {}
    remaining = {key: set(needed) for key, needed in reads.items()}
    while True:
        sorter = TopologicalSorter({key: sorted(remaining[key]) for key in sorted(remaining)})
        try:
            sorter.prepare()
        except CycleError as error:
            for key in error.args[1]:
                circles[key] = "it reads itself, through other views"
                remaining[key] = set()
            continue
        break
    order: list[Path] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return order, circles


def _refusal(target: str, refused: Sequence[Refusal]) -> ExportRefusedError:
    """All views that are not exported, each an error."""
    errors = [
        ExportRefusedError(f"{each.view} cannot be exported to {target}: {each.reason}")
        for each in refused
    ]
    errors[-1].hint = "nothing was written; --skip leaves such views out, and those that read them"
    errors[0].others = tuple[ViewscribeError, ...](errors[1:])
    return errors[0]
