"""Where rows come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Grouping, JoinKind, QueryOperation, SetKind, using_columns
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.normal_form import rows
from viewscribe.operations.normal_form.rows import RowReader, Rows, with_time_windows
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.operations.normal_form.values import Constants, call, is_free

# Rows in groups.


def read_distinct(run: RowReader, node: n.Distinct) -> Rows:
    """Groups of all columns. Assumes that nothing above reads in which order they come."""
    rows = run.of(node.child)
    if not run.is_placed(node) and _are_different(run.terms, rows):
        return Rows(run.terms, rows.inputs, rows.conditions, rows.columns)
    keys = run.listed(node, rows.columns)
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


def read_aggregate(run: RowReader, node: n.Aggregate) -> Rows:
    """A column of a group is a key of it or an aggregate over its rows.

    Assumes that nothing above reads the order of groups; what an aggregate reads is theirs below.
    """
    terms = run.terms
    rows, whole = with_time_windows(run, run.of(node.child), (*node.keys, *node.aggregates))
    keys = whole(run.values.read(node.keys, rows.columns, rows.core))
    if node.grouping is not Grouping.SIMPLE:
        return _read_sets(run, node, rows, keys, whole)
    core = terms.make(  # first() sees the order
        "#grouped", None, [rows.sorted_core, run.listed(node, keys)]
    )
    known = set(keys)

    def make_group(term: Term) -> Term | None:
        if term in known or terms.kind(term) == "aggregate" or terms.is_column(term):
            return terms.make("@group", None, [term])
        return None

    read = whole(run.values.read(node.aggregates, rows.columns, rows.core))
    columns = terms.rewritten([*keys, *read], make_group)
    return Rows(terms, (core,), frozenset(), columns)


def _read_sets(
    run: RowReader,
    node: n.Aggregate,
    rows: Rows,
    keys: Sequence[Term],
    whole: Callable[[list[Term]], list[Term]],
) -> Rows:
    """Groups by several sets of keys, in which a key is NULL where it is not of the set.

    So a key is known by its place, and not by what it holds: another may hold the same. An
    expression is a key where it is written so over the columns of the input.
    """
    terms, own = run.terms, run.numbered(len(rows.columns))
    core = terms.make("#grouped", (node.grouping, node.sets), [rows.sorted_core, *keys])
    read = run.values.read([*node.keys, *node.aggregates], own, rows.core)
    written = read[: len(keys)]
    made = {
        term: terms.make("@group", at, [key])
        for at, term, key in reversed([*zip(range(len(keys)), written, keys, strict=True)])
    }

    def hold(term: Term) -> Term | None:
        if terms.kind(term) != "@column":
            return None
        place = terms.data(term)
        assert isinstance(place, int)
        return rows.columns[place]

    def make_group(term: Term) -> Term | None:
        if term in made:
            return made[term]
        if _asks_for_sets(terms, term):  # of the keys, and not of what they hold
            below = [made.get(each, each) for each in terms.below(term)]
            return terms.make("@group", None, [terms.make("call", terms.data(term), below)])
        if terms.kind(term) == "aggregate" or terms.is_column(term):
            return terms.make("@group", None, whole(terms.rewritten([term], hold)))
        return None

    return Rows(terms, (core,), frozenset(), terms.rewritten(read, make_group))


_OF_SETS = (built_in("grouping"), built_in("grouping_id"))


def _asks_for_sets(terms: Terms, term: Term) -> bool:
    data = terms.data(term)
    return terms.kind(term) == "aggregate" and isinstance(data, tuple) and data[0] in _OF_SETS


def read_pivot(run: RowReader, node: n.Pivot) -> Rows:
    """Groups with a column for each value, which is an aggregate over its rows.

    Assumes what groups by keys do.
    """
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
    core = terms.make("#grouped", None, [rows.sorted_core, run.listed(node, keys)])
    return Rows(terms, (core,), frozenset(), columns)


# Two inputs side by side.


def read_join(run: RowReader, node: n.Join) -> Rows:
    """Inner joins are a list of inputs under one set of conditions, those of WHERE among them.

    Assumes that nothing above reads where the rows stand, and that nothing is drawn.
    """
    left, right = _side(run, node.left), _side(run, node.right).settled
    if node.kind.keeps_right:
        left = left.settled
    if node.kind in _INNER and _is_certain(node) and not run.is_placed(node):
        flat = _as_inputs(run, node, left, right)
        if flat is not None:
            return flat
    return _beside(run, node, left, right)


def _side(run: RowReader, node: QueryOperation) -> Rows:
    """An input, in which it shows whether it is a join that Spark takes together with this one."""
    rows, terms = run.of(node), run.terms
    while isinstance(node, n.Filter):
        node = node.child
    if isinstance(node, n.Join):
        return rows
    inputs = tuple(
        terms.make("#projected", None, [each])
        if terms.kind(each) == "#beside" and terms.data(each) in _INNER
        else each
        for each in rows.inputs
    )
    return Rows(terms, inputs, terms.projected(rows.conditions), rows.columns, rows.order)


def _as_inputs(run: RowReader, node: n.Join, left: Rows, right: Rows) -> Rows | None:
    """The inputs of both sides in a list; None where a condition of ON belongs to its join."""
    left, right = _number_inputs(run, left, 0), _number_inputs(run, right, len(left.inputs))
    both = [*left.columns, *right.columns]
    asked = _conditions(run, node, both, None)
    if not run.terms.can_join(asked):
        return None
    inputs = (*left.inputs, *right.inputs)
    kept = run.terms.with_joined(left.conditions | right.conditions, asked)
    return Rows(run.terms, inputs, kept, _share_columns(run, node, both))


def _beside(run: RowReader, node: n.Join, left: Rows, right: Rows) -> Rows:
    """A join that keeps rows without a match, or that only asks for one.

    Conditions of the side of which every row is kept hold of the result as well; those of the
    other side are conditions of a match.
    """
    terms, kind = run.terms, node.kind
    sides = run.wrapped(left.columns, "@left"), run.wrapped(right.columns, "@right")
    both = [*sides[0], *sides[1]]
    asked = _conditions(run, node, both, None)
    matching = terms.with_conditions(frozenset(), asked)
    ours = frozenset(run.wrapped([*left.conditions], "@left"))
    theirs = frozenset(run.wrapped([*right.conditions], "@right"))
    kept: frozenset[Term] = frozenset()
    cores = left.core, right.core
    if kind not in (*_INNER, JoinKind.FULL) and _is_certain(node) and not run.is_placed(node):
        kept, more = (theirs, ours) if kind is JoinKind.RIGHT else (ours, theirs)
        moves = terms.commute([*matching, *more])
        if moves:
            matching |= terms.conditions(more)
        keeps_left = kind is not JoinKind.RIGHT
        cores = (
            left.unfiltered if moves or keeps_left else left.core,
            right.unfiltered if moves or not keeps_left else right.core,
        )
    listed = run.listed(node, asked if run.is_placed(node) else [*matching])
    core = terms.make("#beside", kind, [*cores, listed])
    if kind.keeps_right:
        ours_null, theirs_null = (kind in each for each in _WITHOUT_A_ROW)
        found = [
            *(run.whole(left.columns, sides[0], "@left") if ours_null else sides[0]),
            *(run.whole(right.columns, sides[1], "@right") if theirs_null else sides[1]),
        ]
        return Rows(terms, (core,), kept, _share_columns(run, node, found))
    order = using_columns(node.left.schema, node.right.schema, kind, node.using)
    columns = [sides[0][place] for place, _ in order] if node.using else sides[0]
    return Rows(terms, (core,), kept, columns, tuple(run.wrapped(left.order, "@left")))


_INNER = (JoinKind.INNER, JoinKind.CROSS)

_WITHOUT_A_ROW = ((JoinKind.RIGHT, JoinKind.FULL), (JoinKind.LEFT, JoinKind.FULL))
"""The joins in which the left side, and in which the right side, may have no row."""


def _is_certain(node: n.Join) -> bool:
    return node.condition is None or is_deterministic(node.condition)


def _conditions(
    run: RowReader, node: n.Join | n.LateralJoin, both: Sequence[Term], rows: Term | None
) -> Sequence[Term]:
    if node.condition is not None:
        return run.conjuncts(run.values.read([node.condition], both, rows)[0])
    if isinstance(node, n.LateralJoin) or not node.using:
        return ()
    left, right = node.left.schema, node.right.schema
    pairs = [(left.find(name), right.find(name) + len(left)) for name in node.using]
    types = [each.type for each in (*left.fields, *right.fields)]
    return [call(run.terms, op.EQUALS, [both[a], both[b]], [types[a], types[b]]) for a, b in pairs]


def _share_columns(run: RowReader, node: n.Join, both: Sequence[Term]) -> list[Term]:
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


def _number_inputs(run: RowReader, rows: Rows, first: int) -> Rows:
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


def read_lateral_join(run: RowReader, node: n.LateralJoin) -> Rows:
    """A query that sees the rows beside it, as a query within an expression does.

    Conditions of the rows beside it hold of the result as well: each row stands for itself.
    """
    terms, left, right = run.terms, run.of(node.left).settled, run.of(node.right)
    columns = left.columns
    ours = run.wrapped(columns, "@left")
    (within,) = terms.placed([right.sorted_core], columns)
    theirs = _outwards(run, terms.placed(right.columns, ours))
    both = [*ours, *theirs]
    asked = terms.with_conditions(frozenset(), _conditions(run, node, both, None))
    conditions = terms.make("{}", None, asked)
    if node.kind is JoinKind.LEFT:
        both = [*ours, *run.whole(right.columns, theirs, "@lateral", columns)]
    kind = JoinKind.INNER if node.kind is JoinKind.CROSS else node.kind
    core = terms.make(
        "#lateral", kind, [left.unfiltered, terms.make("query", None, [within]), conditions]
    )
    kept = frozenset(run.wrapped([*left.conditions], "@left"))
    return Rows(terms, (core,), kept, both)


def _outwards(run: RowReader, columns: Sequence[Term]) -> list[Term]:
    """Columns of a query beside another, as the join of both has them."""
    terms = run.terms

    def move(term: Term) -> Term | None:
        if terms.is_column(term):
            return terms.make("@lateral", None, [term])
        if terms.kind(term) == "@outer":
            level = terms.data(term)
            assert isinstance(level, int)
            (inner,) = terms.below(term)
            return inner if level == 1 else terms.make("@outer", level - 1, [inner])
        return None

    return terms.rewritten(columns, move)


# Two inputs one after the other.


def read_set_operation(run: RowReader, node: n.SetOperation) -> Rows:
    """Unions are a list of parts, and a column is what it holds in each of them.

    Parts stand in their order, which decides places; other set operations keep both whole.
    """
    left, right = run.of(node.left), run.of(node.right)
    if node.kind is not SetKind.UNION:
        parts = [left.result, right.result]
        both = enumerate(zip(left.columns, right.columns, strict=True))
        columns = [run.terms.make("@of both", at, cells) for at, cells in both]
        return run.made("#set", (node.kind, node.all), parts, columns)
    branches = [
        (core, _widened(run, columns, side, node))
        for rows, side in ((left, node.left), (right, node.right))
        for core, columns in _branches(run, rows)
    ]
    columns = [
        run.terms.make("@either", None, cells)
        for cells in zip(*[columns for _, columns in branches], strict=True)
    ]
    rows = run.made("#union", None, [core for core, _ in branches], columns)
    if node.all:
        return rows
    keys = run.listed(node, columns)
    grouped = [run.terms.make("@group", None, [each]) for each in columns]
    return run.made("#grouped", None, [rows.core, keys], grouped)


def _widened(
    run: RowReader, columns: Sequence[Term], side: QueryOperation, node: n.SetOperation
) -> Sequence[Term]:
    """The columns of a part as the union has them, which casts those of other types.

    Each union casts to a type of its own: of a DATE, a STRING and a TIMESTAMP, a text loses its
    time where it first meets the DATE.
    """
    return [
        column
        if own.type.same_type(made.type)
        else run.terms.make("widened", made.type.as_nullable(), [column])
        for column, own, made in zip(columns, side.schema.fields, node.schema.fields, strict=True)
    ]


def _branches(run: RowReader, rows: Rows) -> list[tuple[Term, Sequence[Term]]]:
    """The rows and columns of each part of a union; other rows are one part."""
    terms = run.terms
    core = rows.sorted_core
    if terms.kind(core) != "#union" or any(terms.kind(each) != "@either" for each in rows.columns):
        return [(core, rows.columns)]
    cells = [terms.below(each) for each in rows.columns]
    return [(part, [each[at] for each in cells]) for at, part in enumerate(terms.below(core))]


def read_table(run: RowReader, node: n.CatalogSource) -> Rows:
    """A table: each use of it is rows of its own."""
    path = tuple(part.lower() for part in node.path)
    return run.source("#table", (path, node.as_of), (), len(node.schema))


def read_values(run: RowReader, node: n.Values) -> Rows:
    """Rows written in a query; one row is what a SELECT without FROM computes."""
    cells = run.values.read(node.values, ())
    if not cells:
        return run.empty(node.fields)
    if len(cells) == len(node.fields):
        return Rows(run.terms, (), frozenset(), cells)
    return run.source("#values", len(node.fields), cells, len(node.fields))


def read_one_row(run: RowReader, node: n.OneRow) -> Rows:
    """One row without columns: joined with others it adds nothing."""
    return Rows(run.terms, (), frozenset(), ())


def read_table_function(run: RowReader, node: n.TableFunction) -> Rows:
    """A function that is a table, over constants."""
    args = run.values.read(node.args, ())
    return run.source("#function", node.function, args, len(node.schema))


def read_text(run: RowReader, node: n.SqlText) -> Rows:
    """SQL text that was never read: the same text is the same rows."""
    return run.source("#text", node.text, (), len(node.schema))


def read_recursion(run: RowReader, node: n.Recursion) -> Rows:
    """A recursive query, known by what it starts with and what it adds."""
    parts = [run.of(node.anchor).result, run.of(node.step).result]
    return run.source("#recursion", node.max_level, parts, len(node.schema))


def read_with_cte(run: RowReader, node: n.WithCte) -> Rows:
    """A query and the CTE that it reads, which is computed once."""
    parts = [run.of(node.definition).result, run.of(node.body).result]
    return run.source("#with", node.name.lower(), parts, len(node.schema))


def read_cte(run: RowReader, node: n.CteReference) -> Rows:
    """A CTE that is computed once, or the round before, within the query that reads it."""
    return run.source("#cte", node.name.lower(), (), len(node.schema))


# Which rule reads which operation.

RULES: HandlerTable[Callable[[RowReader, Any], Rows]] = HandlerTable(
    "the normal form",
    {
        n.CatalogSource: read_table,
        n.Values: read_values,
        n.OneRow: read_one_row,
        n.TableFunction: read_table_function,
        n.SqlText: read_text,
        n.Recursion: read_recursion,
        n.CteReference: read_cte,
        n.WithCte: read_with_cte,
        n.Project: rows.read_project,
        n.WithColumns: rows.read_with_columns,
        n.Filter: rows.read_filter,
        n.Distinct: read_distinct,
        n.Sort: rows.read_sort,
        n.Limit: rows.read_limit,
        n.Offset: rows.read_offset,
        n.Sample: rows.read_sample,
        n.SubqueryAlias: rows.read_same,
        n.Hint: rows.read_hint,
        n.Aggregate: read_aggregate,
        n.Pivot: read_pivot,
        n.Generate: rows.read_generate,
        n.TimeWindow: rows.read_time_window,
        n.Unpivot: rows.read_unpivot,
        n.Process: rows.read_process,
        n.Join: read_join,
        n.LateralJoin: read_lateral_join,
        n.SetOperation: read_set_operation,
    },
)
"""By the kind of an operation: the rows it gives."""


# Where two forms differ, in words.

_WORDS = {
    "#table": "the table it reads",
    "#values": "the rows that are written in it",
    "#text": "the SQL text in it",
    "#function": "the arguments of a table function",
    "#recursion": "the recursive query",
    "#round": "the recursive query",
    "#joined": "the tables that are joined, or the conditions of WHERE and ON",
    "#beside": "an outer, semi or anti join",
    "#lateral": "a LATERAL query",
    "#grouped": "the keys of GROUP BY or DISTINCT",
    "#sorted": "the order of the rows",
    "#slice": "LIMIT and OFFSET, or the order that they count in",
    "#sample": "the sample",
    "#drawn": "what is drawn by chance",
    "#chosen": "the rows that are chosen by chance",
    "#generated": "the rows of a generator",
    "#windowed": "a time window",
    "#unpivoted": "the columns of UNPIVOT",
    "#union": "the parts of a UNION",
    "#set": "the parts of INTERSECT or EXCEPT",
    "#processed": "a process table function",
}


def difference(terms: Terms, one: Term, other: Term) -> str:
    """What differs between the rows of two forms, which are not the same."""
    word = "what it is made of"
    while True:
        word = _WORDS.get(terms.kind(one), word)
        below, others = terms.below(one), terms.below(other)
        same_head = terms.kind(one) == terms.kind(other) and terms.data(one) == terms.data(other)
        if not same_head or len(below) != len(others) or terms.kind(one) == "{}":
            return word
        one, other = next((a, b) for a, b in zip(below, others, strict=True) if a != b)


# Forms of whole trees, to be compared.


class Form:
    """The normal form of a tree; forms of the same ``NormalForms`` can be compared.

    Args:
        rows: which rows there are, in which order.
        columns: what each column holds.
    """

    __slots__ = ("columns", "rows")

    def __init__(self, rows: Term, columns: tuple[Term, ...]) -> None:
        self.rows = rows
        self.columns = columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            return NotImplemented
        return self.rows == other.rows and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]


class NormalForms:
    """Forms that are compared with each other.

    Args:
        constants: from a literal to an expression that it is the same as, where the trees may
            write constants otherwise.
    """

    def __init__(self, constants: Constants | None = None) -> None:
        self._terms = Terms(is_free)
        self._constants = constants

    def of(self, tree: QueryOperation) -> Form:
        """The form of a tree; equal forms give the same rows, whatever columns are called."""
        rows = RowReader(self._terms, RULES, self._constants).read(tree)
        return Form(rows.sorted_core, tuple(rows.columns))

    def difference(self, one: Form, other: Form) -> str:
        """What differs between the rows of two forms, in words: ``the order of the rows``."""
        return difference(self._terms, one.rows, other.rows)
