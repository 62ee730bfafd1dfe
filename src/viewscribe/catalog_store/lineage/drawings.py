"""A trace for people: as a tree in text, as a Mermaid flowchart, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from viewscribe.catalog_store.lineage.graph import Edge, Trace
from viewscribe.catalog_store.lineage.influence import DIRECT, ColumnId, Influence, kinds, parts

Spell = Callable[[ColumnId], str]
"""How a column is written."""


class Marks(NamedTuple):
    """The marks that a tree is drawn with."""

    branch: str
    last: str
    line: str
    again: str


_DEEPEST = 40
"""How deep a tree of HTML goes."""

LINES = Marks("├─", "└─", "│  ", "  …")
ASCII = Marks("|-", "`-", "|  ", "  ...")
"""For terminals that have no other letters."""


@cache
def words(influence: Influence) -> str:
    """The influence in words: ``aggregation, filter``."""
    return ", ".join(str(each.name).lower().replace("_", " ") for each in parts(influence))


def tree(trace: Trace, *, upstream: bool, spell: Spell = str, marks: Marks = LINES) -> str:
    """The trace as an indented tree below each column it started from.

    What is below a column is written once; where the column comes again, ``…`` says so.
    """
    below = _below(trace, upstream=upstream)
    written: set[ColumnId] = set()
    lines: list[str] = []
    for start in trace.start:
        lines.append(spell(start))
        lines += _branches(start, below, written, spell, marks)
    return "\n".join(lines) + "\n"


def _branches(
    start: ColumnId,
    below: dict[ColumnId, list[tuple[ColumnId, Influence | None]]],
    written: set[ColumnId],
    spell: Spell,
    marks: Marks,
) -> Iterator[str]:
    written.add(start)
    stack = [(each, how, "", last) for each, how, last in _mark(below.get(start, []))]
    while stack:
        column, how, indent, last = stack.pop()
        branches = below.get(column, [])
        again = column in written and bool(branches)
        label = spell(column) + (f"  {words(how)}" if how else "") + (marks.again if again else "")
        yield f"{indent}{marks.last if last else marks.branch} {label}"
        if not again:
            written.add(column)
            inner = indent + ("   " if last else marks.line)
            stack += [(each, how, inner, end) for each, how, end in _mark(branches)]


def _mark(
    branches: list[tuple[ColumnId, Influence | None]],
) -> Iterator[tuple[ColumnId, Influence | None, bool]]:
    """The branches, the last one first because the stack turns them round."""
    for place, (column, how) in enumerate(reversed(branches)):
        yield column, how, place == 0


def _below(
    trace: Trace, *, upstream: bool
) -> dict[ColumnId, list[tuple[ColumnId, Influence | None]]]:
    """For each column what is drawn below it; upstream the rows of its view are one branch."""
    found: dict[ColumnId, list[tuple[ColumnId, Influence | None]]] = {}
    for edge in trace.edges:
        near, far = (edge.target, edge.source) if upstream else (edge.source, edge.target)
        found.setdefault(near, []).append((far, edge.influence))
    if upstream:
        for column in dict.fromkeys([*trace.start, *[edge.source for edge in trace.edges]]):
            rows = ColumnId(column.path, None)
            if column.column is not None and rows in found:
                found.setdefault(column, []).append((rows, None))
    return found


def show_trace(trace: Trace) -> dict[str, str]:
    """Returns the trace for a notebook: a tree that opens and closes."""
    from viewscribe.html.notebook import Node, show
    from viewscribe.html.notebook import tree as html_tree

    upstream = all(edge.source not in trace.start for edge in trace.edges)
    below = _below(trace, upstream=upstream)

    written: set[ColumnId] = set()

    def node(column: ColumnId, how: Influence | None, depth: int) -> Node:
        label, branches = f"{column}  {words(how)}" if how else str(column), below.get(column, [])
        if branches and (column in written or depth == 0):
            return Node(f"{label}  …")
        written.add(column)
        return Node(label, [node(each, by, depth - 1) for each, by in branches])

    text = tree(trace, upstream=upstream).rstrip("\n")
    return show(text, html_tree([node(start, None, _DEEPEST) for start in trace.start]))


def mermaid(trace: Trace, *, spell: Callable[[tuple[str, ...]], str] = ".".join) -> str:
    """The trace as a Mermaid flowchart: a box a table, thick lines for values, dotted for rows."""
    ids: dict[ColumnId, str] = {}
    tables: dict[tuple[str, ...], list[ColumnId]] = {}
    for column in dict.fromkeys(
        [*trace.start, *[each for edge in trace.edges for each in (edge.source, edge.target)]]
    ):
        ids[column] = f"c{len(ids)}"
        tables.setdefault(column.path, []).append(column)
    lines = ["flowchart LR"]
    for number, (path, columns) in enumerate(tables.items()):
        lines.append(f'  subgraph t{number}["{_escape(spell(path))}"]')
        for column in columns:
            name = "(rows)" if column.column is None else column.column
            lines.append(f'    {ids[column]}["{_escape(name)}"]')
        lines.append("  end")
    lines += [f"  {_arrow(edge, ids)}" for edge in trace.edges]
    return "\n".join(lines) + "\n"


def _arrow(edge: Edge, ids: dict[ColumnId, str]) -> str:
    source, target, label = ids[edge.source], ids[edge.target], words(edge.influence)
    line = "-->" if edge.influence & DIRECT else "-.->"
    return f'{source} {line}|"{label}"| {target}'


def _escape(text: str) -> str:
    """Text for between quotes; Mermaid knows characters by number."""
    special = {'"', "#", "<", ">", "&", "`", "\\", ";"}
    return "".join(
        f"#{ord(each)};" if each in special or not each.isprintable() else each for each in text
    )


def trace_data(trace: Trace) -> dict[str, Any]:
    """The trace for programs."""
    return {
        "start": [_column(each) for each in trace.start],
        "edges": [
            {
                "source": _column(edge.source),
                "target": _column(edge.target),
                "influence": [{"type": type_, "subtype": name} for type_, name in _kinds(edge)],
            }
            for edge in trace.edges
        ],
        "unknown": [
            {"view": list(path), "reasons": list(reasons)}
            for path, reasons in trace.unknown.items()
        ],
    }


def _column(column: ColumnId) -> dict[str, Any]:
    return {"table": list(column.path), "column": column.column}


def _kinds(edge: Edge) -> list[tuple[str, str]]:
    found = list(kinds(edge.influence))
    if edge.influence & Influence.ROWS:
        found.append(("INDIRECT", "ROWS"))
    return found
