"""The normal form of rows: what rules make of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import Node, find, holds, is_query, postorder
from viewscribe.expressions.nodes import AggregateCall, Literal, Over
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.operations.normal_form.values import Constants, Values
from viewscribe.operations.unique_keys import is_sorted
from viewscribe.types import Field
from viewscribe.types.nested_types import deeply_nullable

# Where rows stand: the parts of a tree of which something reads the order or the partitions.
#
# There the steps are taken as they are written: another order of the inputs of a join, of its
# conditions or of the keys of groups, or a hint, puts the rows elsewhere.


def placed_parts(tree: QueryOperation) -> frozenset[int]:
    """The ids of the operations below what draws, numbers, samples, or takes the first rows."""
    return _below(tree, _reads_places)


def tied_parts(tree: QueryOperation) -> frozenset[int]:
    """The ids of the operations below what takes rows of one key in the order they stand in.

    No order of such rows is promised, and each is as good; only who asks for another division of
    the rows, by a hint, asks for another of them.
    """
    return _below(tree, _breaks_ties)


def _below(tree: QueryOperation, reads: Callable[[QueryOperation], bool]) -> frozenset[int]:
    found: set[int] = set()
    pending: list[Node] = [
        child
        for node in postorder(tree)
        if isinstance(node, QueryOperation) and reads(node)
        for child in node.children()
    ]
    while pending:
        node = pending.pop()
        if id(node) not in found:
            found.add(id(node))
            pending += node.children()
    return frozenset(found)


def _reads_places(node: QueryOperation) -> bool:
    if isinstance(node, n.Sample | n.Process):
        return True
    if isinstance(node, n.Limit | n.Offset):
        return not is_sorted(node)
    return any(
        not is_deterministic(each) or picks_any_row(each)
        for each in node.children()
        if not each.is_query
    )


def _breaks_ties(node: QueryOperation) -> bool:
    if isinstance(node, n.Limit | n.Offset):
        return True
    return any(
        _has_ties(found)
        for each in node.children()
        if not each.is_query
        for found in find(each, AggregateCall, Over, skip=is_query)
    )


def _has_ties(node: Node) -> bool:
    """Whether a value depends on the order of rows whose keys are equal."""
    if isinstance(node, Over):
        by_rows = node.frame is not None and node.frame.unit == "ROWS"
        return by_rows or node.call.function.built_in_name not in _SAME_FOR_PEERS
    assert isinstance(node, AggregateCall)
    return bool(node.order_by) or node.function.built_in_name in _BY_ANOTHER


_SAME_FOR_PEERS = frozenset(
    (
        *("rank", "dense_rank", "percent_rank", "cume_dist", "count", "min", "max", "count_if"),
        *("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"),
    )
)
"""What gives one value for all rows of one key, over a frame that is no number of rows."""
_BY_ANOTHER = frozenset(
    ("max_by", "min_by", "approx_percentile", "percentile_approx", "mode", "listagg", "string_agg")
)


def picks_any_row(expression: Node) -> bool:
    """Whether an aggregate in it depends on an order of rows that it does not name."""
    return any(
        call.function.picks_any_row and not call.order_by
        for call in find(expression, AggregateCall, skip=is_query)
    )


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
        conditions = self.terms.make("{}", None, self.terms.conditions(self.conditions))
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
    def settled(self) -> Rows:
        """The same rows, whose order is part of them from here on."""
        if not self.order:
            return self
        return Rows(self.terms, (self.sorted_core,), frozenset(), self.columns)

    @property
    def result(self) -> Term:
        """Rows and columns, as a query gives them."""
        return self.terms.make("#result", None, [self.sorted_core, *self.columns])


Rules = Mapping[type[Any], Callable[["RowReader", Any], Rows]]
"""By the kind of an operation: the rows it gives."""


class RowReader:
    """Reads a tree, inputs first; a part that is there twice is read once."""

    def __init__(self, terms: Terms, rules: Rules, constants: Constants | None) -> None:
        self.terms = terms
        self.rules = rules
        self.rows: dict[int, Rows] = {}
        self.values = Values(terms, self.rows, constants)
        self.placed: frozenset[int] = frozenset()
        self.tied: frozenset[int] = frozenset()

    def read(self, tree: QueryOperation) -> Rows:
        """The rows of a tree."""
        self.placed, self.tied = placed_parts(tree), tied_parts(tree)
        for node in postorder(tree):
            if node.is_query:
                assert isinstance(node, QueryOperation)
                self.values.as_written = self.is_placed(node)
                rows = self.rules[type(node)](self, node)
                empty = self.is_empty(rows)
                self.rows[id(node)] = self.empty(node.schema.fields) if empty else rows
        return self.rows[id(tree)]

    def is_placed(self, node: Node) -> bool:
        """Whether something above reads the order or the partitions of the node's rows."""
        return id(node) in self.placed

    def listed(self, node: Node, terms: Sequence[Term]) -> Term:
        """Keys or conditions, by which rows are divided: in their order where that is read."""
        return self.terms.make("()" if self.is_placed(node) else "{}", None, terms)

    def of(self, node: Node) -> Rows:
        """The rows of an input."""
        return self.rows[id(node)]

    def made(self, kind: str, data: object, below: Sequence[Term], columns: Sequence[Term]) -> Rows:
        """Rows of one input, which is this term."""
        return Rows(self.terms, (self.terms.make(kind, data, below),), frozenset(), columns)

    def source(self, kind: str, data: object, below: Sequence[Term], width: int) -> Rows:
        """Rows that nothing is known of but where they come from."""
        return self.made(kind, data, below, self.numbered(width))

    def is_empty(self, rows: Rows) -> bool:
        """Whether it is certain that there are no rows."""
        nothing = any(self.terms.kind(each) == "#empty" for each in rows.inputs)
        return nothing or any(self.is_literal(each, False) for each in rows.conditions)

    def empty(self, fields: Sequence[Field]) -> Rows:
        """No rows. Of the columns the types are left, which others are cast to beside them."""
        columns = [self.terms.make("@nothing", deeply_nullable(each.type)) for each in fields]
        return self.made("#empty", None, (), columns)

    def numbered(self, width: int) -> list[Term]:
        """Columns that are known by their places."""
        return [self.terms.make("@column", at) for at in range(width)]

    def wrapped(self, columns: Sequence[Term], kind: str, data: object = None) -> list[Term]:
        """Columns as rows that hold theirs have them."""
        return self.terms.lifted(columns, lambda term: self.terms.make(kind, data, [term]))

    def whole(
        self,
        columns: Sequence[Term],
        lifted: Sequence[Term],
        kind: str,
        around: Sequence[Term] = (),
    ) -> list[Term]:
        """Columns of a side that may have no row: what is computed of them is NULL there, too.

        Args:
            columns: as the side has them.
            lifted: as the join has them where there is a row.
            kind: of which side they are.
            around: the columns around the side, where it sees these.
        """
        terms = self.terms
        inside = terms.placed(columns, around) if around else columns
        return [
            term if terms.is_column(own) else terms.make(kind, "whole", [own])
            for own, term in zip(inside, lifted, strict=True)
        ]

    def conjuncts(self, condition: Term) -> list[Term]:
        """The parts of ``a AND b`` in their order, without TRUE."""
        parts = self.terms.conjuncts(condition)
        return [each for each in parts if not self.is_literal(each, True)]

    def is_literal(self, term: Term, value: bool) -> bool:
        """Whether a term is TRUE, or FALSE."""
        literal = self.terms.data(term)
        return isinstance(literal, Literal) and literal.value is value


