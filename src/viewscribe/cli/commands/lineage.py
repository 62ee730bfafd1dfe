"""``viewscribe lineage``: what a column is made of, and what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from viewscribe.catalog_store import DEFAULT_CATALOG, ObjectNotFoundError
from viewscribe.cli.catalogs import catalog_and_name, open_manager
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import OBJECT
from viewscribe.cli.output.pages import Block, Code, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.progress import Terminal, Watched, can_write
from viewscribe.cli.sql_files import note_changes
from viewscribe.errors import did_you_mean
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, Column, Unreadable
    from viewscribe.catalog_store.lineage import ColumnId, LineageGraph, Trace


@command("lineage")
@click.argument("arguments", nargs=-1, type=OBJECT, metavar="[CATALOG] NAME[.COLUMN]")
@click.option("--upstream", "direction", flag_value="upstream", help="What it comes from.")
@click.option("--downstream", "direction", flag_value="downstream", help="What depends on it.")
@click.option("--depth", type=click.IntRange(min=1), help="How many views far; all by default.")
@click.option("--mermaid", "drawing", flag_value="mermaid", help="As a Mermaid flowchart.")
@click.option(
    "--openlineage", "drawing", flag_value="openlineage", help="As OpenLineage job events (JSON)."
)
def lineage(
    terminal: Terminal,
    arguments: Sequence[str],
    direction: str | None,
    depth: int | None,
    drawing: str | None,
) -> int:
    """Follow a column, or all columns of a view or table, across the views of CATALOG.

    Upstream, which is the default, shows what the values are made of and what decides which rows
    there are; downstream shows what would change with it.
    """
    place, name = catalog_and_name(arguments)
    catalogs = open_manager(place)
    catalog = catalogs.catalog()
    upstream = direction != "downstream"
    above = _load_above(catalogs, name) if upstream and drawing != "openlineage" else None
    graph, unreadable = above or _load(terminal, catalogs)
    start = _start(catalogs, graph, name)
    trace = (graph.upstream if upstream else graph.downstream)(*start, depth=depth)
    _note_changes(terminal, graph, trace)
    if drawing == "openlineage":
        _show_events(terminal, graph, trace, catalog.url)
        return DONE
    from viewscribe.catalog_store.lineage.drawings import ASCII, LINES, mermaid, trace_data, tree

    data = {"catalog": catalog.url, "direction": direction or "upstream", **trace_data(trace)}
    missing = unreadable if not upstream else _list_passed(trace, unreadable)
    data["unreadable"] = [
        {"object": str(each.id), "message": each.error.message} for each in missing
    ]
    if drawing == "mermaid":
        blocks: list[Block] = [Code(mermaid(trace, spell=_spelled_table), "mermaid")]
    else:
        marks = LINES if can_write("".join(LINES)) else ASCII
        drawn = tree(trace, upstream=upstream, spell=_spell, marks=marks).rstrip("\n")
        told = [
            Paragraph(f"{each.id}: not followed: {each.error.message}", "warning")
            for each in missing
        ]
        blocks = [Code(drawn, "text"), *told, *_notes(trace)]
    terminal.output.show(Page(data, blocks))
    return DONE


def _load_above(
    catalogs: CatalogManager, name: str
) -> tuple[LineageGraph, list[Unreadable]] | None:
    """The lineage above a view, without reading the rest of the catalog; None for no view."""
    from viewscribe.catalog_store.lineage import LineageGraph

    parts = parse_name(name)
    for path in (_path(catalogs, parts), _path(catalogs, parts[:-1])):
        if path is not None and catalogs.kind_of(path) is not None:
            unreadable: list[Unreadable] = []
            return LineageGraph.load_above(catalogs, path, unreadable), unreadable
    return None


def _load(terminal: Terminal, catalogs: CatalogManager) -> tuple[LineageGraph, list[Unreadable]]:
    """The lineage of the current catalog, and the documents that are missing from it."""
    from viewscribe.catalog_store.lineage import LineageGraph

    name = catalogs.current_catalog
    home = catalogs.catalog()
    with terminal.progress("Reading") as progress:
        watched = Watched(home, progress)
        catalogs.register(name, watched.as_catalog, replace=True)
        graph = LineageGraph.load(catalogs, name)
    catalogs.register(name, home, replace=True)
    return graph, watched.unreadable


def _note_changes(terminal: Terminal, graph: LineageGraph, trace: Trace) -> None:
    """Warns of the views of the trace whose lineage is that of another time."""
    paths = dict.fromkeys(each.path for each in trace.start)
    paths.update((each.path, None) for edge in trace.edges for each in (edge.source, edge.target))

    def columns_of(path: tuple[str, ...]) -> Sequence[Column] | None:
        document = graph.document(path)
        return None if document is None else document.columns

    note_changes(terminal, map(graph.document, paths), columns_of)


def _list_passed(trace: Trace, unreadable: Sequence[Unreadable]) -> list[Unreadable]:
    """Those at which a trace ends; downstream any may be a reader, so all of them count."""
    paths = {tuple(map(str.casefold, edge.source.path[1:])) for edge in trace.edges}
    paths |= {tuple(map(str.casefold, each.path[1:])) for each in trace.start}
    return [
        each
        for each in unreadable
        if (each.id.database.casefold(), each.id.name.casefold()) in paths
    ]


def _start(catalogs: CatalogManager, graph: LineageGraph, name: str) -> tuple[ColumnId, ...]:
    """The columns a name means: of a view or table, or a single one of its columns."""
    parts = parse_name(name)
    whole, owner = _path(catalogs, parts), _path(catalogs, parts[:-1])
    if whole is not None and graph.document(whole) is not None:
        return graph.find(whole)
    if owner is not None and graph.document(owner) is not None:
        return graph.find(owner, parts[-1])
    known = {_spell(each): None for path in graph.paths() for each in graph.find(path)}
    known.update({_spelled_table(path): None for path in graph.paths()})
    raise ObjectNotFoundError(
        f"no view, table or column `{name}`",
        hint=did_you_mean(name, known) or "write database.view or database.view.column",
    )


def _path(catalogs: CatalogManager, parts: Sequence[str]) -> tuple[str, ...] | None:
    """The full name of one to three parts; None where they cannot be one."""
    known = {each.casefold() for each in catalogs.catalogs()}
    if not 1 <= len(parts) <= 3 or (len(parts) == 3 and parts[0].casefold() not in known):
        return None
    return tuple(catalogs.resolve(parts))


def _show_events(terminal: Terminal, graph: LineageGraph, trace: Trace, url: str) -> None:
    from viewscribe.catalog_store.lineage.openlineage import job_events

    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    paths = dict.fromkeys(each.path for each in trace.start)
    paths.update(dict.fromkeys(edge.target.path for edge in trace.edges))
    data: Any = job_events(graph, paths, namespace=url, at=at)
    from viewscribe.cli.output.as_json import JsonOutput

    JsonOutput().show(Page(data, []))


def _notes(trace: Trace) -> list[Block]:
    """What the tree cannot show: lineage that is not complete."""
    notes: list[Block] = []
    for path, reasons in trace.unknown.items():
        text = f"{_spelled_table(path)}: not complete: {'; '.join(reasons)}"
        notes.append(Paragraph(text, "warning"))
    tables = {each.path for edge in trace.edges for each in (edge.source, edge.target)}
    tables -= {each.path for each in trace.start}
    if not tables:
        return [*notes, Paragraph("Nothing else: no lineage in this direction.")]
    columns = len(trace.columns())
    found = f"{describe_count(columns, 'column')} of {describe_count(len(tables), 'view or table')}"
    return [*notes, Paragraph(f"{found.replace('view or tables', 'views and tables')}.")]


def _spell(column: ColumnId) -> str:
    table = _spelled_table(column.path)
    return f"rows of {table}" if column.column is None else f"{table}.{quote_name([column.column])}"


def _spelled_table(path: tuple[str, ...]) -> str:
    """Without the catalog, which is one alone."""
    return quote_name(path[1:] if path[0] == DEFAULT_CATALOG else path)
