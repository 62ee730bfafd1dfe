"""A trace for people: as a tree in text, as a Mermaid flowchart, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import (
    Column,
    Dependency,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogNotFoundError,
    DamagedDocumentError,
    ObjectNotFoundError,
)
from viewscribe.catalog_store.functions import stored_function
from viewscribe.catalog_store.lineage.influence import (
    DIRECT,
    NOTHING,
    ColumnId,
    Influence,
    Origins,
    kinds,
    parts,
)
from viewscribe.catalog_store.lineage.operations import (
    ViewLineage,
    query_lineage,
    view_lineage,
    with_text_read,
)
from viewscribe.catalog_store.manager import CatalogManager, Relation
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Unreadable, fold
from viewscribe.errors import ViewscribeError, did_you_mean
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.qualify import sources_of_function

# Lineage over a whole catalog: what a column is derived from, and what depends on it.
#
# The lineage of a view is computed lazily. The dependencies in the documents tell which views are
# upstream or downstream of a column, so that only those are looked at, and a catalog of thousands
# of views answers immediately.

Path = tuple[str, ...]
Object = ViewDocument | TableDocument | FunctionDocument


class Edge(NamedTuple):
    """One step of lineage: ``source`` has this influence on ``target``."""

    source: ColumnId
    target: ColumnId
    influence: Influence


class Trace(NamedTuple):
    """The result of following lineage.

    Args:
        start: the columns to start from.
        edges: all edges, those near the start first.
        unknown: views with incomplete lineage, with the reasons.
    """

    start: tuple[ColumnId, ...]
    edges: tuple[Edge, ...]
    unknown: dict[Path, tuple[str, ...]]

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:

        return show_trace(self)

    def columns(self) -> list[ColumnId]:
        """The distinct columns of the trace, without the start and without rows."""
        found = dict.fromkeys(each for edge in self.edges for each in (edge.source, edge.target))
        return [each for each in found if each.column is not None and each not in self.start]


class Broken(NamedTuple):
    """A view that can no longer be opened: the missing columns it names, or why it is unknown."""

    path: Path
    because: tuple[ColumnId, ...]
    unknown: tuple[str, ...] = ()


class LineageGraph:
    """The lineage of the views of some catalogs.

    Args:
        objects: the documents of views, tables and functions by their full names.
    """

    def __init__(self, objects: Iterable[tuple[Path, Object]]) -> None:
        self._documents: dict[Path, tuple[Path, ViewDocument | TableDocument]] = {}
        self._readers: dict[Path, list[Path]] = {}
        self._functions: dict[Path, tuple[Path, FunctionDocument]] = {}
        for path, document in objects:
            if isinstance(document, FunctionDocument):
                self._functions[_key(path)] = (path, document)
                continue
            self._documents[_key(path)] = (path, document)
            for each in document.dependencies if isinstance(document, ViewDocument) else ():
                if each.kind != "function":
                    self._readers.setdefault(_key(each.name), []).append(path)
        self._lineages: dict[Path, ViewLineage] = {}
        self._with_text: set[Path] = set()
        self._targets: dict[Path, dict[ColumnId, list[tuple[ColumnId, Influence]]]] = {}

    def __repr__(self) -> str:
        return f"LineageGraph({len(self._documents)} views and tables)"

    @classmethod
    def load(cls, catalogs: CatalogManager, *names: str) -> LineageGraph:
        """Loads the views of the catalogs of these names, by default of all catalogs."""
        return cls(_objects(catalogs, names or tuple(catalogs.catalogs())))

    @classmethod
    def load_above(
        cls, catalogs: CatalogManager, path: Path, unreadable: list[Unreadable]
    ) -> LineageGraph:
        """Loads a view and all that it is made of, in its own catalog; nothing that reads it.

        Args:
            catalogs: the catalogs.
            path: the full name of the view.
            unreadable: documents that cannot be read are added here.
        """
        return cls(_objects_above(catalogs, path, unreadable))

    # -- one step ----------------------------------------------------------------------------------

    def view(self, path: Path) -> ViewLineage | None:
        """Returns the direct lineage of a view; None for tables and unknown objects."""
        found = self._documents.get(_key(path))
        if found is None or not isinstance(found[1], ViewDocument):
            return None
        key = _key(path)
        if key not in self._lineages:
            self._lineages[key] = view_lineage(
                found[0], found[1], self.columns_of, self.function_of
            )
        return self._lineages[key]

    def view_with_text(self, path: Path) -> ViewLineage | None:
        """Like ``view``, with ``carried`` limited to columns that the text names; slower."""
        found = self.view(path)
        key = _key(path)
        if found is not None and key not in self._with_text:
            document = self._documents[key][1]
            assert isinstance(document, ViewDocument)
            self._lineages[key] = with_text_read(found, document, self.columns_of, self.function_of)
            self._with_text.add(key)
        return self._lineages.get(key)

    def views(self) -> Iterator[ViewLineage]:
        """Yields the lineage of every view."""
        for path, document in self._documents.values():
            if isinstance(document, ViewDocument):
                found = self.view(path)
                assert found is not None
                yield found

    def paths(self) -> list[Path]:
        """The full names of all views and tables."""
        return [path for path, _ in self._documents.values()]

    def document(self, path: Path) -> ViewDocument | TableDocument | None:
        """Returns the document of a view or table, or None."""
        found = self._documents.get(_key(path))
        return None if found is None else found[1]

    def columns_of(self, path: Path) -> Sequence[Column] | None:
        """Returns the columns of a view or table; None if it is unknown."""
        document = self.document(path)
        return None if document is None else document.columns

    def function_of(self, path: Path) -> UserFunction | None:
        """Returns the function of a full name; None if it is unknown."""
        found = self._functions.get(_key(path))
        return None if found is None else stored_function(*found)

    def readers(self, path: Path) -> Sequence[Path]:
        """Returns the views that read a view or table."""
        return self._readers.get(_key(path), ())

    def find(self, path: Path, column: str | None = None) -> tuple[ColumnId, ...]:
        """Returns the columns of that name in the documents' spelling, by default all columns.

        Raises:
            ObjectNotFoundError: there is no such view or table, or no such column in it.
        """
        found = self._documents.get(_key(path))
        if found is None:
            known = [".".join(each) for each, _ in self._documents.values()]
            raise ObjectNotFoundError(
                f"no view or table `{'.'.join(path)}`", hint=did_you_mean(".".join(path), known)
            )
        full, document = found
        names = [each.name for each in document.columns]
        if column is None:
            return tuple(ColumnId(full, name) for name in names)
        for name in names:
            if name.lower() == column.lower():
                return (ColumnId(full, name),)
        hint = did_you_mean(column, names) or f"the columns are: {', '.join(names)}"
        raise ObjectNotFoundError(f"no column `{column}` in `{'.'.join(full)}`", hint=hint)

    # -- many steps --------------------------------------------------------------------------------

    def upstream(self, *start: ColumnId, depth: int | None = None) -> Trace:
        """Returns everything that influences the columns or their rows, up to ``depth`` views."""
        return self._trace(start, depth, self._up, lambda column: (column.path,))

    def downstream(self, *start: ColumnId, depth: int | None = None) -> Trace:
        """Returns everything that depends on the columns, down to ``depth`` views."""
        return self._trace(start, depth, self._down, lambda column: self.readers(column.path))

    def breaks(self, *columns: ColumnId) -> list[Broken]:
        """Returns the views that cannot be opened without these columns, direct readers first.

        A view breaks if its text names a missing column, even one without influence. A view with
        incomplete lineage counts as broken, and so does every reader of a broken view.
        """
        found: dict[Path, Broken] = {}
        gone = {self._same(each) for each in columns}
        pending = list(dict.fromkeys(each.path for each in columns))
        while pending:
            for reader in self.readers(pending.pop(0)):
                lineage = self.view(reader)
                if lineage is None or reader in found:
                    continue
                if any(self._same(each) in gone for each in lineage.carried):
                    lineage = self.view_with_text(reader) or lineage
                named = set(lineage.carried).union(lineage.rows, *lineage.columns.values())
                because = [each for each in named if self._same(each) in gone]
                because.sort(key=str)
                if because or lineage.unknown:
                    found[reader] = Broken(reader, tuple(because), lineage.unknown)
                    names = [*lineage.columns, None]
                    gone.update(self._same(ColumnId(reader, name)) for name in names)
                    pending.append(reader)
        return list(found.values())

    def _trace(
        self,
        start: Sequence[ColumnId],
        depth: int | None,
        step: Callable[[ColumnId], tuple[Iterable[Edge], Iterable[ColumnId]]],
        passed: Callable[[ColumnId], Iterable[Path]],
    ) -> Trace:
        """Follows ``step``, which yields edges and their ends, breadth-first.

        ``passed`` returns the views whose lineage a step uses.
        """
        edges: dict[Edge, None] = {}
        unknown: dict[Path, tuple[str, ...]] = {}
        level = list(dict.fromkeys(start))
        seen = set(map(self._same, level))
        while level and (depth is None or depth > 0):
            following: list[ColumnId] = []
            for column in level:
                made, others = step(column)
                edges.update(dict.fromkeys(made))
                for path in passed(column):
                    lineage = self.view(path)
                    if lineage is not None and lineage.unknown:
                        unknown[lineage.path] = lineage.unknown
                new = [each for each in others if self._same(each) not in seen]
                seen.update(map(self._same, new))
                following += new
            level = list(dict.fromkeys(following))
            depth = None if depth is None else depth - 1
        return Trace(tuple(start), tuple(edges), unknown)

    def _up(self, column: ColumnId) -> tuple[list[Edge], list[ColumnId]]:
        """Returns what a column is derived from; influence on rows counts for the view's rows."""
        lineage = self.view(column.path)
        if lineage is None:
            return [], []
        values = NOTHING if column.column is None else _named_column(lineage, column.column)
        rows = ColumnId(lineage.path, None)
        edges = [Edge(self._spell(each), column, how) for each, how in values.items()]
        edges += [Edge(self._spell(each), rows, how) for each, how in lineage.rows.items()]
        return edges, [edge.source for edge in edges]

    def _down(self, column: ColumnId) -> tuple[list[Edge], list[ColumnId]]:
        """Returns what a column influences in the views that read its table."""
        edges: list[Edge] = []
        for reader in self.readers(column.path):
            found = self._targets_in(reader).get(self._same(column), ())
            edges += [Edge(column, target, how) for target, how in found]
        return edges, [edge.target for edge in edges]

    def _targets_in(self, reader: Path) -> dict[ColumnId, list[tuple[ColumnId, Influence]]]:
        """For each column that a view reads, what of the view it influences."""
        key = _key(reader)
        if key not in self._targets:
            lineage = self.view(reader)
            assert lineage is not None
            into: dict[ColumnId, list[tuple[ColumnId, Influence]]] = {}
            for name, origins in (*lineage.columns.items(), (None, lineage.rows)):
                for source, how in origins.items():
                    target = ColumnId(lineage.path, name)
                    into.setdefault(self._same(source), []).append((target, how))
            self._targets[key] = into
        return self._targets[key]

    def _spell(self, column: ColumnId) -> ColumnId:
        """The column as the documents spell it."""
        found = self._documents.get(_key(column.path))
        if found is None:
            return column
        path, document = found
        if column.column is None:
            return ColumnId(path, None)
        wanted = column.column.lower()
        names = (each.name for each in document.columns if each.name.lower() == wanted)
        return ColumnId(path, next(names, column.column))

    def _same(self, column: ColumnId) -> ColumnId:
        """The column in the spelling by which columns are compared."""
        name = column.column
        return ColumnId(_key(column.path), None if name is None else name.lower())


