"""Building the site of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from viewscribe.catalog_store.documents.history import History
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.protocol import Catalog, Stored, Token
from viewscribe.catalog_store.whole_files import read_whole
from viewscribe.site.addresses import HOME, LINEAGE, data_file, database_page_id, page_file
from viewscribe.site.analysis import analyse
from viewscribe.site.contents import Contents, Entry, read_contents
from viewscribe.site.data import OVERVIEW, object_data, overview_data, search_files, search_paths
from viewscribe.site.lineage import SiteLineage
from viewscribe.site.output import OutputFolder
from viewscribe.site.pages.layout import Site
from viewscribe.site.pages.lists import database_page, home_page, lineage_page
from viewscribe.site.pages.objects import object_page

ASSETS = (
    "assets/site.css",
    "assets/site.js",
    "assets/graph.js",
    "assets/icon.svg",
    "vendor/dagre.min.js",
    "vendor/dagre.LICENSE.txt",
)
"""Files that are part of every site, as they are in this package."""

_LARGEST_TESTS = 1_000_000


class Watch(Protocol):
    """Reports the steps of a run, as the progress bars of commands do."""

    def done(self, step: str, outcome: str | None = None) -> None:
        """Reports that a step is done."""


Watching = Callable[[str, "int | None"], "AbstractContextManager[Watch]"]
"""Begins a run of so many steps, and returns what reports them."""


@dataclass(frozen=True)
class SiteReport:
    """What was built.

    Args:
        contents: what the catalog holds.
        output: the folder of the site.
        written: the number of files that were written.
        unchanged: the number of files that are as they were.
        removed: the number of files that the site has no longer.
        kept: files of an earlier site that somebody edited, and so are left.
    """

    contents: Contents
    output: Path
    written: int
    unchanged: int
    removed: int
    kept: tuple[str, ...]


def build_site(
    catalog: Catalog,
    output: str | Path,
    *,
    watching: Watching,
    catalog_name: str = "spark_catalog",
    title: str | None = None,
    processes: int = 1,
) -> SiteReport:
    """Builds the site of a catalog in a folder; what is there and unchanged is not written.

    Args:
        catalog: the catalog.
        output: the folder.
        watching: how progress is shown.
        catalog_name: the name that the catalog's views use for it.
        title: the title of the pages; by default the last part of where the catalog is.
        processes: how many processes may share the work for a large catalog; with more than one,
            the program that calls this must not do its work when it is imported.

    Raises:
        SiteError: the folder cannot be used.
    """
    with watching("Reading", None) as reading:
        contents = read_contents(catalog, catalog_name, reading.done)
    folder = OutputFolder(output, _planned(contents))
    views = sum(each.kind == "view" and each.document is not None for each in contents.entries)
    with watching("Working out", views) as working:
        analyses = analyse(contents, working.done, processes)
    site = Site(title or _title(contents.url), contents, SiteLineage(contents, analyses))
    with watching("Writing", len(contents.entries)) as writing:
        for entry in contents.entries:
            tests = read_tests(entry)
            folder.write(
                page_file(entry.page), object_page(site, entry, _history(catalog, entry), tests)
            )
            if entry.kind != "function":
                made = object_data(contents, site.lineage, entry)
                folder.write(data_file(entry.page), made)
            writing.done(".".join(entry.path[1:]))
    for path, text in _shared(site):
        folder.write(path, text)
    folder.finish()
    return SiteReport(
        contents,
        Path(output),
        folder.written,
        folder.unchanged,
        folder.removed,
        tuple(folder.kept),
    )


def asset(path: str) -> str:
    """Returns the text of a file that is part of every site."""
    return (files("viewscribe.site") / path).read_text(encoding="utf-8")


def _shared(site: Site) -> Iterator[tuple[str, str]]:
    yield HOME, home_page(site)
    yield LINEAGE, lineage_page(site)
    for name, comment in site.contents.databases:
        yield page_file(database_page_id(name)), database_page(site, name, comment)
    yield OVERVIEW, overview_data(site.contents)
    yield from search_files(site.contents)
    for path in ASSETS:
        yield path, asset(path)


def _planned(contents: Contents) -> Iterator[str]:
    for entry in contents.entries:
        yield page_file(entry.page)
        if entry.kind != "function":
            yield data_file(entry.page)
    yield from (HOME, LINEAGE, OVERVIEW, *ASSETS)
    yield from (page_file(database_page_id(name)) for name, _ in contents.databases)
    yield from search_paths(contents)


def _title(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2].partition("?")[0].removeprefix("file:") or "Catalog"


def _history(catalog: Catalog, entry: Entry) -> History:
    """The versions of an object; of one with a single version, what is read already."""
    document, version = entry.document, entry.version
    if document is None or version is None:
        return []
    if version.number > 1:
        try:
            return catalog.history(document.kind, entry.id.database, entry.name)  # type: ignore[arg-type]
        except CatalogError:
            pass  # a damaged history hides nothing but itself
    return [Stored(document, Token(""), version)]


def read_tests(entry: Entry) -> str | None:
    """Returns the tests in the file beside a view's document; None if there is none."""
    if entry.kind != "view" or not entry.file.endswith(".view.yaml"):
        return None
    path = Path(entry.file.removesuffix(".view.yaml") + ".test.yaml")
    try:
        return read_whole(path, _LARGEST_TESTS).decode("utf-8", errors="replace")
    except OSError:
        return None
