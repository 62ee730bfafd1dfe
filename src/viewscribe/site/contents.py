"""What a catalog holds, as the pages need it: objects, what they read, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import (
    Column,
    DatabaseDocument,
    FunctionDocument,
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import is_untouched
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.functions import stored_function
from viewscribe.catalog_store.lineage.drawings import LineageGraph
from viewscribe.catalog_store.lineage.influence import (
    DIRECT,
    INDIRECT,
    NOTHING,
    ColumnId,
    Influence,
    Origins,
    compose,
)
from viewscribe.catalog_store.lineage.operations import view_lineage
from viewscribe.catalog_store.protocol import Catalog, Loaded, ObjectId, Unreadable, fold
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.text_reader import DocumentWorld, text_tree
from viewscribe.catalog_store.view_checks import read_plan
from viewscribe.errors import ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.qualify import sources_of_function
from viewscribe.secrets import mask_value
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.targets import session_target
from viewscribe.site.addresses import assign_page_ids
from viewscribe.types.policy import coercion, coercion_of

Path = tuple[str, ...]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of the catalog.

    Args:
        page: its identity in the site.
        id: its kind, database and name.
        path: its full name.
        file: where its document is.
        document: the document; None if it cannot be read.
        error: why it cannot be read.
        version: the number, time and author of its present state.
    """

    page: str
    id: ObjectId
    path: Path
    file: str
    document: ObjectDocument | None = None
    error: CatalogError | None = None
    version: Version | None = None

    @property
    def kind(self) -> str:
        """View, table or function."""
        return self.id.kind

    @property
    def name(self) -> str:
        """The name without its database."""
        return self.id.name

    @property
    def comment(self) -> str:
        """The comment of its author."""
        return (self.document.comment or "") if self.document is not None else ""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of a view or table."""
        return getattr(self.document, "columns", ())


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that an object reads or calls: an object of the catalog, or only a name."""

    kind: str
    path: Path
    entry: Entry | None


