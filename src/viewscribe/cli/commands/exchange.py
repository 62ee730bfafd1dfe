"""``viewscribe export`` and ``import``: a view with its history in the form of other systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from viewscribe.cli.catalogs import catalog_and_name, find, open_catalog
from viewscribe.cli.changed_views import note_changes
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import VIEW
from viewscribe.cli.output.pages import Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.sql_files import dialect_option, has_sql, import_folder, require_place
from viewscribe.cli.terminal import PROBLEM_FORMATS, Terminal
from viewscribe.errors import CatalogError
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import Stored, ViewDocument


@command("export")
@click.argument("arguments", nargs=-1, type=VIEW, metavar="[CATALOG] NAME")
@click.option(
    "--iceberg",
    "target",
    metavar="FILE",
    required=True,
    help="Write Iceberg view metadata (JSON) to FILE, or to stdout where it is -.",
)
@click.option("--location", help="The location in the metadata; by default a place in CATALOG.")
def export(terminal: Terminal, arguments: Sequence[str], target: str, location: str | None) -> int:
    """Write the view NAME with its whole history to a file."""
    import json
    from urllib.parse import quote

    from viewscribe.catalog_store import CatalogManager
    from viewscribe.catalog_store.stores.iceberg import export_view
    from viewscribe.catalog_store.view_checks import columns_in

    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    catalogs = CatalogManager(catalog)
    view = find(catalogs, name, "view")
    note_changes(terminal, [view], columns_in(catalogs))
    history = catalogs.history("view", parse_name(name))
    where = location or f"{catalog.url}/{quote(view.database)}/{quote(view.name)}"
    metadata = export_view(cast("list[Stored[ViewDocument]]", history), location=where)
    text = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
    if target == "-":
        from viewscribe.cli.output.as_json import JsonOutput

        JsonOutput().show(Page(metadata, []))
        return DONE
    _write(target, text)
    full = quote_name((view.database, view.name))
    data = {"catalog": catalog.url, "view": full, "file": target, "versions": len(history)}
    told = f"Wrote {full} with {describe_count(len(history), 'version')} to {target}."
    terminal.output.show(Page(data, [Paragraph(told)]))
    return DONE


@command("import", PROBLEM_FORMATS)
@click.argument("arguments", nargs=-1, metavar="[CATALOG] FILE|FOLDER")
@click.option("--into", metavar="CATALOG", help="Where to store; the same as CATALOG.")
@click.option("--as", "name", metavar="NAME", help="Its name; by default that of the export.")
@dialect_option
@click.option("--replace", is_flag=True, help="Views of a FOLDER may replace those of their name.")
@click.option("--dry-run", is_flag=True, help="Check the FOLDER and store nothing.")
def import_(
    terminal: Terminal,
    arguments: Sequence[str],
    into: str | None,
    name: str | None,
    dialect: str,
    replace: bool,
    dry_run: bool,
) -> int:
    """Store the queries of a FOLDER of .sql files as views, or a view of Iceberg metadata.

    Each file is a view: it holds a query, whose name is that of the file (and of the folder that
    it is in, which is its database), or a CREATE VIEW. Views are stored after those that they
    read, and none of them where something is wrong. CREATE TABLE says the columns of a table.

    Of an Iceberg view metadata FILE, the view is stored with its whole history.
    """
    if into is not None:
        arguments = (into, *arguments)
    if arguments and has_sql(arguments[-1]):
        place, folder = catalog_and_name(arguments)
        return import_folder(
            terminal, place, folder, dialect=dialect, replace=replace, dry_run=dry_run
        )
    if arguments:
        require_place(arguments[-1])
    if replace or dry_run:
        raise click.UsageError(
            "--replace and --dry-run are for folders of .sql files",
            click.get_current_context(silent=True),
        )
    from viewscribe.catalog_store import AlreadyExistsError, CatalogManager
    from viewscribe.catalog_store.stores.iceberg import import_view, store_view

    place, file = catalog_and_name(arguments)
    catalog = open_catalog(place)
    wanted = None
    if name is not None:
        path = CatalogManager(catalog).resolve(parse_name(name))
        wanted = (path.database, path.name)
    versions = import_view(_read(file), wanted)
    try:
        store_view(catalog, versions)
    except AlreadyExistsError as error:
        raise AlreadyExistsError(error.message, hint="give it another name with --as") from error
    document = versions[-1].document
    full = quote_name((document.database, document.name))
    stored = catalog.history("view", document.database, document.name)
    data = {"catalog": catalog.url, "view": full, "file": file, "versions": len(stored)}
    told = f"Stored {full} with {describe_count(len(stored), 'version')}."
    terminal.output.show(Page(data, [Paragraph(told)]))
    return DONE


def _read(file: str) -> Any:
    from viewscribe.catalog_store.documents.strict_json import loads

    try:
        with open(file, encoding="utf-8") as stream:
            return loads(stream.read())
    except OSError as error:
        raise CatalogError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise CatalogError(f"{file} is no JSON: {error}") from error


def _write(file: str, text: str) -> None:
    """Write the whole text or nothing."""
    from viewscribe.catalog_store.whole_files import write_whole

    try:
        write_whole(file, text.encode())
    except OSError as error:
        raise CatalogError(f"cannot write {file}: {error.strerror}") from error
