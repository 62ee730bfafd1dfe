"""Lineage of a query, operation by operation.

Each operation has a handler, which computes for every output column the source columns it is
derived from, and the source columns that determine the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.lineage.influence import (
    NOTHING,
    ColumnId,
    Columns,
    Influence,
    Origins,
    Scope,
    add,
    merge,
)
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.text_reader import (
    DocumentWorld,
    FindColumns,
    FindFunction,
    leaf_tree,
    text_tree,
)
from viewscribe.errors import NotSerializableError, SqlSyntaxError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation, using_columns
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.reach import Part
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.names import read_words
from viewscribe.parser.reach import read_reach
from viewscribe.types.policy import coercion, coercion_of

I = Influence  # noqa: E741


class Lines(NamedTuple):
    """The intermediate lineage of a query.

    ``listed`` are source columns that the query's text may name although nothing uses them: those
    that no projection has removed so far.
    """

    columns: Columns
    rows: Origins
    listed: frozenset[ColumnId] = frozenset()


class QueryLineage(NamedTuple):
    """The lineage of a query.

    Args:
        columns: for each output column, in order, what its values depend on.
        rows: what determines the rows, and so influences every column.
        carried: columns that the query names, or may name, without influence on its result.
        unknown: the reasons if the lineage is incomplete; what is listed is correct nevertheless.
    """

    columns: tuple[Origins, ...]
    rows: Origins
    carried: frozenset[ColumnId]
    unknown: tuple[str, ...] = ()

    def used(self) -> set[ColumnId]:
        """Everything that has an influence."""
        return set(self.rows).union(*self.columns)


def query_lineage(
    operation: QueryOperation,
    columns_of: FindColumns | None = None,
    *,
    is_written: bool = False,
) -> QueryLineage:
    """Computes the lineage of a query.

    Args:
        operation: the query.
        columns_of: finds the columns of tables that opaque SQL text in the query reads.
        is_written: whether the tree was parsed from the text, and so names exactly what it names.
    """
    tracer = Tracer(columns_of or (lambda path: None))
    lines = tracer.trace(operation, ())
    for function in user_functions(operation):
        if _reads_tables(function):
            tracer.unknown[f"the function {function!r} may read tables by itself"] = None
    found = QueryLineage(tuple(lines.columns), lines.rows, frozenset(), tuple(tracer.unknown))
    listed = () if is_written else tracer.listed
    carried = tracer.mentioned.keys() | listed | tracer.named
    return found._replace(carried=frozenset(carried - found.used()))


class Tracer:
    """One walk over a query; collects all columns mentioned, and reasons for incompleteness."""

    def __init__(self, columns_of: FindColumns) -> None:
        self.columns_of = columns_of
        self.mentioned: dict[ColumnId, Influence] = {}
        self.listed: set[ColumnId] = set()
        self.named: set[ColumnId] = set()
        self.unknown: dict[str, None] = {}
        self.ctes: dict[str, Lines] = {}

    def trace(self, root: Node, outer: tuple[Columns, ...]) -> Lines:
        """Computes the lineage of a query; ``outer`` are the enclosing scopes, nearest first."""
        done: dict[int, Lines] = {}
        stack: list[tuple[QueryOperation, bool]] = [(_query(root), False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in done:
                continue
            below = [node.left] if isinstance(node, o.LateralJoin) else node.inputs()
            if not ready:
                stack.append((node, True))
                stack += [(each, False) for each in reversed(below)]
                continue
            inputs = [done[id(each)] for each in below]
            lines = _HANDLERS[type(node)](self, node, inputs, outer)
            done[id(node)] = self._with_listed(node, lines, inputs)
        return done[id(root)]

    def _with_listed(self, node: QueryOperation, lines: Lines, inputs: Sequence[Lines]) -> Lines:
        kind = type(node)
        if not inputs or (kind in _PRUNES and not _may_be_within(node)):
            return lines
        listed = frozenset().union(*[each.listed for each in inputs])
        if kind in _PRUNES:
            self.listed |= listed
            return lines
        if kind in _LISTS_NOTHING:
            return lines._replace(listed=listed)
        self.listed |= listed
        return lines

    def scope(self, columns: Columns, outer: tuple[Columns, ...]) -> Scope:
        return Scope(self, columns, outer)


_PRUNES = (o.Project, o.Aggregate, o.Pivot)
"""Operations that print their own columns and no others."""


def _may_be_within(node: QueryOperation) -> bool:
    """Whether the input may have to be a sub-query, as one that computes columns may."""
    (below,) = node.inputs()
    while isinstance(below, o.Filter | o.SubqueryAlias):
        below = below.child
    return isinstance(below, o.WithColumns | o.Hint)


_LISTS_NOTHING = (o.Filter, o.SubqueryAlias, o.WithColumns)
"""Operations that never need a sub-query which lists all columns of their input."""

Outer = tuple[Columns, ...]
Handler = Callable[[Tracer, Any, Sequence[Lines], Outer], Lines]


def _catalog_source(tracer: Tracer, node: o.CatalogSource, _: Any, outer: Outer) -> Lines:
    ids = [ColumnId(node.path, field.name) for field in node.fields]
    return Lines(
        [{each: I.IDENTITY} for each in ids], {ColumnId(node.path, None): I.ROWS}, frozenset(ids)
    )


def _values(tracer: Tracer, node: o.Values, _: Any, outer: Outer) -> Lines:
    scope = tracer.scope((), outer)
    width = len(node.fields)
    return Lines([scope.origins(node.values[place::width]) for place in range(width)], NOTHING)


def _one_row(tracer: Tracer, node: o.OneRow, _: Any, outer: Outer) -> Lines:
    return Lines([], NOTHING)


def _table_function(tracer: Tracer, node: o.TableFunction, _: Any, outer: Outer) -> Lines:
    made = tracer.scope((), outer).origins(node.args, I.TRANSFORMATION)
    rows = tracer.scope((), outer).origins(node.args, I.JOIN)
    return Lines([made] * len(node.schema), rows)


def _process(tracer: Tracer, node: o.Process, inputs: Sequence[Lines], outer: Outer) -> Lines:
    """Any output column may depend on any input, except partition columns, which are copied."""
    scope = tracer.scope(inputs[0].columns, outer)
    every = _as(I.TRANSFORMATION, inputs[0].columns)
    grouped = scope.origins(node.keys, I.GROUP_BY)
    by_name = {field.name.lower(): place for place, field in enumerate(node.child.schema.fields)}
    columns: list[Origins] = []
    for place, field in enumerate(node.fields):
        kept = None
        if place < len(node.partition_by) and not node.is_tagged:
            kept = by_name.get(field.name.lower())
        columns.append(every if kept is None else inputs[0].columns[kept])
    return Lines(columns, merge(inputs[0].rows, grouped))


def _recursion(tracer: Tracer, node: o.Recursion, _: Any, outer: Outer) -> Lines:
    """Each iteration derives from the previous one, and ultimately from the anchor."""
    path = (f"the round before of {node.name}",)
    ids = [ColumnId(path, str(place)) for place in range(len(node.schema))]
    before = Lines([{each: I.IDENTITY} for each in ids], {ColumnId(path, None): I.ROWS})
    first = tracer.trace(node.anchor, outer)
    following = _trace_with(tracer, node.name, before, node.step, outer)
    columns = [merge(a, b) for a, b in zip(first.columns, following.columns, strict=True)]
    known: dict[ColumnId, Origins] = {
        ColumnId(path, str(place)): column for place, column in enumerate(columns)
    }
    known[ColumnId(path, None)] = merge(first.rows, following.rows)
    for each in known:  # one column after the other is said without the round before
        made = _without(each, known[each], NOTHING)
        known = {name: _without(each, other, made) for name, other in known.items()}
        known[each] = made
    tracer.mentioned = {k: v for k, v in tracer.mentioned.items() if k.path != path}
    rows = known.pop(ColumnId(path, None))
    return Lines(list(known.values()), rows, first.listed | following.listed)


def _with_cte(tracer: Tracer, node: o.WithCte, _: Any, outer: Outer) -> Lines:
    definition = tracer.trace(node.definition, outer)
    return _trace_with(tracer, node.name, definition, node.body, outer)


def _trace_with(
    tracer: Tracer, name: str, lines: Lines, reader: QueryOperation, outer: Outer
) -> Lines:
    """The lines of a query that reads a CTE of this name."""
    before = tracer.ctes
    tracer.ctes = {**before, name: lines}
    try:
        return tracer.trace(reader, outer)
    finally:
        tracer.ctes = before


def _cte_reference(tracer: Tracer, node: o.CteReference, _: Any, outer: Outer) -> Lines:
    found = tracer.ctes.get(node.name)
    if found is None:
        raise NotSerializableError(f"the rows of the CTE `{node.name}` are asked for outside of it")
    return found


def _without(column: ColumnId, origins: Origins, made_of: Origins) -> Origins:
    """The origins with what a column is made of in its place."""
    step = origins.get(column)
    if step is None:
        return origins
    into = {each: influence for each, influence in origins.items() if each != column}
    add(into, made_of, step)
    return into


def _sql_text(tracer: Tracer, node: o.SqlText, _: Any, outer: Outer) -> Lines:
    """The lineage of an opaque text is unknown."""
    try:
        tree = leaf_tree(node, tracer.columns_of)
    except ViewscribeError as error:
        reason = f"the lineage of SQL text is unknown: {error.message}"
        found = unknown_lineage(len(node.fields), node.dependencies, tracer.columns_of, reason)
    else:
        found = query_lineage(tree, tracer.columns_of, is_written=True)
    tracer.unknown.update(dict.fromkeys(found.unknown))
    tracer.named |= found.carried
    return Lines(found.columns, found.rows)


def unknown_lineage(
    width: int, paths: Iterable[tuple[str, ...]], columns_of: FindColumns, reason: str
) -> QueryLineage:
    """Returns the lineage of a query of which only the tables are known."""
    read = list(paths)
    rows = {ColumnId(path, None): I.ROWS for path in read}
    carried = {ColumnId(path, each.name) for path in read for each in columns_of(path) or ()}
    return QueryLineage((NOTHING,) * width, rows, frozenset(carried), (reason,))


def _project(tracer: Tracer, node: o.Project, inputs: Sequence[Lines], outer: Outer) -> Lines:
    scope = tracer.scope(inputs[0].columns, outer)
    return Lines([scope.origins((each,)) for each in node.expressions], inputs[0].rows)


def _with_columns(
    tracer: Tracer, node: o.WithColumns, inputs: Sequence[Lines], outer: Outer
) -> Lines:
    scope = tracer.scope(inputs[0].columns, outer)
    columns = [*inputs[0].columns, *([NOTHING] * (len(node.schema) - len(inputs[0].columns)))]
    for place, column in zip(node.places(), node.columns, strict=True):
        columns[place] = scope.origins((column,))
    return Lines(columns, inputs[0].rows)


def _filter(tracer: Tracer, node: o.Filter, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    condition = tracer.scope(child.columns, outer).origins((node.condition,), I.FILTER)
    return Lines(child.columns, merge(child.rows, condition))


def _sort(tracer: Tracer, node: o.Sort, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    keys = tracer.scope(child.columns, outer).origins(node.keys, I.SORT)
    return Lines(child.columns, merge(child.rows, keys))


def _distinct(tracer: Tracer, node: o.Distinct, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    return Lines(child.columns, merge(child.rows, _as(I.GROUP_BY, child.columns)))


def _same(tracer: Tracer, node: QueryOperation, inputs: Sequence[Lines], outer: Outer) -> Lines:
    return inputs[0]


def _hint(tracer: Tracer, node: o.Hint, inputs: Sequence[Lines], outer: Outer) -> Lines:
    tracer.scope(inputs[0].columns, outer).origins(node.parameters)  # mentioned, no more
    return inputs[0]


def _aggregate(tracer: Tracer, node: o.Aggregate, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    scope = tracer.scope(child.columns, outer)
    keys = [scope.origins((each,)) for each in node.keys]
    made = [scope.origins((each,)) for each in node.aggregates]
    return Lines([*keys, *made], merge(child.rows, _as(I.GROUP_BY, keys)))


def _pivot(tracer: Tracer, node: o.Pivot, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    scope = tracer.scope(child.columns, outer)
    keys = [scope.origins((each,)) for each in node.keys]
    chosen = scope.origins((node.column,), I.CONDITIONAL)
    made = [merge(scope.origins((each,)), chosen) for each in node.aggregates]
    columns = [*keys, *(made * len(node.values))]
    return Lines(columns, merge(child.rows, _as(I.GROUP_BY, keys)))


def _generate(tracer: Tracer, node: o.Generate, inputs: Sequence[Lines], outer: Outer) -> Lines:
    """A generator is joined laterally: what it is made of decides how often a row is there."""
    (child,) = inputs
    scope = tracer.scope(child.columns, outer)
    made = scope.origins((node.call,))
    rows = scope.origins((node.call,), I.JOIN)
    return Lines([*child.columns, *([made] * len(node.names))], merge(child.rows, rows))


def _unpivot(tracer: Tracer, node: o.Unpivot, inputs: Sequence[Lines], outer: Outer) -> Lines:
    (child,) = inputs
    scope = tracer.scope(child.columns, outer)
    turned = {column.index for column in node.columns}
    kept = [each for place, each in enumerate(child.columns) if place not in turned]
    value = node.schema[len(node.schema) - 1].type
    alike = all(column.type.same_type(value) for column in node.columns)
    values = scope.origins(node.columns, I.IDENTITY if alike else I.TRANSFORMATION)
    rows = child.rows
    if not node.include_nulls:
        rows = merge(rows, scope.origins(node.columns, I.FILTER))
    return Lines([*kept, NOTHING, values], rows)


def _time_window(
    tracer: Tracer, node: o.TimeWindow, inputs: Sequence[Lines], outer: Outer
) -> Lines:
    (child,) = inputs
    scope = tracer.scope(child.columns, outer)
    rows = scope.origins((node.call,), I.FILTER)  # rows without a time fall out
    return Lines([*child.columns, scope.origins((node.call,))], merge(child.rows, rows))


def _join(tracer: Tracer, node: o.Join, inputs: Sequence[Lines], outer: Outer) -> Lines:
    left, right = inputs
    both = [*left.columns, *right.columns]
    scope = tracer.scope(both, outer)
    rows = merge(left.rows, right.rows)
    if node.condition is not None:
        rows = merge(rows, scope.origins((node.condition,), I.JOIN))
    if not node.using:
        return Lines(both if node.kind.keeps_right else left.columns, rows)
    sides = node.left.schema, node.right.schema
    places = [side.find(name) for name in node.using for side in sides]
    keys = [(left, right)[at % 2].columns[place] for at, place in enumerate(places)]
    columns = [
        both[place] if other is None else merge(both[place], both[other])
        for place, other in using_columns(*sides, node.kind, node.using)
    ]
    shared = _as(I.JOIN, keys)
    tracer.mentioned.update(shared)
    return Lines(columns, merge(rows, shared))


def _lateral_join(
    tracer: Tracer, node: o.LateralJoin, inputs: Sequence[Lines], outer: Outer
) -> Lines:
    (left,) = inputs
    right = tracer.trace(node.right, (left.columns, *outer))
    tracer.listed |= right.listed
    both = [*left.columns, *right.columns]
    rows = merge(left.rows, right.rows)
    if node.condition is not None:
        rows = merge(rows, tracer.scope(both, outer).origins((node.condition,), I.JOIN))
    return Lines(both, rows)


def _set_operation(
    tracer: Tracer, node: o.SetOperation, inputs: Sequence[Lines], outer: Outer
) -> Lines:
    left, right = inputs
    rows = merge(left.rows, right.rows)
    if node.kind is o.SetKind.UNION:
        columns = [merge(a, b) for a, b in zip(left.columns, right.columns, strict=True)]
        return Lines(columns, rows if node.all else merge(rows, _as(I.GROUP_BY, columns)))
    compared = merge(_as(I.JOIN, left.columns), _as(I.JOIN, right.columns))
    return Lines(left.columns, merge(rows, compared))


def _as(influence: Influence, columns: Iterable[Origins]) -> Origins:
    """All that the columns depend on, with one influence of all of it."""
    into: dict[ColumnId, Influence] = {}
    for each in columns:
        add(into, each, influence)
    return into


_HANDLERS: HandlerTable[Handler] = HandlerTable(
    "the lineage",
    {
        o.Aggregate: _aggregate,
        o.CatalogSource: _catalog_source,
        o.CteReference: _cte_reference,
        o.Distinct: _distinct,
        o.Filter: _filter,
        o.Generate: _generate,
        o.Hint: _hint,
        o.Join: _join,
        o.LateralJoin: _lateral_join,
        o.Limit: _same,
        o.Offset: _same,
        o.Pivot: _pivot,
        o.Process: _process,
        o.Project: _project,
        o.Recursion: _recursion,
        o.Sample: _same,
        o.SetOperation: _set_operation,
        o.Sort: _sort,
        o.SqlText: _sql_text,
        o.SubqueryAlias: _same,
        o.OneRow: _one_row,
        o.TableFunction: _table_function,
        o.TimeWindow: _time_window,
        o.Unpivot: _unpivot,
        o.Values: _values,
        o.WithCte: _with_cte,
        o.WithColumns: _with_columns,
    },
)


def _query(node: Node) -> QueryOperation:
    assert isinstance(node, QueryOperation)
    return node


def _reads_tables(function: UserFunction) -> bool:
    """Whether the body names a relation, or cannot be read."""
    if function.source.body is None:
        return False
    try:
        return bool(read_reach(function.source.body, Part.BODY).relations)
    except ViewscribeError:
        return True


# The lineage of a stored view, from its plan or else from its SQL text.


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