@dataclass
class Contents:
    """A catalog as it is read for a site.

    Args:
        name: the name that views use for it.
        url: where it is.
        entries: its objects, in the order of their names.
        databases: its databases with their comments.
        unreadable: documents of databases that cannot be read.
    """

    name: str
    url: str
    entries: Sequence[Entry]
    databases: Sequence[tuple[str, str]]
    unreadable: Sequence[Unreadable] = ()
    _references: dict[str, tuple[Reference, ...]] = field(default_factory=dict)

    @cached_property
    def _relations(self) -> dict[Key, Entry]:
        several = [each for each in self.entries if each.kind != "function"]
        several.sort(key=lambda each: each.document is not None)  # what can be read goes last
        return {key_of(each.path): each for each in several}

    @cached_property
    def _functions(self) -> dict[Key, Entry]:
        return {key_of(each.path): each for each in self.entries if each.kind == "function"}

    def relation(self, path: Path) -> Entry | None:
        """Returns the view or table of a full name."""
        return self._relations.get(key_of(path))

    def names_view(self, path: Path) -> bool:
        """Returns whether a full name is that of a view, which may be missing or damaged."""
        found = self.relation(path)
        return key_of(path) in self._missing_views if found is None else found.kind == "view"

    @cached_property
    def _missing_views(self) -> set[Key]:
        several = (one for each in self.entries for one in self.references(each))
        return {key_of(one.path) for one in several if one.entry is None and one.kind == "view"}

    def function(self, path: Path) -> Entry | None:
        """Returns the function of a full name."""
        return self._functions.get(key_of(path))

    def references(self, entry: Entry) -> tuple[Reference, ...]:
        """Returns what an object reads and calls."""
        found = self._references.get(entry.page)
        if found is None:
            named = dict.fromkeys(_names_in(entry))
            found = tuple(self._refer(kind, path) for kind, path in named)
            self._references[entry.page] = found
        return found

    def readers(self, entry: Entry) -> Sequence[Entry]:
        """Returns the objects that read or call it."""
        return self._readers.get(entry.page, ())

    @cached_property
    def _readers(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for each in self.entries:
            pages = {one.entry.page for one in self.references(each) if one.entry is not None}
            for page in pages:
                found.setdefault(page, []).append(each)
        return found

    def _refer(self, kind: str, path: Path) -> Reference:
        entry = self.function(path) if kind == "function" else self.relation(path)
        return Reference(kind if entry is None else entry.kind, path, entry)


def key_of(path: Iterable[str]) -> Key:
    """Returns the form in which full names are compared."""
    return tuple(map(fold, path))


def read_contents(
    catalog: Catalog, name: str, watch: Callable[[str], None] = lambda object_: None
) -> Contents:
    """Reads a whole catalog; what cannot be read is part of it, with its error.

    Args:
        catalog: the catalog.
        name: the name that its views use for it.
        watch: is called with each object that is read.
    """
    found: dict[ObjectId, Loaded | Unreadable] = {}
    databases: dict[str, str] = {}
    damaged: list[Unreadable] = []
    for each in catalog.load_all():
        watch(str(each.id))
        if each.id.kind != "database":
            found[each.id] = each
            databases.setdefault(each.id.database, "")
        elif isinstance(each, Unreadable):
            damaged.append(each)
        else:
            assert isinstance(each.document, DatabaseDocument)
            databases[each.document.name] = each.document.comment or ""
    pages = assign_page_ids(found)
    entries = [_entry(name, pages[id_], each) for id_, each in found.items()]
    entries.sort(key=lambda each: (fold(each.id.database), fold(each.name), each.kind, each.page))
    ordered = sorted(databases.items(), key=lambda each: (fold(each[0]), each[0]))
    return Contents(name, mask_value(catalog.url), entries, ordered, damaged)


def _entry(catalog: str, page: str, found: Loaded | Unreadable) -> Entry:
    path = (catalog, found.id.database, found.id.name)
    if isinstance(found, Unreadable):
        return Entry(page, found.id, path, found.path, error=found.error)
    document = found.document
    assert isinstance(document, ViewDocument | TableDocument | FunctionDocument)
    return Entry(page, found.id, path, found.path, document=document, version=found.version)


def _names_in(entry: Entry) -> Iterable[tuple[str, Path]]:
    document = entry.document
    if isinstance(document, ViewDocument):
        return [(each.kind, each.name) for each in document.dependencies]
    if not isinstance(document, FunctionDocument):
        return ()
    try:
        source = stored_function(entry.path, document).source
        tables, functions = sources_of_function(source, entry.path[:2])
    except ViewscribeError:
        return ()  # a body that nobody can read names nothing
    return [*(("table", each) for each in tables), *(("function", each) for each in functions)]


# What is worked out of a view: its SQL in each style, and what its columns come from.
#
# It is most of the work for a site, and needs nothing but the view and the columns that it reads,
# so large catalogs are shared out to several processes.

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


# What columns come from, down to the tables, and what they feed.

ColumnKey = tuple[tuple[str, ...], str]

_MOST_LEAVES = 100


class Leaves(NamedTuple):
    """What the values of a column come from, or depend on.

    Args:
        columns: columns of tables, and those of views that cannot be followed further, with their
            influence, in order; at most a hundred.
        more: whether there are more.
    """

    columns: Mapping[ColumnId, Influence]
    more: bool = False


class SiteLineage:
    """The lineage of all columns of a catalog.

    Args:
        contents: the catalog.
        analyses: what was worked out of its views, by their pages.
    """

    def __init__(self, contents: Contents, analyses: Mapping[str, Analysis]) -> None:
        self._contents = contents
        self._analyses = analyses
        self._leaves: dict[ColumnKey, Leaves] = {}

    def analysis(self, entry: Entry) -> Analysis | None:
        """Returns what was worked out of a view."""
        return self._analyses.get(entry.page)

    def direct(self, entry: Entry, index: int) -> Origins:
        """Returns what the values of a column come from, one step away."""
        found = self._analyses.get(entry.page)
        return NOTHING if found is None or index >= len(found.columns) else found.columns[index]

    def leaves(self, entry: Entry, index: int) -> Leaves:
        """Returns the columns of tables that a column comes from, across all views between."""
        start = _key(ColumnId(entry.path, entry.columns[index].name))
        pending: list[tuple[ColumnKey, Origins | None]] = [(start, None)]
        begun: set[ColumnKey] = set()
        while pending:
            key, origins = pending.pop()
            if origins is not None:
                self._leaves[key] = self._gather(origins)
            elif key not in self._leaves and key not in begun:
                begun.add(key)  # a circle ends where it began
                origins = self._origins(key)
                pending.append((key, origins))
                pending += [(each, None) for each in map(_key_of_view, origins) if each]
        return self._leaves[start]

    def gap(self, path: Path, column: str | None = None) -> str:
        """Returns why a view, or a column of it, cannot be followed further, or nothing."""
        entry = self._contents.relation(path)
        if entry is None:
            return "is not there" if self._contents.names_view(path) else ""
        if entry.kind == "view" and entry.error is not None:
            return "cannot be read"
        analysis = self.analysis(entry)
        if analysis is None:
            return ""
        if column is not None and column.lower() not in (
            each.name.lower() for each in entry.columns
        ):
            return "has no such column"
        return "has unknown lineage" if analysis.unknown else ""

    def feeds(self, entry: Entry, column: str) -> Sequence[tuple[ColumnId, Influence]]:
        """Returns the columns, and the rows, of views that a column influences, one step away."""
        return self._fed.get(_key(ColumnId(entry.path, column)), ())

    def _gather(self, origins: Origins) -> Leaves:
        found: dict[ColumnId, Influence] = {}
        more = False
        for source, step in origins.items():
            below = self._leaves.get(_key(source)) if source.column is not None else None
            if below is None or not (
                below.columns or (self._contents.names_view(source.path) and not self.gap(*source))
            ):
                below = Leaves({source: Influence.IDENTITY})
            more |= below.more
            for leaf, influence in below.columns.items():
                made = _through(step, influence)
                known = found.get(leaf)
                found[leaf] = made if known is None or known is made else known | made
        if len(found) > _MOST_LEAVES:
            return Leaves(dict(list(found.items())[:_MOST_LEAVES]), True)
        return Leaves(found, more)

    def _origins(self, key: ColumnKey) -> Origins:
        entry = self._contents.relation(key[0])
        if entry is None:
            return NOTHING
        for index, column in enumerate(entry.columns):
            if column.name.lower() == key[1]:
                found = self.direct(entry, index)
                return {each: how for each, how in found.items() if each.column is not None}
        return NOTHING

    @cached_property
    def _fed(self) -> dict[ColumnKey, list[tuple[ColumnId, Influence]]]:
        found: dict[ColumnKey, list[tuple[ColumnId, Influence]]] = {}
        for entry in self._contents.entries:
            analysis = self.analysis(entry)
            if analysis is None:
                continue
            names = [each.name for each in entry.columns]
            for name, origins in (
                *zip(names, analysis.columns, strict=False),
                (None, analysis.rows),
            ):
                for source, how in origins.items():
                    if source.column is not None:
                        found.setdefault(_key(source), []).append((ColumnId(entry.path, name), how))
        return found


def values_of(origins: Origins) -> Origins:
    """Returns those of which values end up in a column."""
    return {
        each: influence
        for each, influence in origins.items()
        if each.column is not None and _is_direct(influence)
    }


@cache
def _is_direct(influence: Influence) -> bool:
    return bool(influence & DIRECT)


@cache
def _through(step: Influence, below: Influence) -> Influence:
    """What is below a step influences, where the step itself may be both direct and indirect."""
    direct = compose(_strongest(step), below) if step & DIRECT else Influence(0)
    return direct | (step & INDIRECT)


def _strongest(influence: Influence) -> Influence:
    """The influence that counts of several direct ones."""
    direct = influence & DIRECT
    for each in (Influence.AGGREGATION, Influence.TRANSFORMATION):
        if direct & each:
            return each
    return Influence.IDENTITY


def _key(column: ColumnId) -> ColumnKey:
    return key_of(column.path), (column.column or "").lower()


def _key_of_view(column: ColumnId) -> ColumnKey | None:
    return None if column.column is None else _key(column)
