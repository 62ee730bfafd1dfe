"""``viewscribe site``: a catalog as pages that open from a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import environment_at, full_name
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import PLACE
from viewscribe.cli.output.pages import Block, Cell, Grid, Page, Paragraph
from viewscribe.cli.output.safe_text import describe_count, first_line
from viewscribe.cli.progress import Terminal

if TYPE_CHECKING:
    from viewscribe.site import SiteReport

_MOST_PROCESSES = 8


@command("site")
@click.argument("catalog", required=False, metavar="[CATALOG]")
@click.option(
    "-o",
    "--output",
    type=PLACE,
    metavar="FOLDER",
    default="site",
    show_default=True,
    help="The folder of the site; files of others in it stay as they are.",
)
@click.option("--title", metavar="TEXT", help="The title of the pages.")
def site(terminal: Terminal, catalog: str | None, output: str, title: str | None) -> int:
    """Write the views, tables and functions of CATALOG as a static site.

    Open index.html of FOLDER in a browser: the pages need neither a server nor a network. Only
    pages that change are written again.
    """
    from viewscribe.site import build_site

    environment = environment_at(catalog)
    report = build_site(
        environment.open(),
        output,
        watching=terminal.progress,
        catalog_name=environment.catalog_name,
        title=title,
        processes=min(os.cpu_count() or 1, _MOST_PROCESSES),
    )
    terminal.output.show(Page(_data(report), list(_blocks(report))))
    return DONE


def _data(report: SiteReport) -> dict[str, Any]:
    entries = report.contents.entries
    return {
        "catalog": report.contents.url,
        "output": str(report.output),
        "counts": {
            **{f"{kind}s": _count(report, kind) for kind in ("view", "table", "function")},
            "written": report.written,
            "unchanged": report.unchanged,
            "removed": report.removed,
        },
        "unreadable": [
            {"object": str(id_), "message": message} for id_, message in _unreadable(report)
        ],
        "kept": list(report.kept),
        "first_page": str(report.output / "index.html"),
        "objects": len(entries),
    }


def _count(report: SiteReport, kind: str) -> int:
    return sum(each.kind == kind for each in report.contents.entries)


def _unreadable(report: SiteReport) -> Iterator[tuple[str, str]]:
    for each in report.contents.entries:
        if each.error is not None:
            yield full_name(each.id), each.error.message
    for other in report.contents.unreadable:
        yield str(other.id), other.error.message


def _blocks(report: SiteReport) -> Iterator[Block]:
    damaged = [
        (Cell(name, "name"), Cell(first_line(message), "bad"))
        for name, message in _unreadable(report)
    ]
    if damaged:
        yield Grid(("cannot be read", "why"), damaged)
    for path in report.kept:
        yield Paragraph(
            f"{path} is no longer part of the site, but was edited: it stays.", "warning"
        )
    kinds = [
        describe_count(_count(report, kind), kind)
        for kind in ("view", "table", "function")
        if _count(report, kind)
    ]
    files = [describe_count(report.written, "file") + " written"]
    files += [f"{report.unchanged:,} unchanged"] if report.unchanged else []
    files += [f"{report.removed:,} removed"] if report.removed else []
    holds = ", ".join(kinds) or "The catalog is empty"
    yield Paragraph(f"{holds}; {', '.join(files)}. Open {report.output / 'index.html'}")