# Each row several times: generators, time windows, UNPIVOT, operators of users.


def read_generate(run: RowReader, node: n.Generate) -> Rows:
    """Rows beside what a generator makes of each; one that draws does so for the rows it has."""
    rows, width = run.of(node.child), len(node.names)
    return _multiply(run, rows, "#generated", node.outer, node.call, width)


def read_time_window(run: RowReader, node: n.TimeWindow) -> Rows:
    """Rows beside the time windows that they are in."""
    return _multiply(run, run.of(node.child), "#windowed", None, node.call, 1)


def _multiply(run: RowReader, rows: Rows, kind: str, data: Any, call: e.Call, width: int) -> Rows:
    (term,) = run.values.read([call], rows.columns, rows.core)
    below = rows.unfiltered if is_deterministic(call) else rows.core
    more = [run.terms.make("@made", at) for at in range(width)]
    core = run.terms.make(kind, data, [below, term])
    return _with_more(run, rows, core, rows.columns, more)


def _with_more(
    run: RowReader, rows: Rows, core: Term, kept: Sequence[Term], more: Sequence[Term]
) -> Rows:
    """Each row several times beside columns of its own; conditions hold of all or none of them."""
    found = rows.conditions if run.terms.below(core)[0] != rows.core else ()
    conditions = frozenset(run.wrapped([*found], "@beside"))
    columns = [*run.wrapped(kept, "@beside"), *more]
    order = tuple(run.wrapped(rows.order, "@beside"))
    return Rows(run.terms, (core,), conditions, columns, order)


