"""``viewscribe accept``: a view that was edited by hand is stored as what it says now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import catalog_and_name, environment_to_save, find_view
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import VIEW
from viewscribe.cli.output.pages import Block, Code, Heading, Page, Paragraph
from viewscribe.cli.progress import Terminal
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.replacement import Acceptance

_SAID = {
    "nothing": "{name} was not edited: nothing to accept.",
    "document": "Accepted what was edited in {name}; its query is what it was.",
    "text": "Accepted the text of {name} as its query. Next, in Spark: viewscribe verify "
    "{catalog} {name}",
}
_SAME = "It means what it meant before: only its form is another."
_TITLES = {"sql": "Query", "columns": "Columns", "tree": "Tree", "lineage": "Lineage"}


@command("accept")
@click.argument("arguments", nargs=-1, type=VIEW, metavar="[CATALOG] NAME")
@click.option("--reason", metavar="TEXT", help="Why; goes into the history of the view.")
@click.option("--author", help="Who does it; by default VIEWSCRIBE_AUTHOR, else the user.")
@click.option("--allow-breaking", is_flag=True, help="Even where views that read it break.")
@click.option("--dry-run", is_flag=True, help="Show what would change; store nothing.")
def accept(
    terminal: Terminal,
    arguments: Sequence[str],
    reason: str | None,
    author: str | None,
    allow_breaking: bool,
    dry_run: bool,
) -> int:
    """Store the view NAME, whose document was edited by hand, as what it says now.

    An edited text becomes the query of the view, and so does the text of a view that somebody else
    wrote: it is read, and what changes with it is shown, its columns and their lineage included.
    `viewscribe verify` then proves it in Spark. To undo an edit instead: `viewscribe rollback NAME
    --to VERSION`.
    """
    import msgspec

    from viewscribe.catalog_store import CatalogManager, Change
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.replacement import accept_view

    place, name = catalog_and_name(arguments)
    catalog = environment_to_save(place).open()
    view = find_view(CatalogManager(catalog), name)
    full = quote_name((view.database, view.name))
    change = Change(author=author, reason=reason)
    env = TableEnvironment(catalog)
    found = accept_view(env, full, change=change, store=not dry_run, allow_breaking=allow_breaking)
    changes = _changes(found)
    data: dict[str, Any] = {"catalog": catalog.url, "view": full, "accepted": found.accepted}
    if found.accepted == "text":
        data |= {**changes, "means_the_same": found.means_the_same}
        data["breaks"] = msgspec.to_builtins(found.breaks)
    told = _SAID[found.accepted].format(name=full, catalog=catalog.url)
    if dry_run and found.accepted != "nothing":
        told = "Nothing was stored."
    if found.means_the_same:
        told = f"{_SAME} {told}"
    terminal.output.show(Page(data, [*_show(changes), *_broken(found), Paragraph(told)]))
    return DONE


def _broken(found: Acceptance) -> Iterator[Block]:
    lines = [line for each in found.breaks for line in each.lines()]
    if lines:
        yield Paragraph("\n".join(lines), "bad")


def _changes(found: Acceptance) -> dict[str, list[str]]:
    """What changes with a text, as lines."""
    if found.tree is None:
        return {}
    from viewscribe.catalog_store.documents.normalization import differences, unify
    from viewscribe.catalog_store.lineage.drawings import lineage_changes

    different = differences(found.before, found.after)
    changes = {"sql": [*different.sql], "columns": [*map(str, different.columns)]}
    if found.tree_before is not None:
        before, after = (tree.as_summary_string() for tree in (found.tree_before, found.tree))
        changes["tree"] = [*unify(before, after)]
        changes["lineage"] = [*map(str, lineage_changes(found.tree_before, found.tree))]
    return changes


def _show(changes: dict[str, list[str]]) -> Iterator[Block]:
    for name, lines in changes.items():
        if lines:
            yield Heading(_TITLES[name], 2)
            yield Code("\n".join(lines), "diff")
