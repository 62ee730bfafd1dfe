"""``viewscribe check``: everything wrong with a catalog that can be seen without Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.cli.catalogs import environment_at
from viewscribe.cli.command import DIFFERENT, DONE, FAILED, command
from viewscribe.cli.completion import CATALOG
from viewscribe.cli.output.pages import Block, Cell, Grid, Page, Paragraph, Problem
from viewscribe.cli.output.safe_text import describe_count
from viewscribe.cli.permissions import (
    PermissionOptions,
    PythonOptions,
    module_option,
    permission_options,
)
from viewscribe.cli.progress import PROBLEM_FORMATS, Terminal, Watched
from viewscribe.cli.sql_files import (
    dialect_option,
    findings_page,
    has_sql,
    is_sql,
    read_folder,
    require_place,
    tables_of,
)

if TYPE_CHECKING:
    from viewscribe.catalog_store import Finding


@command("check", PROBLEM_FORMATS)
@click.argument("catalog", required=False, type=CATALOG, metavar="[CATALOG|FOLDER|FILE.sql]")
@click.option(
    "--catalog",
    "tables",
    metavar="CATALOG",
    help="Check files of SQL over the tables of this catalog.",
)
@dialect_option
@module_option
@permission_options
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="How many processes check a large catalog.  [default: one for each processor]",
)
def check(
    terminal: Terminal,
    catalog: str | None,
    tables: str | None,
    dialect: str,
    python_modules: Sequence[str],
    allowed: PermissionOptions,
    jobs: int | None,
) -> int:
    """Validate every document of CATALOG, or every file of SQL in FOLDER, without Spark.

    Files of SQL hold a query or a CREATE VIEW each, and CREATE TABLEs where they say what columns
    tables have. Names and types are checked over these, the other files and the tables of
    --catalog; the exit code is 1 where something is wrong.

    In a catalog, Python functions are imported and compared with what was stored, where their
    modules are allowed: here, or in viewscribe.yaml. What opening a view would refuse is told, too.
    A view whose text viewscribe does not read itself is no finding, but listed as not proven.
    """
    if tables is not None or has_sql(catalog) or is_sql(catalog):
        return _check_files(terminal, catalog, tables, dialect)
    from viewscribe.catalog_store.checks import check_documents
    from viewscribe.catalog_store.shared_loading import load_in_shares

    environment = environment_at(catalog)
    home = environment.open()
    modules = PythonOptions(python_modules).of(environment)
    processes = jobs or os.cpu_count() or 1
    with ExitStack() as running:
        with terminal.progress("Reading") as reading:
            shares = running.enter_context(load_in_shares(home, processes, reading.done))
            documents = shares.entries if shares else list(Watched(home, reading).load_all())
        with terminal.progress("Checking", len(documents)) as checking:
            found = check_documents(
                documents,
                name=environment.catalog_name,
                python_modules=modules.allowed,
                permissions=allowed.of(environment),
                notes=True,
                processes=processes,
                shares=shares,
                watch=checking.done,
            )
    findings = [each for each in found if not each.is_note]
    data = {
        "catalog": home.url,
        "ok": not findings,
        "counts": {
            "documents": len(documents),
            "findings": len(findings),
            "not_proven": len(found) - len(findings),
        },
        "findings": [_data(each) for each in findings],
        "not_proven": [_data(each) for each in found if each.is_note],
    }
    problems = [_problem(each) for each in found]
    terminal.output.show(Page(data, _blocks(found, len(documents), home.url), problems))
    return DIFFERENT if findings else DONE


def _check_files(terminal: Terminal, place: str | None, tables: str | None, dialect: str) -> int:
    if place is None:
        raise click.UsageError("missing argument FOLDER", click.get_current_context(silent=True))
    if not has_sql(place):
        require_place(place)
    folder = read_folder(terminal, tables_of(tables), place, dialect)
    step = f"Next: viewscribe import {place} --into CATALOG"
    terminal.output.show(findings_page(folder, step))
    return FAILED if folder.findings else DONE


def _data(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "kind": finding.id.kind,
        "database": finding.id.database,
        "name": finding.id.name,
        "path": finding.path,
        "line": finding.line,
        "message": finding.cause,
        "hint": finding.hint,
    }


def _problem(finding: Finding) -> Problem:
    level: Literal["error", "note"] = "note" if finding.is_note else "error"
    return Problem(
        finding.code, finding.cause, finding.path, finding.line, hint=finding.hint, level=level
    )


def _blocks(found: Sequence[Finding], documents: int, url: str) -> list[Block]:
    rows = [
        (
            Cell(finding.code, "warning" if finding.is_note else "bad"),
            Cell(_place(finding)),
            Cell(finding.cause),
            Cell(finding.hint or "", "faint"),
        )
        for finding in _list_findings(found)
    ]
    notes = sum(each.is_note for each in found)
    findings = (
        describe_count(len(found) - notes, "finding") if len(found) > notes else "no findings"
    )
    closing = f"{describe_count(documents, 'document')} checked, {findings}"
    if notes:
        closing += f", {describe_count(notes, 'view')} not proven"
        closing += f" ({_MOST_NOTES} listed, all with --json)" if notes > _MOST_NOTES else ""
    if len(found) > notes:
        closing += ". Mend or save again what is listed; then check anew."
    else:
        closing += f". Next, in Spark: viewscribe verify {url}"
    grid: list[Block] = [Grid(("finding", "where", "what", "what to do"), rows)] if rows else []
    return [*grid, Paragraph(closing)]


_MOST_NOTES = 20
"""How many views that are not proven are listed for people; JSON has all."""


def _list_findings(found: Sequence[Finding]) -> list[Finding]:
    notes = [each for each in found if each.is_note][:_MOST_NOTES]
    return [each for each in found if not each.is_note or each in notes]


def _place(finding: Finding) -> str:
    return finding.path if finding.line is None else f"{finding.path}:{finding.line}"
