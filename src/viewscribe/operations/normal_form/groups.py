"""Rows in groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.functions.registry import built_in
from viewscribe.operations import nodes as n
from viewscribe.operations.kinds import Grouping
from viewscribe.operations.normal_form.row_generators import with_time_windows
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term, Terms


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