def _named_column(lineage: ViewLineage, column: str) -> Origins:
    wanted = column.lower()
    for name, origins in lineage.columns.items():
        if name.lower() == wanted:
            return origins
    return NOTHING


def _key(path: Path) -> Path:
    return tuple(map(fold, path))


def _objects(catalogs: CatalogManager, names: Sequence[str]) -> Iterator[tuple[Path, Object]]:
    for name in names:
        for each in catalogs.catalog(name).load_all():
            if isinstance(each, Loaded) and isinstance(each.document, Object):
                yield (name, each.id.database, each.id.name), each.document


def _objects_above(
    catalogs: CatalogManager, start: Path, unreadable: list[Unreadable]
) -> Iterator[tuple[Path, Object]]:
    seen: set[tuple[str, Path]] = set()
    pending: list[Dependency] = [Dependency("table", start)]
    while pending:
        each = pending.pop()
        key = ("function" if each.kind == "function" else "relation", _key(each.name))
        if key in seen or key[1][0] != fold(start[0]):
            continue
        seen.add(key)
        try:
            document = _load(catalogs, each)
        except DamagedDocumentError as error:
            kind = "function" if each.kind == "function" else catalogs.kind_of(each.name) or "view"
            id_ = ObjectId(each.name[-2], each.name[-1], kind)
            unreadable.append(Unreadable(id_, ".".join(each.name), error))
        except (ObjectNotFoundError, CatalogNotFoundError):
            continue
        else:
            yield (start[0], document.database, document.name), document
            pending += _named_in(document, each.name)