def read_unpivot(run: RowReader, node: n.Unpivot) -> Rows:
    """Rows beside each of the columns that are turned. Assumes that conditions hold of all."""
    rows, turned = run.of(node.child), [column.index for column in node.columns]
    parts = [rows.columns[each] for each in turned]
    shape = (node.labels, node.include_nulls)
    core = run.terms.make("#unpivoted", shape, [rows.unfiltered, *parts])
    kept = [each for at, each in enumerate(rows.columns) if at not in turned]
    return _with_more(run, rows, core, kept, [run.terms.make("@made", at) for at in range(2)])


def read_process(run: RowReader, node: n.Process) -> Rows:
    """What the operator of a user makes of rows: nothing is known of it."""
    rows = run.of(node.child)
    shape = (
        *(node.function, node.tables, node.partition_by, node.arguments, node.on_time),
        *(node.by_row, node.uid, len(node.keys), len(node.order)),
    )
    below = run.values.read([*node.keys, *node.order, *node.args], rows.columns)
    return run.source("#processed", shape, [rows.result, *below], len(node.fields))


def with_time_windows(
    run: RowReader, rows: Rows, expressions: Sequence[e.ResolvedExpression]
) -> tuple[Rows, Callable[[list[Term]], list[Term]]]:
    """The rows beside the time windows that expressions call for, and how to have these instead.

    ``GROUP BY window(at, '5 minutes')`` is a step of its own to Spark.
    """
    terms = run.terms
    columns: dict[Term, Term] = {}
    for call in _time_windows(expressions):
        (term,) = run.values.read([call], rows.columns)
        if term not in columns:
            width = len(rows.columns)
            rows = _multiply(run, rows, "#windowed", None, call, 1)
            lifted = run.wrapped([*columns, *columns.values(), term], "@beside")
            columns = dict(zip(lifted[: len(columns)], lifted[len(columns) : -1], strict=True))
            columns[lifted[-1]] = rows.columns[width]
            rows = Rows(terms, rows.inputs, rows.conditions, rows.columns[:width], rows.order)
    if not columns:
        return rows, lambda read: read
    return rows, lambda read: terms.rewritten(read, columns.get)


def _time_windows(expressions: Sequence[e.ResolvedExpression]) -> list[e.Call]:
    return [
        node
        for expression in expressions
        for node in postorder(expression, skip=lambda node: node.is_query)
        if isinstance(node, e.Call) and node.function.is_step
    ]


# Rows of one input: columns computed, rows chosen, sorted and counted.


def read_project(run: RowReader, node: n.Project) -> Rows:
    """Columns are what they hold: where they stand says only the result.

    Assumes that a value fails where it is read, wherever it is computed.
    """
    rows, terms = _make_terms(run, run.of(node.child), node.expressions)
    return Rows(run.terms, rows.inputs, rows.conditions, terms, rows.order)


def read_with_columns(run: RowReader, node: n.WithColumns) -> Rows:
    """Columns as in a projection, beside the others."""
    rows, terms = _make_terms(run, run.of(node.child), node.columns)
    columns = list(rows.columns)
    for place, term in zip(node.places(), terms, strict=True):
        if place < len(columns):
            columns[place] = term
        else:
            columns.append(term)
    return Rows(run.terms, rows.inputs, rows.conditions, columns, rows.order)


def _make_terms(
    run: RowReader, rows: Rows, expressions: Sequence[e.ResolvedExpression]
) -> tuple[Rows, list[Term]]:
    """The terms of expressions, and the rows beside which they stand.

    What is drawn by chance is drawn once, and is part of the rows from there on.
    """
    rows, whole = with_time_windows(run, rows, expressions)
    if len(rows.inputs) > 1 and any(holds(each, e.Over) for each in expressions):
        rows = Rows(run.terms, (rows.core,), frozenset(), rows.columns, rows.order)
    core = rows.sorted_core  # what a window collects comes in the order of the rows
    found = []
    for expression in expressions:
        (term,) = whole(run.values.read([expression], rows.columns, core))
        if not is_deterministic(expression):
            drawn = run.terms.make("#drawn", None, [rows.sorted_core, term])
            rows = Rows(run.terms, (drawn,), frozenset(), rows.columns, rows.order)
            term = run.terms.make("@drawn", None, [drawn])
        found.append(term)
    return rows, found


