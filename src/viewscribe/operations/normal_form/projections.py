"""Rows of one input: columns computed, rows chosen, sorted and counted."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import holds
from viewscribe.expressions.properties import (
    is_deterministic,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.normal_form.row_generators import with_time_windows
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term


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