def _load(catalogs: CatalogManager, dependency: Dependency) -> Object:
    if dependency.kind == "function":
        found = catalogs.get("function", dependency.name).document
        assert isinstance(found, FunctionDocument)
        return found
    relation = catalogs.relation(dependency.name)
    assert isinstance(relation, Relation)  # a full name is none of a temporary view
    return relation.document


def _named_in(document: Object, path: Path) -> Sequence[Dependency]:
    """What a view reads and calls, and what the body of a function does."""
    if isinstance(document, ViewDocument):
        return document.dependencies
    if isinstance(document, TableDocument):
        return ()
    try:
        tables, functions = sources_of_function(stored_function(path, document).source, path[:2])
    except ViewscribeError:
        return ()  # a body that cannot be read is told where its lineage is asked for
    return [
        *(Dependency("table", each) for each in tables),
        *(Dependency("function", each) for each in functions),
    ]


Spell = Callable[[ColumnId], str]
"""How a column is written."""


class Marks(NamedTuple):
    """The marks that a tree is drawn with."""

    branch: str
    last: str
    line: str
    again: str


_DEEPEST = 40
"""How deep a tree of HTML goes."""

LINES = Marks("├─", "└─", "│  ", "  …")
ASCII = Marks("|-", "`-", "|  ", "  ...")
"""For terminals that have no other letters."""


