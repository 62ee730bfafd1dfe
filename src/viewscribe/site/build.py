"""Building the site of a catalog."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from viewscribe.catalog_store.documents.normalization import History
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.protocol import Catalog, Stored, Token
from viewscribe.catalog_store.whole_files import Folder, read_whole
from viewscribe.errors import ViewscribeError
from viewscribe.schemas.strict_json import loads
from viewscribe.site.addresses import HOME, LINEAGE, data_file, database_page_id, page_file
from viewscribe.site.contents import Contents, Entry, SiteLineage, analyse, read_contents
from viewscribe.site.data import OVERVIEW, object_data, overview_data, search_files, search_paths
from viewscribe.site.pages.layout import Site, database_page, home_page, lineage_page
from viewscribe.site.pages.objects import object_page

# The errors of writing a site.


class SiteError(ViewscribeError):
    """The pages cannot be written where they are wanted."""


# Writing a site into a folder that may hold other files, and may be a site already.
#
# The manifest says which files are ours. A file that is not in it is never changed or deleted; a
# file of ours is written only where it changes, and deleted where the site has it no longer, unless
# somebody has edited it.

MANIFEST = ".viewscribe-site.json"

_OURS = re.compile(r"(?!.*\.\.)[a-z0-9][A-Za-z0-9_.=~/-]*")
_FORMAT = 1


class OutputFolder:
    """The folder of a site while it is written.

    Args:
        folder: the folder, which need not exist.
        planned: the paths of all files that will be written.

    Raises:
        SiteError: it is no folder, or holds files of others under names of ours.
    """

    def __init__(self, folder: str | Path, planned: Iterable[str]) -> None:
        self._folder = Path(folder)
        self._files = Folder(folder, durable=False)  # a site can be built again
        self.written = 0
        self.unchanged = 0
        self.removed = 0
        self.kept: list[str] = []
        self._hashes: dict[str, str] = {}
        planned = list(planned)
        try:
            self._before = self._read_manifest()
            self._refuse_foreign(planned)
            self._folder.mkdir(parents=True, exist_ok=True)
            # If this run is interrupted, the next one has to know what is ours.
            self._write_manifest({**dict.fromkeys(planned, ""), **self._before})
        except OSError as error:
            raise self._failure(error) from None

    def write(self, path: str, text: str) -> None:
        """Writes a file, unless it is there with this content."""
        content = text.encode("utf-8")
        self._hashes[path] = _hash(content)
        try:
            if self._files.read(path) == content:
                self.unchanged += 1
                return
            self._files.write(path, content)
        except OSError as error:
            raise self._failure(error) from None
        self.written += 1

    def finish(self) -> None:
        """Removes what the site has no longer, and writes the manifest."""
        try:
            for path, known in self._before.items():
                if path not in self._hashes:
                    self._remove(path, known)
            self._write_manifest(self._hashes)
        except OSError as error:
            raise self._failure(error) from None

    def _remove(self, path: str, known: str) -> None:
        content = self._files.read(path)
        if content is None:
            return
        if known and _hash(content) != known:
            self.kept.append(path)
            return
        self._files.remove(path)
        self.removed += 1

    def _refuse_foreign(self, planned: Iterable[str]) -> None:
        if self._folder.exists() and not self._folder.is_dir():
            raise SiteError(
                f"{self._folder} is not a folder", hint="name a folder for the site with -o"
            )
        if not self._folder.exists():
            return
        foreign = [
            path
            for path in planned
            if path not in self._before and os.path.lexists(self._folder / path)
        ]
        if foreign:
            more = f" and {len(foreign) - 3:,} more" if len(foreign) > 3 else ""
            raise SiteError(
                f"{self._folder} has files that no site wrote: {', '.join(foreign[:3])}{more}",
                hint="nothing was changed: name an empty or new folder with -o",
            )

    def _read_manifest(self) -> dict[str, str]:
        content = self._files.read(MANIFEST)
        if content is None:
            return {}
        try:
            found = loads(content, limit=None)
            if found["format"] != _FORMAT:
                raise ValueError
            files = {str(path): str(known) for path, known in found["files"].items()}
            if not all(map(_OURS.fullmatch, files)):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise SiteError(
                f"{self._folder / MANIFEST} is damaged, or of another viewscribe",
                hint="it lists the files of the site: delete the folder, or name another with -o",
            ) from None
        return files

    def _write_manifest(self, files: dict[str, str]) -> None:
        made = {"format": _FORMAT, "files": dict(sorted(files.items()))}
        content = (json.dumps(made, indent=0) + "\n").encode()
        if self._files.read(MANIFEST) != content:
            self._files.write(MANIFEST, content)

    def _failure(self, error: OSError) -> SiteError:
        return SiteError(f"the site cannot be written: {error}", hint="check the folder of -o")


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()[:24]


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
    site = Site(
        title
        or (
            contents.url.rstrip("/").rpartition("/")[2].partition("?")[0].removeprefix("file:")
            or "Catalog"
        ),
        contents,
        SiteLineage(contents, analyses),
    )
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
