"""Each row several times: generators, time windows, UNPIVOT, operators of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import postorder
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term


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
