"""``viewscribe list``: what a catalog holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import full_name, open_catalog
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import CATALOG
from viewscribe.cli.output.pages import Block, Cell, Grid, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count, first_line
from viewscribe.cli.progress import Terminal

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog, ObjectKind, Unreadable
    from viewscribe.catalog_store.protocol import Overview
    from viewscribe.cli.progress import Progress

_KINDS: tuple[ObjectKind, ...] = ("view", "table", "function")


@command("list")
@click.argument("catalog", required=False, type=CATALOG)
@click.option("--database", metavar="NAME", help="Only the objects of this database.")
@click.option("--kind", type=click.Choice(_KINDS), help="Only objects of this kind.")
def list_objects(
    terminal: Terminal, catalog: str | None, database: str | None, kind: ObjectKind | None
) -> int:
    """List the views, tables and functions of CATALOG."""
    home = open_catalog(catalog)
    with terminal.progress("Reading") as progress:
        entries = _entries(home, database, kind, progress)
    data = {
        "catalog": home.url,
        "counts": _counts(entries),
        "objects": [_data(each) for each in entries],
    }
    terminal.output.show(Page(data, _blocks(entries, home.url)))
    return DONE


def _entries(
    catalog: Catalog, database: str | None, kind: ObjectKind | None, progress: Progress
) -> list[Overview | Unreadable]:
    from viewscribe.catalog_store import Unreadable
    from viewscribe.catalog_store.protocol import overviews

    wanted = None if database is None else _spell(catalog, database).casefold()
    found = []
    for each in overviews(catalog):
        progress.done(str(each.id))
        if wanted not in (None, each.id.database.casefold()) or kind not in (None, each.id.kind):
            continue
        if each.id.kind != "database" or isinstance(each, Unreadable):
            found.append(each)
    return sorted(
        found,
        key=lambda each: (*(each.id.database.casefold(), each.id.name.casefold()), each.id.kind),
    )


def _spell(catalog: Catalog, database: str) -> str:
    """The database's name where there is one; its document may be damaged."""
    from viewscribe.catalog_store import DamagedDocumentError

    try:
        return catalog.get_database(database).document.name
    except DamagedDocumentError:
        return database


def _counts(entries: Sequence[Overview | Unreadable]) -> dict[str, int]:
    from viewscribe.catalog_store import Unreadable

    kinds = Counter(each.id.kind for each in entries)
    unreadable = sum(isinstance(each, Unreadable) for each in entries)
    return {**{f"{kind}s": kinds[kind] for kind in _KINDS}, "unreadable": unreadable}


def _data(entry: Overview | Unreadable) -> dict[str, Any]:
    from viewscribe.catalog_store import Unreadable
    from viewscribe.cli.output.as_json import error_data

    data: dict[str, Any] = {
        "kind": entry.id.kind,
        "database": entry.id.database,
        "name": entry.id.name,
        "comment": None,
        "columns": None,
        "path": entry.path,
        "error": None,
    }
    if isinstance(entry, Unreadable):
        return {**data, "error": error_data(entry.error)}
    return {**data, "comment": entry.comment, "columns": entry.columns}


def _blocks(entries: Sequence[Overview | Unreadable], url: str) -> list[Block]:
    if not entries:
        return [Paragraph(f"{url} holds nothing of the kind.")]
    grid = Grid(("name", "kind", "columns#", "comment"), [_row(each) for each in entries])
    return [grid, Paragraph(_summary(_counts(entries), url))]


def _row(entry: Overview | Unreadable) -> tuple[Cell, ...]:
    data = _data(entry)
    name = entry.id.name if entry.id.kind == "database" else full_name(entry.id)
    comment = Cell(first_line(data["comment"]))
    if data["error"]:
        comment = Cell(f"unreadable: {data['error']['message']}", "bad")
    columns = "" if data["columns"] is None else str(data["columns"])
    return Cell(name, "name"), Cell(entry.id.kind), Cell(columns), comment


def _summary(counts: dict[str, int], url: str) -> str:
    shown = [describe_count(counts[f"{kind}s"], kind) for kind in _KINDS if counts[f"{kind}s"]]
    text = f"{', '.join(shown)}." if shown else ""
    if counts["unreadable"]:
        text += f" {counts['unreadable']:,} unreadable: see viewscribe check {url}"
    return text.strip()
