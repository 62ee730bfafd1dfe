"""``viewscribe export`` and ``import``: views in the form of other systems, out and in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from viewscribe.catalog_store import AlreadyExistsError, CatalogManager
from viewscribe.catalog_store.documents.model import mask_document
from viewscribe.catalog_store.view_checks import columns_in
from viewscribe.cli.catalogs import (
    catalog_and_name,
    catalog_and_names,
    environment_at,
    find,
    open_catalog,
)
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import PLACE, VIEW
from viewscribe.cli.output.pages import Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import PermissionOptions, permission_options
from viewscribe.cli.progress import PROBLEM_FORMATS, Terminal, Watched
from viewscribe.cli.sql_files import (
    dialect_option,
    drop_dialect_option,
    has_sql,
    import_folder,
    note_changes,
    require_place,
)
from viewscribe.errors import CatalogError
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import Stored, ViewDocument


TARGETS = ("dbt", "sqlmesh", "spark-pipelines", "sql", "openlineage", "datahub")
"""As the package of exports has them, which is loaded only to export."""


@command("export")
@click.argument("arguments", nargs=-1, type=VIEW, metavar="[CATALOG] [NAME]...")
@click.option("--to", "target", type=click.Choice(TARGETS), help="The tool to export views to.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=PLACE,
    metavar="FOLDER",
    help="Where --to writes; made if it is missing.",
)
@click.option("--skip", is_flag=True, help="With --to: leave out what cannot be exported exactly.")
@click.option(
    "--iceberg",
    "file",
    type=PLACE,
    metavar="FILE",
    help="Write Iceberg metadata (JSON) of the view NAME to FILE, or to stdout where it is -.",
)
@click.option("--location", help="With --iceberg: the location in it; else a place in CATALOG.")
@permission_options
def export(
    terminal: Terminal,
    arguments: Sequence[str],
    target: str | None,
    folder: str | None,
    skip: bool,
    file: str | None,
    location: str | None,
    allowed: PermissionOptions,
) -> int:
    """Write views of CATALOG in the form of another tool.

    With --to, all views or those of these names, with those that they read: exactly or not at all.
    With --iceberg, one view with its whole history. In FOLDER only files are replaced that an
    export wrote there and nobody has changed since.
    """
    if (target is None) == (file is None):
        raise _usage("say one of --to TOOL and --iceberg FILE")
    if file is not None:
        if folder is not None or skip:
            raise _usage("-o and --skip go with --to")
        place, name = catalog_and_name(arguments)
        return _export_iceberg(terminal, place, name, file, location)
    if folder is None or location is not None:
        raise _usage("--to needs -o FOLDER, and has no --location")
    assert target is not None
    return _export_views(terminal, arguments, target, folder, skip, allowed)


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context(silent=True))


def _export_views(
    terminal: Terminal,
    arguments: Sequence[str],
    target: str,
    folder: str,
    skip: bool,
    allowed: PermissionOptions,
) -> int:
    from viewscribe.export import export_catalog

    place, names = catalog_and_names(arguments)
    environment = environment_at(place)
    home = environment.open()
    paths = [CatalogManager(home).resolve(parse_name(each)) for each in names]
    with terminal.progress("Reading") as progress:
        found = export_catalog(
            Watched(home, progress).as_catalog,
            target,
            folder,
            name=environment.catalog_name,
            only=[(each.database, each.name) for each in paths],
            skip=skip,
            permissions=allowed.of(environment),
        )
    for text in found.warnings:
        terminal.note(f"warning: {text}")
    data = {
        "catalog": home.url,
        "target": target,
        "folder": folder,
        "views": list(found.views),
        "skipped": [{"view": each.view, "reason": each.reason} for each in found.skipped],
        "files": list(found.written.files),
        "changed": list(found.written.changed),
        "removed": list(found.written.removed),
    }
    skipped = [
        Paragraph(f"{each.view} is left out: {each.reason}", "warning") for each in found.skipped
    ]
    views = describe_count(len(found.views), "view")
    files = describe_count(len(found.written.files), "file")
    told = f"Exported {views} to {target} in {folder}: {files}"
    told += f", {len(found.written.changed)} new or changed"
    told += f", {len(found.written.removed)} removed." if found.written.removed else "."
    terminal.output.show(Page(data, [*skipped, Paragraph(told)]))
    return DONE


def _export_iceberg(
    terminal: Terminal, place: str | None, name: str, file: str, location: str | None
) -> int:
    """Writes a view with its whole history to a file."""
    import json
    from urllib.parse import quote

    from viewscribe.catalog_store.stores.iceberg import export_view

    catalog = open_catalog(place)
    catalogs = CatalogManager(catalog)
    view = find(catalogs, name, "view")
    note_changes(terminal, [view], columns_in(catalogs))
    history = catalogs.history("view", parse_name(name))
    where = location or f"{catalog.url}/{quote(view.database)}/{quote(view.name)}"
    metadata = export_view(cast("list[Stored[ViewDocument]]", history), location=where)
    if mask_document(view) != view:
        terminal.note("warning: secrets in the properties of the view are not exported")
    text = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
    if file == "-":
        from viewscribe.cli.output.as_json import JsonOutput

        JsonOutput().show(Page(metadata, []))
        return DONE
    _write(file, text)
    full = quote_name((view.database, view.name))
    data = {"catalog": catalog.url, "view": full, "file": file, "versions": len(history)}
    told = f"Wrote {full} with {describe_count(len(history), 'version')} to {file}."
    terminal.output.show(Page(data, [Paragraph(told)]))
    return DONE


@command("import", PROBLEM_FORMATS)
@click.argument("arguments", nargs=-1, metavar="[CATALOG] FILE|FOLDER")
@click.option("--into", metavar="CATALOG", help="Where to store; the same as CATALOG.")
@click.option("--as", "name", metavar="NAME", help="Its name; by default that of the export.")
@dialect_option
@click.option("--replace", is_flag=True, help="Views of a FOLDER may replace those of their name.")
@drop_dialect_option
@click.option("--dry-run", is_flag=True, help="Check the FOLDER and store nothing.")
def import_(
    terminal: Terminal,
    arguments: Sequence[str],
    into: str | None,
    name: str | None,
    dialect: str,
    replace: bool,
    drop_dialects: Sequence[str],
    dry_run: bool,
) -> int:
    """Store the queries of a FOLDER of .sql files as views, or a view of Iceberg metadata.

    Of a dbt project, FOLDER is its target folder after dbt compile.

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
            terminal,
            place,
            folder,
            dialect=dialect,
            replace=replace,
            drop_dialects=drop_dialects,
            dry_run=dry_run,
        )
    if arguments:
        require_place(arguments[-1])
    if replace or dry_run or drop_dialects:
        raise click.UsageError(
            "--replace, --drop-dialect and --dry-run are for folders of .sql files",
            click.get_current_context(silent=True),
        )
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
    try:
        return loads(Path(file).read_bytes(), limit=None, depth=OUTER_DEPTH)
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
