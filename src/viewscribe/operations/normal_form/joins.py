"""Two inputs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.kinds import JoinKind
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term
from viewscribe.operations.schemas import using_columns


def read_join(run: RowReader, node: n.Join) -> Rows:
    """Inner joins are a list of inputs under one set of conditions, those of WHERE among them."""
    left, right = run.of(node.left), run.of(node.right).settled
    if node.kind.keeps_right:
        left = left.settled
    inner = node.kind in (JoinKind.INNER, JoinKind.CROSS)
    if inner and _is_certain(node):
        left, right = _number_inputs(run, left, 0), _number_inputs(run, right, len(left.inputs))
        inputs, kept = (*left.inputs, *right.inputs), left.conditions | right.conditions
        both = [*left.columns, *right.columns]
        kept |= _conditions(run, node, both, None)
        return Rows(run.terms, inputs, kept, _share_columns(run, node, both))
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
    if kind is JoinKind.FULL or not _is_certain(node):
        cores = left.core, right.core
    else:
        cores = left.unfiltered, right.unfiltered
        kept, more = (theirs, ours) if kind is JoinKind.RIGHT else (ours, theirs)
        matching |= more
    core = terms.make("#beside", kind, [*cores, terms.make("{}", None, matching)])
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


_WITHOUT_A_ROW = ((JoinKind.RIGHT, JoinKind.FULL), (JoinKind.LEFT, JoinKind.FULL))
"""The joins in which the left side, and in which the right side, may have no row."""


def _is_certain(node: n.Join) -> bool:
    return node.condition is None or is_deterministic(node.condition)


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
    ours = run.wrapped(left.columns, "@left")
    (within,) = terms.placed([right.sorted_core], left.columns)
    theirs = _outwards(run, terms.placed(right.columns, ours))
    both = [*ours, *theirs]
    conditions = terms.make("{}", None, _conditions(run, node, both, None))
    if node.kind is JoinKind.LEFT:
        both = [*ours, *run.whole(right.columns, theirs, "@lateral", left.columns)]
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
