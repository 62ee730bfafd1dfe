"""``viewscribe sql``: the SQL of a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from viewscribe.cli.catalogs import catalog_and_name, find, open_catalog
from viewscribe.cli.command import DONE, command
from viewscribe.cli.output.pages import Code, Page
from viewscribe.cli.terminal import Terminal
from viewscribe.errors import CatalogError

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument

# As the serializer has them, which is loaded only when a plan is printed.
STYLES = ("readable", "pipe", "nested")


@command("sql")
@click.argument("arguments", nargs=-1, metavar="[CATALOG] NAME")
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="Print the view's plan anew in this style; by default the stored text is shown.",
)
def sql(terminal: Terminal, arguments: Sequence[str], style: str | None) -> int:
    """Print the SQL of the view NAME of CATALOG."""
    from viewscribe.catalog_store import CatalogManager, ViewDocument

    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    view = find(CatalogManager(catalog), name, "view")
    assert isinstance(view, ViewDocument)
    text = view.sql if style is None else _printed(view, style)
    data = {
        "catalog": catalog.url,
        "database": view.database,
        "name": view.name,
        "style": style or view.style,
        "source": "stored" if style is None else "plan",
        "sql": text,
    }
    terminal.output.show(Page(data, [Code(text)]))
    return DONE


def _printed(view: ViewDocument, style: str) -> str:
    from viewscribe.serializer import to_sql
    from viewscribe.serializer.plan_document import from_plan
    from viewscribe.serializer.targets import session_target
    from viewscribe.types.policy import coercion, coercion_of

    if view.plan is None:
        raise CatalogError(
            f"the view `{view.database}.{view.name}` was stored without its plan",
            hint="leave --style out to see the stored text",
        )
    target = session_target(view.spark_version) if view.spark_version else None
    with coercion(coercion_of(view.settings)):
        return to_sql(from_plan(view.plan), style, target)
