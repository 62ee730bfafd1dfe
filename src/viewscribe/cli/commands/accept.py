"""``viewscribe accept``: a view that was edited by hand is stored as what it says now."""

from __future__ import annotations

from collections.abc import Sequence

import click

from viewscribe.cli.catalogs import catalog_and_name, environment_to_save, find_view
from viewscribe.cli.command import DONE, command
from viewscribe.cli.output.pages import Page, Paragraph
from viewscribe.cli.terminal import Terminal
from viewscribe.types.identifiers import quote_name

_SAID = {
    "nothing": "{name} was not edited: nothing to accept.",
    "document": "Accepted what was edited in {name}; its query is what it was.",
    "text": "Accepted the text of {name} as its query. Next, in Spark: viewscribe verify "
    "{catalog} {name}",
}


@command("accept")
@click.argument("arguments", nargs=-1, metavar="[CATALOG] NAME")
@click.option("--reason", metavar="TEXT", help="Why; goes into the history of the view.")
@click.option("--author", help="Who does it; by default VIEWSCRIBE_AUTHOR, else the user.")
def accept(
    terminal: Terminal, arguments: Sequence[str], reason: str | None, author: str | None
) -> int:
    """Store the view NAME, whose document was edited by hand, as what it says now.

    An edited text becomes the query of the view; `viewscribe verify` then proves it in Spark. To
    undo an edit instead: `viewscribe rollback NAME --to VERSION`.
    """
    from viewscribe.catalog_store import CatalogManager
    from viewscribe.table_api.environment import TableEnvironment

    place, name = catalog_and_name(arguments)
    catalog = environment_to_save(place).open()
    view = find_view(CatalogManager(catalog), name)
    full = quote_name((view.database, view.name))
    accepted = TableEnvironment(catalog).accept_view(full, reason=reason, author=author)
    data = {"catalog": catalog.url, "view": full, "accepted": accepted}
    told = _SAID[accepted].format(name=full, catalog=catalog.url)
    terminal.output.show(Page(data, [Paragraph(told)]))
    return DONE