@cache
def words(influence: Influence) -> str:
    """The influence in words: ``aggregation, filter``."""
    return ", ".join(str(each.name).lower().replace("_", " ") for each in parts(influence))


def tree(trace: Trace, *, upstream: bool, spell: Spell = str, marks: Marks = LINES) -> str:
    """The trace as an indented tree below each column it started from.

    What is below a column is written once; where the column comes again, ``…`` says so.
    """
    below = _below(trace, upstream=upstream)
    written: set[ColumnId] = set()
    lines: list[str] = []
    for start in trace.start:
        lines.append(spell(start))
        lines += _branches(start, below, written, spell, marks)
    return "\n".join(lines) + "\n"


def _branches(
    start: ColumnId,
    below: dict[ColumnId, list[tuple[ColumnId, Influence | None]]],
    written: set[ColumnId],
    spell: Spell,
    marks: Marks,
) -> Iterator[str]:
    written.add(start)
    stack = [(each, how, "", last) for each, how, last in _mark(below.get(start, []))]
    while stack:
        column, how, indent, last = stack.pop()
        branches = below.get(column, [])
        again = column in written and bool(branches)
        label = spell(column) + (f"  {words(how)}" if how else "") + (marks.again if again else "")
        yield f"{indent}{marks.last if last else marks.branch} {label}"
        if not again:
            written.add(column)
            inner = indent + ("   " if last else marks.line)
            stack += [(each, how, inner, end) for each, how, end in _mark(branches)]


def _mark(
    branches: list[tuple[ColumnId, Influence | None]],
) -> Iterator[tuple[ColumnId, Influence | None, bool]]:
    """The branches, the last one first because the stack turns them round."""
    for place, (column, how) in enumerate(reversed(branches)):
        yield column, how, place == 0


def _below(
    trace: Trace, *, upstream: bool
) -> dict[ColumnId, list[tuple[ColumnId, Influence | None]]]:
    """For each column what is drawn below it; upstream the rows of its view are one branch."""
    found: dict[ColumnId, list[tuple[ColumnId, Influence | None]]] = {}
    for edge in trace.edges:
        near, far = (edge.target, edge.source) if upstream else (edge.source, edge.target)
        found.setdefault(near, []).append((far, edge.influence))
    if upstream:
        for column in dict.fromkeys([*trace.start, *[edge.source for edge in trace.edges]]):
            rows = ColumnId(column.path, None)
            if column.column is not None and rows in found:
                found.setdefault(column, []).append((rows, None))
    return found


