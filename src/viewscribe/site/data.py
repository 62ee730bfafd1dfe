"""Data for the scripts of the pages: plain scripts that hand over JSON, as ``file:`` allows.

Pages that are opened from a disk may not fetch anything, so data comes as ``<script src>``. The
JSON is ASCII, and has no character that HTML or JavaScript would take for something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from viewscribe.catalog_store.documents.model import FunctionDocument, ViewDocument
from viewscribe.catalog_store.lineage.drawings import words
from viewscribe.catalog_store.lineage.influence import DIRECT, ColumnId
from viewscribe.site.contents import Contents, Entry, Path, SiteLineage, key_of
from viewscribe.types.identifiers import quote_name

_FEW = 64
SEARCH_NAMES = "data/search/names.js"
OVERVIEW = "data/overview.js"


def script(function: str, *arguments: Any) -> str:
    """Returns a script that calls a function of the site with data."""
    shown = ",".join(map(_json, arguments))
    return f'"use strict";viewscribe.{function}({shown});\n'


def _json(data: Any) -> str:
    made = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return made.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def object_data(contents: Contents, lineage: SiteLineage, entry: Entry) -> str:
    """Returns what the picture of lineage has to know of a view or table."""
    places = _Places(contents, lineage)
    analysis = lineage.analysis(entry)
    references = [each for each in contents.references(entry) if each.kind != "function"]
    for each in references:
        places.of(each.path)
    values: list[list[Any]] = []
    rows: list[list[Any]] = []
    if analysis is not None:
        for index, origins in enumerate(analysis.columns):
            for source, how in origins.items():
                values.append([*_end(places, source), index, words(how), int(bool(how & DIRECT))])
        rows = [[*_end(places, source), words(how)] for source, how in analysis.rows.items()]
    readers = [each.page for each in contents.readers(entry) if each.kind != "function"]
    return script(
        "addObject",
        {
            "id": entry.page,
            "kind": entry.kind,
            "label": _label(contents, entry.path),
            "columns": [[each.name, each.type] for each in entry.columns],
            "places": places.all(),
            "values": values,
            "rows": rows,
            "readers": readers,
            "error": entry.error is not None,
            "gap": lineage.gap(entry.path),
        },
    )


def _end(places: _Places, source: ColumnId) -> tuple[int, str | None]:
    return places.of(source.path), source.column


class _Places:
    """The objects that one reads, numbered as its data names them."""

    def __init__(self, contents: Contents, lineage: SiteLineage) -> None:
        self._contents = contents
        self._lineage = lineage
        self._numbers: dict[tuple[str, ...], int] = {}
        self._found: list[list[Any]] = []

    def of(self, path: Path) -> int:
        """Returns the number of an object."""
        key = key_of(path)
        if key not in self._numbers:
            self._numbers[key] = len(self._found)
            entry = self._contents.relation(path)
            page = None if entry is None else entry.page
            gap = [] if page else [self._lineage.gap(path)]
            self._found.append([page, _label(self._contents, path), *gap])
        return self._numbers[key]

    def all(self) -> list[list[Any]]:
        """Returns the identity and label of each; where there is no page, also what it lacks."""
        return self._found


def _label(contents: Contents, path: Path) -> str:
    if path[:1] != (contents.name,):
        return quote_name(path)
    return quote_name(path[2:] if len(contents.databases) == 1 else path[1:])


def overview_data(contents: Contents) -> str:
    """Returns all views and tables with what they read, for the picture of the whole."""
    entries = [each for each in contents.entries if each.kind != "function"]
    numbers = {each.page: number for number, each in enumerate(entries)}
    rows = [
        [
            each.page,
            _label(contents, each.path),
            [
                numbers[one.entry.page]
                for one in contents.references(each)
                if one.entry is not None and one.entry.page in numbers
            ],
        ]
        for each in entries
    ]
    return script("addOverview", rows)


# -- search ---------------------------------------------------------------------------------------


def search_paths(contents: Contents) -> list[str]:
    """Returns the paths of the files of the index."""
    return [SEARCH_NAMES, *_shards(contents)]


def search_files(contents: Contents) -> Iterator[tuple[str, str]]:
    """Yields the files of the index: one of names, and those of columns, comments and SQL."""
    shards = _shards(contents)
    names = [
        [each.page, each.id.database, each.name, " ".join(each.comment[:400].split())[:160]]
        for each in contents.entries
    ]
    yield SEARCH_NAMES, script("addNames", names, list(shards))
    for file, entries in shards.items():
        yield file, script("addTexts", [_text_row(each) for each in entries])


def _shards(contents: Contents) -> dict[str, list[Entry]]:
    """The objects by the file that their texts are in.

    It follows from the identity, so an object that comes or goes changes one file.
    """
    found: dict[str, list[Entry]] = {}
    few = len(contents.entries) <= _FEW
    for each in contents.entries:
        shard = "0" if few else sha256(each.page.encode()).hexdigest()[0]
        found.setdefault(f"data/search/text-{shard}.js", []).append(each)
    return dict(sorted(found.items()))


def _text_row(entry: Entry) -> Sequence[Any]:
    columns = [[each.name, each.comment or ""] for each in entry.columns]
    document = entry.document
    sql = ""
    if isinstance(document, ViewDocument):
        sql = document.sql
    elif isinstance(document, FunctionDocument):
        sql = document.body or ""
        columns = [[each.name, each.comment or ""] for each in document.parameters or ()]
    return [entry.page, columns, entry.comment, sql]
