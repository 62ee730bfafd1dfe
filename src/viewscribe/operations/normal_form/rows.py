"""The normal form of rows, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.properties import holds, is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Grouping, JoinKind, SetKind
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.operations.normal_form.values import Constants, Values
from viewscribe.operations.schemas import using_columns


class Rows:
    """What an operation gives: inner joins of inputs under conditions, in an order.

    Where there is one input, columns and conditions are over it; where there are more, each
    column of an input stands within ``@in`` with the input's number.
    """

    __slots__ = ("columns", "conditions", "inputs", "order", "terms")

    def __init__(
        self,
        terms: Terms,
        inputs: tuple[Term, ...],
        conditions: frozenset[Term],
        columns: Sequence[Term],
        order: tuple[Term, ...] = (),
    ) -> None:
        self.terms = terms
        self.inputs = inputs
        self.conditions = conditions
        self.columns = columns
        self.order = order

    @property
    def core(self) -> Term:
        """The rows as one term, in whatever order."""
        if len(self.inputs) == 1 and not self.conditions:
            return self.inputs[0]
        conditions = self.terms.make("{}", None, self.conditions)
        return self.terms.make("#joined", None, [*self.inputs, conditions])

    @property
    def unfiltered(self) -> Term:
        """The rows as one term, before the conditions."""
        return Rows(self.terms, self.inputs, frozenset(), ()).core

    @property
    def sorted_core(self) -> Term:
        """The rows as one term, in their order."""
        return (
            self.terms.make("#sorted", None, [self.core, *self.order]) if self.order else self.core
        )

    @property
    def result(self) -> Term:
        """Rows and columns, as a query gives them."""
        return self.terms.make("#result", None, [self.sorted_core, *self.columns])


class RowReader:
    """Reads a tree, inputs first; a part that is there twice is read once."""

    def __init__(self, terms: Terms, constants: Constants | None) -> None:
        self.terms = terms
        self.rows: dict[int, Rows] = {}
        self.values = Values(terms, self.rows, constants)

    def read(self, tree: QueryOperation) -> Rows:
        """The rows of a tree."""
        for node in postorder(tree):
            if node.is_query:
                self.rows[id(node)] = RULES[type(node)](self, node)
        return self.rows[id(tree)]

    def of(self, node: Node) -> Rows:
        """The rows of an input."""
        return self.rows[id(node)]

    def made(self, kind: str, data: Any, below: Sequence[Term], columns: Sequence[Term]) -> Rows:
        """Rows of one input, which is this term."""
        return Rows(self.terms, (self.terms.make(kind, data, below),), frozenset(), columns)

    def source(self, kind: str, data: Any, below: Sequence[Term], width: int) -> Rows:
        """Rows that nothing is known of but where they come from."""
        return self.made(kind, data, below, self.numbered(width))

    def numbered(self, width: int) -> list[Term]:
        """Columns that are known by their places."""
        return [self.terms.make("@column", at) for at in range(width)]

    def wrapped(self, columns: Sequence[Term], kind: str, data: Any = None) -> list[Term]:
        """Columns as rows that hold theirs have them."""
        return self.terms.lifted(columns, lambda term: self.terms.make(kind, data, [term]))

    def conjuncts(self, condition: Term) -> frozenset[Term]:
        """The parts of ``a AND b``, without TRUE."""
        terms = self.terms
        parts = terms.below(condition) if terms.kind(condition) == "and" else (condition,)
        return frozenset(each for each in parts if not self.is_literal(each, "True"))

    def is_literal(self, term: Term, value: str) -> bool:
        """Whether a term is a constant of this value."""
        data = self.terms.data(term)
        return self.terms.kind(term) == "literal" and isinstance(data, tuple) and data[0] == value


# -- where rows come from --------------------------------------------------------------------------


def _table(run: RowReader, node: n.CatalogSource) -> Rows:
    path = tuple(part.lower() for part in node.path)
    return run.source("#table", (path, node.as_of), (), len(node.schema))


def _values(run: RowReader, node: n.Values) -> Rows:
    cells = run.values.read(node.values, ())
    return run.source("#values", len(node.fields), cells, len(node.fields))


def _one_row(run: RowReader, node: n.OneRow) -> Rows:
    return Rows(run.terms, (), frozenset(), ())


def _table_function(run: RowReader, node: n.TableFunction) -> Rows:
    args = run.values.read(node.args, ())
    return run.source("#function", node.function, args, len(node.schema))


def _text(run: RowReader, node: n.SqlText) -> Rows:
    return run.source("#text", node.text, (), len(node.schema))


def _recursion(run: RowReader, node: n.Recursion) -> Rows:
    parts = [run.of(node.anchor).result, run.of(node.step).result]
    return run.source("#recursion", node.max_level, parts, len(node.schema))


def _round_before(run: RowReader, node: n.RecursionReference) -> Rows:
    return run.source("#round", node.name.lower(), (), len(node.schema))


# -- one input -------------------------------------------------------------------------------------


def _project(run: RowReader, node: n.Project) -> Rows:
    rows, terms = _computed(run, run.of(node.child), node.expressions)
    return Rows(run.terms, rows.inputs, rows.conditions, terms, rows.order)


def _with_columns(run: RowReader, node: n.WithColumns) -> Rows:
    rows, terms = _computed(run, run.of(node.child), node.columns)
    columns = list(rows.columns)
    for place, term in zip(node.places(), terms, strict=True):
        if place < len(columns):
            columns[place] = term
        else:
            columns.append(term)
    return Rows(run.terms, rows.inputs, rows.conditions, columns, rows.order)


def _computed(
    run: RowReader, rows: Rows, expressions: Sequence[e.ResolvedExpression]
) -> tuple[Rows, list[Term]]:
    """The terms of expressions, and the rows beside which they stand.

    What is drawn by chance is drawn once, and is part of the rows from there on.
    """
    core = rows.core if any(holds(each, e.Over) for each in expressions) else None
    if core is not None:
        rows = Rows(run.terms, (core,), frozenset(), rows.columns, rows.order)
    found = []
    for expression in expressions:
        (term,) = run.values.read([expression], rows.columns, core)
        if not is_deterministic(expression):
            drawn = run.terms.make("#drawn", None, [rows.core, term])
            rows = Rows(run.terms, (drawn,), frozenset(), rows.columns, rows.order)
            term = run.terms.make("@drawn", None, [drawn])
        found.append(term)
    return rows, found


def _filter(run: RowReader, node: n.Filter) -> Rows:
    rows = run.of(node.child)
    (condition,) = run.values.read([node.condition], rows.columns, rows.core)
    if not is_deterministic(node.condition):
        drawn = run.terms.make("#chosen", None, [rows.core, condition])
        return Rows(run.terms, (drawn,), frozenset(), rows.columns, rows.order)
    kept = rows.conditions | run.conjuncts(condition)
    return Rows(run.terms, rows.inputs, kept, rows.columns, rows.order)


def _distinct(run: RowReader, node: n.Distinct) -> Rows:
    rows = run.of(node.child)
    if _are_different(run.terms, rows):
        return Rows(run.terms, rows.inputs, rows.conditions, rows.columns)
    keys = run.terms.make("{}", None, rows.columns)
    columns = [run.terms.make("@group", None, [each]) for each in rows.columns]
    return run.made("#grouped", None, [rows.core, keys], columns)


def _are_different(terms: Terms, rows: Rows) -> bool:
    """Whether no two rows are the same: all the keys of groups are among the columns."""
    if len(rows.inputs) != 1 or terms.kind(rows.inputs[0]) != "#grouped":
        return False
    if terms.data(rows.inputs[0]) is not None:
        return False
    keys = terms.below(terms.below(rows.inputs[0])[1])
    return {terms.make("@group", None, [key]) for key in keys} <= set(rows.columns)


def _sort(run: RowReader, node: n.Sort) -> Rows:
    rows = run.of(node.child)
    keys = run.values.read(node.keys, rows.columns, rows.core)
    if node.within_partitions:
        core = run.terms.make("#sorted_within", None, [rows.core, *keys])
        return Rows(run.terms, (core,), frozenset(), rows.columns)
    return Rows(run.terms, rows.inputs, rows.conditions, rows.columns, tuple(keys))


def _limit(run: RowReader, node: n.Limit) -> Rows:
    return _slice(run, run.of(node.child), 0, node.count)


def _offset(run: RowReader, node: n.Offset) -> Rows:
    return _slice(run, run.of(node.child), node.count, None)


def _slice(run: RowReader, rows: Rows, first: int, most: int | None) -> Rows:
    """Some of the rows: those from ``first`` on, no more than ``most`` of them."""
    terms, core, order = run.terms, rows.core, rows.order
    start, stop = 0, None
    if terms.kind(core) == "#slice" and terms.below(core)[1:] == order:
        start, stop = terms.data(core)  # type: ignore[misc]
        core = terms.below(core)[0]
    start += first
    if most is not None:
        stop = start + most if stop is None else min(stop, start + most)
    cut = terms.make("#slice", (start, stop), [core, *order])
    return Rows(terms, (cut,), frozenset(), rows.columns, order)


def _sample(run: RowReader, node: n.Sample) -> Rows:
    rows = run.of(node.child)
    core = run.terms.make("#sample", (node.percent, node.seed), [rows.sorted_core])
    return Rows(run.terms, (core,), frozenset(), rows.columns, rows.order)


def _same(run: RowReader, node: n.SubqueryAlias | n.Hint) -> Rows:
    return run.of(node.child)


# -- groups ----------------------------------------------------------------------------------------


def _aggregate(run: RowReader, node: n.Aggregate) -> Rows:
    rows, terms = run.of(node.child), run.terms
    keys = run.values.read(node.keys, rows.columns, rows.core)
    if node.grouping is Grouping.SIMPLE:
        shape, parts = None, [terms.make("{}", None, keys)]
    else:  # which keys a row is of is told by their places
        shape, parts = (node.grouping, node.sets), keys
    core = terms.make("#grouped", shape, [rows.core, *parts])
    known = set(keys)

    def grouped(term: Term) -> Term | None:
        if term in known or terms.kind(term) == "aggregate" or terms.is_column(term):
            return terms.make("@group", None, [term])
        return None

    read = run.values.read(node.aggregates, rows.columns, rows.core)
    columns = terms.rewritten([*keys, *read], grouped)
    return Rows(terms, (core,), frozenset(), columns)


def _pivot(run: RowReader, node: n.Pivot) -> Rows:
    rows, terms = run.of(node.child), run.terms
    keys = run.values.read(node.keys, rows.columns)
    (column,) = run.values.read([node.column], rows.columns)
    cells = run.values.read([*node.values, *node.aggregates], rows.columns)
    values, aggregates = cells[: len(node.values)], cells[len(node.values) :]
    columns = [terms.make("@group", None, [each]) for each in keys]
    columns += [
        terms.make("@pivoted", None, [column, value, aggregate])
        for value in values
        for aggregate in aggregates
    ]
    core = terms.make("#grouped", None, [rows.core, terms.make("{}", None, keys)])
    return Rows(terms, (core,), frozenset(), columns)


# -- more rows -------------------------------------------------------------------------------------


def _generate(run: RowReader, node: n.Generate) -> Rows:
    rows, width = run.of(node.child), len(node.names)
    return _multiplied(run, rows, "#generated", node.outer, node.call, width)


def _time_window(run: RowReader, node: n.TimeWindow) -> Rows:
    return _multiplied(run, run.of(node.child), "#windowed", None, node.call, 1)


def _multiplied(run: RowReader, rows: Rows, kind: str, data: Any, call: e.Call, width: int) -> Rows:
    (term,) = run.values.read([call], rows.columns, rows.core)
    below = rows.unfiltered if is_deterministic(call) else rows.core
    more = [run.terms.make("@made", at) for at in range(width)]
    return _with_more(run, rows, run.terms.make(kind, data, [below, term]), rows.columns, more)


def _with_more(
    run: RowReader, rows: Rows, core: Term, kept: Sequence[Term], more: Sequence[Term]
) -> Rows:
    """Each row several times beside columns of its own; conditions hold of all or none of them."""
    found = rows.conditions if run.terms.below(core)[0] != rows.core else ()
    conditions = frozenset(run.wrapped([*found], "@beside"))
    columns = [*run.wrapped(kept, "@beside"), *more]
    order = tuple(run.wrapped(rows.order, "@beside"))
    return Rows(run.terms, (core,), conditions, columns, order)


def _unpivot(run: RowReader, node: n.Unpivot) -> Rows:
    rows, turned = run.of(node.child), [column.index for column in node.columns]
    parts = [rows.columns[each] for each in turned]
    shape = (node.labels, node.include_nulls)
    core = run.terms.make("#unpivoted", shape, [rows.unfiltered, *parts])
    kept = [each for at, each in enumerate(rows.columns) if at not in turned]
    return _with_more(run, rows, core, kept, [run.terms.make("@made", at) for at in range(2)])


def _process(run: RowReader, node: n.Process) -> Rows:
    rows = run.of(node.child)
    shape = (
        *(node.function, node.tables, node.partition_by, node.arguments, node.on_time),
        *(node.by_row, node.uid, len(node.keys), len(node.order)),
    )
    below = run.values.read([*node.keys, *node.order, *node.args], rows.columns)
    return run.source("#processed", shape, [rows.result, *below], len(node.fields))


# -- several inputs --------------------------------------------------------------------------------


def _join(run: RowReader, node: n.Join) -> Rows:
    left, right = run.of(node.left), run.of(node.right)
    inner = node.kind in (JoinKind.INNER, JoinKind.CROSS)
    if inner and (node.condition is None or is_deterministic(node.condition)):
        left, right = _numbered(run, left, 0), _numbered(run, right, len(left.inputs))
        inputs, kept = (*left.inputs, *right.inputs), left.conditions | right.conditions
        both = [*left.columns, *right.columns]
        kept |= _conditions(run, node, both, None)
        return Rows(run.terms, inputs, kept, _shared(run, node, both))
    return _beside(run, node, left, right)


def _beside(run: RowReader, node: n.Join, left: Rows, right: Rows) -> Rows:
    """A join that keeps rows without a match, or that only asks for one.

    Conditions of the side of which every row is kept hold of the result as well; those of the
    other side are conditions of a match.
    """
    terms, kind = run.terms, node.kind
    sides = run.wrapped(left.columns, "@left"), run.wrapped(right.columns, "@right")
    both = [*sides[0], *sides[1]]
    matching = _conditions(run, node, both, None)
    ours = frozenset(run.wrapped([*left.conditions], "@left"))
    theirs = frozenset(run.wrapped([*right.conditions], "@right"))
    kept: frozenset[Term] = frozenset()
    if kind is JoinKind.FULL or (node.condition and not is_deterministic(node.condition)):
        cores = left.core, right.core
    else:
        cores = left.unfiltered, right.unfiltered
        kept, more = (theirs, ours) if kind is JoinKind.RIGHT else (ours, theirs)
        matching |= more
    core = terms.make("#beside", kind, [*cores, terms.make("{}", None, matching)])
    if kind.keeps_right:
        return Rows(terms, (core,), kept, _shared(run, node, both))
    order = using_columns(node.left.schema, node.right.schema, kind, node.using)
    columns = [sides[0][place] for place, _ in order] if node.using else sides[0]
    return Rows(terms, (core,), kept, columns, tuple(run.wrapped(left.order, "@left")))


def _conditions(
    run: RowReader, node: n.Join | n.LateralJoin, both: Sequence[Term], rows: Term | None
) -> frozenset[Term]:
    if node.condition is not None:
        return run.conjuncts(run.values.read([node.condition], both, rows)[0])
    if isinstance(node, n.LateralJoin) or not node.using:
        return frozenset()
    left, right = node.left.schema, node.right.schema
    pairs = [(left.find(name), right.find(name) + len(left)) for name in node.using]
    return frozenset(run.terms.make("call", op.EQUALS, [both[a], both[b]]) for a, b in pairs)


def _shared(run: RowReader, node: n.Join, both: Sequence[Term]) -> list[Term]:
    """The columns of a join, those of USING first."""
    if not node.using:
        return list(both)
    order = using_columns(node.left.schema, node.right.schema, node.kind, node.using)
    return [
        both[place]
        if other is None
        else run.terms.make("call", built_in("coalesce"), [both[place], both[other]])
        for place, other in order
    ]


def _numbered(run: RowReader, rows: Rows, first: int) -> Rows:
    """The rows as inputs of a join of several, the first of which has this number."""
    terms, several = run.terms, len(rows.inputs) > 1
    if several and not first:
        return rows

    def wrap(term: Term) -> Term:
        if not several:
            return terms.make("@in", first, [term])
        number = terms.data(term)
        assert isinstance(number, int)
        return terms.make("@in", number + first, terms.below(term))

    conditions = frozenset(terms.lifted([*rows.conditions], wrap))
    return Rows(terms, rows.inputs, conditions, terms.lifted(rows.columns, wrap))


def _lateral_join(run: RowReader, node: n.LateralJoin) -> Rows:
    terms, left, right = run.terms, run.of(node.left), run.of(node.right)
    ours = run.wrapped(left.columns, "@left")
    (within,) = terms.placed([right.sorted_core], left.columns)
    theirs = _outwards(run, terms.placed(right.columns, ours))
    both = [*ours, *theirs]
    conditions = terms.make("{}", None, _conditions(run, node, both, None))
    kind = JoinKind.INNER if node.kind is JoinKind.CROSS else node.kind
    core = terms.make(
        "#lateral", kind, [left.core, terms.make("query", None, [within]), conditions]
    )
    return Rows(terms, (core,), frozenset(), both)


def _outwards(run: RowReader, columns: Sequence[Term]) -> list[Term]:
    """Columns of a query beside another, as the join of both has them."""
    terms = run.terms

    def moved(term: Term) -> Term | None:
        if terms.is_column(term):
            return terms.make("@lateral", None, [term])
        if terms.kind(term) == "@outer":
            level = terms.data(term)
            assert isinstance(level, int)
            (inner,) = terms.below(term)
            return inner if level == 1 else terms.make("@outer", level - 1, [inner])
        return None

    return terms.rewritten(columns, moved)


def _set_operation(run: RowReader, node: n.SetOperation) -> Rows:
    left, right = run.of(node.left), run.of(node.right)
    if node.kind is not SetKind.UNION:
        parts = [left.result, right.result]
        return run.source("#set", (node.kind, node.all), parts, len(node.schema))
    branches = [*_branches(run, left), *_branches(run, right)]
    columns = [
        run.terms.make("@either", None, cells)
        for cells in zip(*[columns for _, columns in branches], strict=True)
    ]
    rows = run.made("#union", None, [core for core, _ in branches], columns)
    if node.all:
        return rows
    keys = run.terms.make("{}", None, columns)
    grouped = [run.terms.make("@group", None, [each]) for each in columns]
    return run.made("#grouped", None, [rows.core, keys], grouped)


def _branches(run: RowReader, rows: Rows) -> list[tuple[Term, Sequence[Term]]]:
    """The rows and columns of each part of a union; other rows are one part."""
    terms = run.terms
    core = rows.sorted_core
    if terms.kind(core) != "#union" or any(terms.kind(each) != "@either" for each in rows.columns):
        return [(core, rows.columns)]
    cells = [terms.below(each) for each in rows.columns]
    return [(part, [each[at] for each in cells]) for at, part in enumerate(terms.below(core))]


RULES: dict[type[Any], Callable[[RowReader, Any], Rows]] = {
    n.CatalogSource: _table,
    n.Values: _values,
    n.OneRow: _one_row,
    n.TableFunction: _table_function,
    n.SqlText: _text,
    n.Recursion: _recursion,
    n.RecursionReference: _round_before,
    n.Project: _project,
    n.WithColumns: _with_columns,
    n.Filter: _filter,
    n.Distinct: _distinct,
    n.Sort: _sort,
    n.Limit: _limit,
    n.Offset: _offset,
    n.Sample: _sample,
    n.SubqueryAlias: _same,
    n.Hint: _same,
    n.Aggregate: _aggregate,
    n.Pivot: _pivot,
    n.Generate: _generate,
    n.TimeWindow: _time_window,
    n.Unpivot: _unpivot,
    n.Process: _process,
    n.Join: _join,
    n.LateralJoin: _lateral_join,
    n.SetOperation: _set_operation,
}
"""By the kind of an operation: the rows it gives."""
