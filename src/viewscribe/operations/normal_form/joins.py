"""Two inputs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import JoinKind
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term
from viewscribe.operations.normal_form.values import call
from viewscribe.operations.schemas import using_columns


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
