"""Two inputs one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import SetKind
from viewscribe.operations.normal_form.rows import RowReader, Rows
from viewscribe.operations.normal_form.terms import Term


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