def read_filter(run: RowReader, node: n.Filter) -> Rows:
    """A set of conditions, which takes those of the steps below along.

    Assumes that those which may fail or draw are asked where those before them hold, and that Spark
    moves the columns below whole to where they are read.
    """
    rows = run.of(node.child)
    (condition,) = run.values.read([node.condition], rows.columns, rows.sorted_core)
    if not is_deterministic(node.condition):
        drawn = run.terms.make("#chosen", None, [rows.sorted_core, condition])
        return Rows(run.terms, (drawn,), frozenset(), rows.columns, rows.order)
    kept = run.terms.with_conditions(rows.conditions, run.conjuncts(condition))
    return Rows(run.terms, rows.inputs, kept, rows.columns, rows.order)


def read_sort(run: RowReader, node: n.Sort) -> Rows:
    """An order, which replaces the one before and goes along until rows are put together anew.

    Assumes that nothing reads the order before; what is drawn for a key is part of the rows.
    """
    rows = run.of(node.child)
    keys = run.values.read(node.keys, rows.columns, rows.core)
    if not all(is_deterministic(each.child) for each in node.keys):
        drawn = run.terms.make("#shuffled", node.within_partitions, [rows.sorted_core, *keys])
        return Rows(run.terms, (drawn,), frozenset(), rows.columns)
    if node.within_partitions:
        keys = [run.terms.make("#within", None, keys)]
    return Rows(run.terms, rows.inputs, rows.conditions, rows.columns, tuple(keys))


def read_limit(run: RowReader, node: n.Limit) -> Rows:
    """The first rows. Assumes that those below stand alike, or in an order that both sides give."""
    return _slice(run, run.of(node.child), 0, node.count)


def read_offset(run: RowReader, node: n.Offset) -> Rows:
    """All but the first rows."""
    return _slice(run, run.of(node.child), node.count, None)


def _slice(run: RowReader, rows: Rows, first: int, most: int | None) -> Rows:
    """Some of the rows: those from ``first`` on, no more than ``most`` of them."""
    terms, core, order = run.terms, rows.core, rows.order
    start: int = 0
    stop: int | None = None
    if terms.kind(core) == "#slice" and terms.below(core)[1:] == order:
        start, stop = terms.data(core)  # type: ignore[misc]
        core = terms.below(core)[0]
    start += first
    if most is not None:
        stop = start + most if stop is None else min(stop, start + most)
    if (start, stop) == (0, None):
        return rows
    if stop is not None and stop <= start:
        start, stop = 0, 0
    cut = terms.make("#slice", (start, stop), [core, *order])
    return Rows(terms, (cut,), frozenset(), rows.columns, order)


def read_sample(run: RowReader, node: n.Sample) -> Rows:
    """A part of the rows by chance: the same for the same seed of rows that stand alike."""
    rows = run.of(node.child)
    core = run.terms.make("#sample", (node.percent, node.seed), [rows.sorted_core])
    return Rows(run.terms, (core,), frozenset(), rows.columns, rows.order)


def read_same(run: RowReader, node: n.SubqueryAlias) -> Rows:
    """Names of tables have no part in rows: columns are known by what they hold."""
    return run.of(node.child)


def read_hint(run: RowReader, node: n.Hint) -> Rows:
    """A hint has no part in rows; but one that divides them anew leaves no order of theirs.

    Assumes that nothing above reads where the rows stand; where it does, any hint matters, and
    one that divides them where it breaks ties by that.
    """
    rows = run.of(node.child)
    divides = node.name not in n.JOIN_HINTS and (rows.order or id(node) in run.tied)
    if not run.is_placed(node) and not divides:
        return rows
    parameters = run.values.read(node.parameters, rows.columns)
    divided = run.terms.make("#divided", node.name, [rows.sorted_core, *parameters])
    return Rows(run.terms, (divided,), frozenset(), rows.columns)