def show_trace(trace: Trace) -> dict[str, str]:
    """Returns the trace for a notebook: a tree that opens and closes."""
    from viewscribe.html.markup import Node, show
    from viewscribe.html.markup import tree as html_tree

    upstream = all(edge.source not in trace.start for edge in trace.edges)
    below = _below(trace, upstream=upstream)

    written: set[ColumnId] = set()

    def node(column: ColumnId, how: Influence | None, depth: int) -> Node:
        label, branches = f"{column}  {words(how)}" if how else str(column), below.get(column, [])
        if branches and (column in written or depth == 0):
            return Node(f"{label}  …")
        written.add(column)
        return Node(label, [node(each, by, depth - 1) for each, by in branches])

    text = tree(trace, upstream=upstream).rstrip("\n")
    return show(text, html_tree([node(start, None, _DEEPEST) for start in trace.start]))


def mermaid(trace: Trace, *, spell: Callable[[tuple[str, ...]], str] = ".".join) -> str:
    """The trace as a Mermaid flowchart: a box a table, thick lines for values, dotted for rows."""
    ids: dict[ColumnId, str] = {}
    tables: dict[tuple[str, ...], list[ColumnId]] = {}
    for column in dict.fromkeys(
        [*trace.start, *[each for edge in trace.edges for each in (edge.source, edge.target)]]
    ):
        ids[column] = f"c{len(ids)}"
        tables.setdefault(column.path, []).append(column)
    lines = ["flowchart LR"]
    for number, (path, columns) in enumerate(tables.items()):
        lines.append(f'  subgraph t{number}["{_escape(spell(path))}"]')
        for column in columns:
            name = "(rows)" if column.column is None else column.column
            lines.append(f'    {ids[column]}["{_escape(name)}"]')
        lines.append("  end")
    lines += [f"  {_arrow(edge, ids)}" for edge in trace.edges]
    return "\n".join(lines) + "\n"


def _arrow(edge: Edge, ids: dict[ColumnId, str]) -> str:
    source, target, label = ids[edge.source], ids[edge.target], words(edge.influence)
    line = "-->" if edge.influence & DIRECT else "-.->"
    return f'{source} {line}|"{label}"| {target}'


def _escape(text: str) -> str:
    """Text for between quotes; Mermaid knows characters by number."""
    special = {'"', "#", "<", ">", "&", "`", "\\", ";"}
    return "".join(
        f"#{ord(each)};" if each in special or not each.isprintable() else each for each in text
    )


def trace_data(trace: Trace) -> dict[str, Any]:
    """The trace for programs."""
    return {
        "start": [_column(each) for each in trace.start],
        "edges": [
            {
                "source": _column(edge.source),
                "target": _column(edge.target),
                "influence": [{"type": type_, "subtype": name} for type_, name in _kinds(edge)],
            }
            for edge in trace.edges
        ],
        "unknown": [
            {"view": list(path), "reasons": list(reasons)}
            for path, reasons in trace.unknown.items()
        ],
    }


def _column(column: ColumnId) -> dict[str, Any]:
    return {"table": list(column.path), "column": column.column}


def _kinds(edge: Edge) -> list[tuple[str, str]]:
    found = list(kinds(edge.influence))
    if edge.influence & Influence.ROWS:
        found.append(("INDIRECT", "ROWS"))
    return found


# How the lineage of a query differs from that of another.


class LineageChange(NamedTuple):
    """An influence that came, went or is another; ``column`` None stands for the rows."""

    column: str | None
    source: ColumnId
    before: str | None
    after: str | None

    def __str__(self) -> str:
        sign = "+" if self.before is None else "-" if self.after is None else "~"
        how = " -> ".join(each for each in (self.before, self.after) if each is not None)
        return f"{sign} {self.column or '(rows)'} <- {self.source} ({how})"


def lineage_changes(before: QueryOperation, after: QueryOperation) -> list[LineageChange]:
    """What depends on something else than before, column by column, and the rows at the end."""
    old, new = _origins(before), _origins(after)
    found: list[LineageChange] = []
    for column in dict.fromkeys((*new, *old)):
        was, now = old.get(column, {}), new.get(column, {})
        for source in sorted({*was, *now}, key=str):
            change = LineageChange(column, source, _words(was, source), _words(now, source))
            if change.before != change.after:
                found.append(change)
    return sorted(found, key=lambda each: each.column is None)


def _origins(tree: QueryOperation) -> dict[str | None, Origins]:
    lineage = query_lineage(tree)
    names: Sequence[str] = tree.schema.names
    return {**dict(zip(names, lineage.columns, strict=True)), None: lineage.rows}


def _words(origins: Origins, source: ColumnId) -> str | None:
    influence = origins.get(source)
    return None if influence is None else words(influence)
