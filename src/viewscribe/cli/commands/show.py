"""``viewscribe show``: everything a document says, but the SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import catalog_and_name, find, open_catalog
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import OBJECT
from viewscribe.cli.output.pages import Block, Cell, Facts, Grid, Heading, Page, Paragraph
from viewscribe.cli.progress import Terminal
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import (
        Column,
        FunctionDocument,
        ObjectDocument,
        ObjectKind,
        Parameter,
        TableDocument,
        ViewDocument,
    )


@command("show")
@click.argument("arguments", nargs=-1, type=OBJECT, metavar="[CATALOG] NAME")
@click.option(
    "--kind",
    type=click.Choice(("view", "table", "function")),
    help="What NAME is, where a function has the name of a view.",
)
def show(terminal: Terminal, arguments: Sequence[str], kind: ObjectKind | None) -> int:
    """Show the view, table or function NAME of CATALOG.

    Its columns with types and comments, settings, dependencies, fingerprint and versions.
    """
    from viewscribe.catalog_store import CatalogManager
    from viewscribe.catalog_store.documents.model import mask_document

    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    document = find(CatalogManager(catalog), name, kind)
    shown, edited = mask_document(document), _is_edited(document)
    data = _data(shown, catalog.url, edited)
    terminal.output.show(Page(data, list(_blocks(shown, catalog.url, edited))))
    return DONE


def _data(document: ObjectDocument, url: str, edited: bool) -> dict[str, Any]:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.cli.sql_files import document_data

    data = {"catalog": url, **document_data(document)}
    if isinstance(document, ViewDocument):
        data["edited"] = edited
    return data


def _is_edited(document: ObjectDocument) -> bool:
    from viewscribe.catalog_store import ViewDocument, fingerprint

    return isinstance(document, ViewDocument) and document.fingerprint != fingerprint(document)


def _blocks(document: ObjectDocument, url: str, edited: bool) -> Iterator[Block]:
    from viewscribe.catalog_store import FunctionDocument, TableDocument

    yield Heading(f"{document.kind} {quote_name((document.database, document.name))}")
    if document.comment:
        yield Paragraph(document.comment)
    yield Facts([("catalog", Cell(url)), *_facts(document, edited)])
    if isinstance(document, FunctionDocument):
        yield from _parameters(document.parameters or ())
    else:
        yield from _columns(document.columns)
    if isinstance(document, TableDocument):
        yield from _mapping("Options", document.options)
    elif not isinstance(document, FunctionDocument):
        yield from _dependencies(document)
        yield from _mapping("Settings", document.settings)
    yield from _mapping("Properties", document.properties)


def _facts(document: ObjectDocument, edited: bool) -> Iterator[tuple[str, Cell]]:
    from viewscribe.catalog_store import FunctionDocument, TableDocument

    if document.owner:
        yield "owner", Cell(document.owner)
    if isinstance(document, FunctionDocument):
        yield from _function_facts(document)
    elif isinstance(document, TableDocument):
        yield from _table_facts(document)
    else:
        yield from _view_facts(document, edited)


def _view_facts(view: ViewDocument, edited: bool) -> Iterator[tuple[str, Cell]]:
    yield "style", Cell(view.style)
    yield "fingerprint", Cell(view.fingerprint)
    if edited:
        yield "edited", Cell("by hand: the fingerprint does not match", "warning")
    yield "viewscribe", Cell(view.viewscribe_version or "unknown")
    if view.spark_version:
        yield "Spark", Cell(view.spark_version)
    if view.source is not None:
        origin = f", from {view.source.origin}" if view.source.origin else ""
        yield "source", Cell(f"{view.source.language}{origin}: viewscribe sql --source")


def _table_facts(table: TableDocument) -> Iterator[tuple[str, Cell]]:
    for name, value in (
        ("format", table.format),
        ("location", table.location),
        ("partitioned by", quote_name(table.partitioned_by)),
        ("viewscribe", table.viewscribe_version),
    ):
        if value:
            yield name, Cell(value)


def _function_facts(function: FunctionDocument) -> Iterator[tuple[str, Cell]]:
    yield "kind", Cell(f"{function.function_kind}, {function.language}")
    yield "returns", Cell(function.returns or "only known to Spark")
    if not function.deterministic:
        yield "deterministic", Cell("no")
    for name, value in (("class", function.class_name), ("body", function.body)):
        if value:
            yield name, Cell(value)
    for resource in function.resources:
        yield "resource", Cell(resource)


def _columns(columns: Sequence[Column]) -> Iterator[Block]:
    rows = []
    for column in columns:
        nulls = "" if column.nullable else "not null"
        name = Cell(quote_name((column.name,)), "name")
        rows.append((name, Cell(column.type), Cell(nulls, "faint"), Cell(column.comment or "")))
    yield Heading("Columns", 2)
    yield Grid(("name", "type", "nulls", "comment"), rows)


def _parameters(parameters: Sequence[Parameter]) -> Iterator[Block]:
    rows = []
    for each in parameters:
        texts = (each.type, each.default or "", each.comment or "")
        rows.append((Cell(each.name, "name"), *map(Cell, texts)))
    if rows:
        yield Heading("Parameters", 2)
        yield Grid(("name", "type", "default", "comment"), rows)


def _dependencies(view: ViewDocument) -> Iterator[Block]:
    rows = [(Cell(quote_name(each.name), "name"), Cell(each.kind)) for each in view.dependencies]
    if rows:
        yield Heading("Depends on", 2)
        yield Grid(("name", "kind"), rows)


def _mapping(title: str, values: Mapping[str, str]) -> Iterator[Block]:
    if values:
        yield Heading(title, 2)
        yield Facts([(name, Cell(value)) for name, value in sorted(values.items())])
