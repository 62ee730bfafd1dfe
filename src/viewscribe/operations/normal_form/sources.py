"""Where rows come from."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.operations.normal_form.rows import RowReader, Rows


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
