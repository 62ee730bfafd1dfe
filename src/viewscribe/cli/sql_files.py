"""SQL files on the command line: recognizing and reading them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogNotFoundError,
    MemoryCatalog,
    ObjectDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import LostTextError
from viewscribe.catalog_store.view_checks import warnings_of
from viewscribe.cli.catalogs import VARIABLE, environment_at, environment_to_save
from viewscribe.cli.command import DONE, FAILED
from viewscribe.cli.output.pages import Block, Cell, Code, Grid, Page, Paragraph, Problem
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.progress import Terminal
from viewscribe.errors import CatalogError

if TYPE_CHECKING:
    from viewscribe.catalog_store.view_checks import FindColumns
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.sql_files import SqlFinding, SqlFolder


# Documents as the commands print them.


def document_data(document: ObjectDocument) -> dict[str, Any]:
    """Returns the document as JSON data; of the plan, it only says whether there is one."""
    data = {"kind": document.kind, **_plain(document)}
    if document.kind == "view":
        data["has_plan"] = data.pop("plan") is not None
        for column in data["columns"]:
            del column["default"]  # only tables have defaults
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value)
        return {name: _plain(item) for name, item in fields.items()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


# Warnings about views that were edited by hand, or whose sources have changed.


def note_changes(terminal: Terminal, documents: Iterable[Any], columns_of: FindColumns) -> None:
    """Prints to stderr the most important of what ``viewscribe check`` would find in these views.

    Args:
        terminal: the terminal to print to.
        documents: the views; other documents are ignored.
        columns_of: finds the columns of the tables and views that they read.
    """

    for document in documents:
        if isinstance(document, ViewDocument):
            for text in warnings_of(document, columns_of):
                terminal.note(f"warning: {text}")


# Texts for other engines that replaced views lose, on the command line.

drop_dialect_option = click.option(
    "--drop-dialect",
    "drop_dialects",
    multiple=True,
    metavar="DIALECT",
    help="Replace views without the text that they have for that engine.",
)


@contextmanager
def dropping_by_option() -> Iterator[None]:
    """In the block, the way out of an error about a lost text is that of the command line."""
    try:
        yield
    except LostTextError as error:
        error.hint = f"replace it without that text: --drop-dialect {error.dialect}"
        raise


dialect_option = click.option(
    "--dialect",
    default="spark",
    metavar="ENGINE",
    help="What the files are written for: bigquery, duckdb, hive, snowflake or trino; by default "
    "Spark. What may mean something else in Spark is refused.",
)


def has_sql(place: str | None) -> bool:
    """Returns whether an argument is a SQL file, or a folder of SQL files that is not a catalog."""
    if place is None:
        return False
    path = Path(place)
    if path.is_file():
        return path.suffix.lower() == ".sql"
    if not path.is_dir() or any(path.glob("*/_database.yaml")):
        return False
    if (path / "manifest.json").is_file():  # of dbt
        return True
    return any(each.suffix.lower() == ".sql" for each in path.rglob("*"))


def is_sql(place: str | None) -> bool:
    """Returns whether an argument has the name of a SQL file, existing or not."""
    return place is not None and place.lower().endswith(".sql")


def require_place(place: str) -> None:
    """Rejects a missing file or folder, and a folder without SQL files.

    Raises:
        CatalogError: it does not exist.
        UsageError: it has no SQL files.
    """
    path = Path(place)
    if not path.exists():
        raise CatalogError(f"there is no file or folder {place}", hint="check the path")
    if path.is_dir():
        raise click.UsageError(
            f"no files of SQL in {place}", click.get_current_context(silent=True)
        )


def tables_of(place: str | None) -> TableEnvironment:
    """Opens the catalog that SQL files read from; an empty one if none was given."""
    from viewscribe.table_api.environment import TableEnvironment

    if place is None and not os.environ.get(VARIABLE):
        return TableEnvironment()
    environment = environment_at(place)
    home = environment.open()
    env = TableEnvironment(home)
    if environment.catalog_name.casefold() != env.catalogs.current_catalog.casefold():
        env.register_catalog(environment.catalog_name, home)
        env.use_catalog(environment.catalog_name)
    return env


def read_folder(terminal: Terminal, env: TableEnvironment, place: str, dialect: str) -> SqlFolder:
    """Reads a folder, with a progress bar."""
    from viewscribe.parser.dialects import known_dialect
    from viewscribe.table_api.sql_files import open_folder

    folder = open_folder(env, Path(place), known_dialect(dialect))
    with terminal.progress("Checking", len(folder.files)) as progress:
        folder.read(progress.done)
    return folder


def import_folder(
    terminal: Terminal,
    catalog: str | None,
    place: str,
    *,
    dialect: str,
    replace: bool,
    drop_dialects: Sequence[str],
    dry_run: bool,
) -> int:
    """Imports the files of a folder as views of a catalog: all of them or none."""
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.sql_files import store_folder

    environment = environment_to_save(catalog)
    try:
        home = environment.open(create=not dry_run)
    except CatalogNotFoundError:
        if not dry_run:
            raise
        home = MemoryCatalog()  # importing into the real one would create it
    env = TableEnvironment(home)
    folder = read_folder(terminal, env, place, dialect)
    if folder.findings:
        terminal.output.show(findings_page(folder, ""))
        return FAILED
    names = folder.view_names()
    if not dry_run:
        total = len(folder.order) + len(folder.tables)
        try:
            with terminal.progress("Storing", total) as progress, dropping_by_option():
                names = store_folder(
                    folder, or_replace=replace, drop_dialects=drop_dialects, tell=progress.done
                )
        except AlreadyExistsError as error:
            error.hint = "replace it, and all others, with --replace; nothing was stored"
            raise
    url = environment.shown_url if isinstance(home, MemoryCatalog) else home.url
    data = {"catalog": url, "place": place, "stored": not dry_run, "views": names}
    what = "Would store" if dry_run else "Stored"
    views, files = describe_count(len(names), "view"), describe_count(len(folder.files), "file")
    told = f"{what} {views} of {files} in {url}."
    blocks: list[Block] = [Grid(("VIEW",), [(Cell(each, "name"),) for each in names])]
    terminal.output.show(Page(data, [*(blocks if names else []), Paragraph(told)]))
    return DONE


def findings_page(folder: SqlFolder, next_step: str) -> Page:
    """Returns the findings in a folder as a page."""
    findings, files = folder.findings, describe_count(len(folder.files), "file")
    data = {
        "place": str(folder.place),
        "ok": not findings,
        "counts": {
            "files": len(folder.files),
            "views": len(folder.views),
            "tables": len(folder.tables),
            "findings": len(findings),
        },
        "findings": [_data(each) for each in findings],
    }
    problems = [
        Problem(each.code, each.message, each.file, each.line, each.column, each.hint)
        for each in findings
    ]
    if not findings:
        return Page(data, [Paragraph(f"{files} checked, no findings. {next_step}")])
    closing = Paragraph(f"{files} checked, {describe_count(len(findings), 'finding')}.")
    return Page(data, [*_blocks(findings), closing], problems)


def _data(finding: SqlFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "hint": finding.hint,
    }


def _blocks(findings: Sequence[SqlFinding]) -> list[Block]:
    """Formats findings like a compiler: place and message, the line with a caret, the hint."""
    blocks: list[Block] = []
    for each in findings:
        blocks.append(Paragraph(f"{each.file}:{each.line}:{each.column}: {each.message}", "bad"))
        lines = [each.excerpt] if each.excerpt else []
        lines += [f"    {each.hint}"] if each.hint else []
        if lines:
            blocks.append(Code("\n".join(lines), "text"))
    return blocks
