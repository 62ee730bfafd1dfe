"""Views and functions of a catalog that read each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from viewscribe.catalog_store.documents.model import (
    DocumentKind,
    FunctionDocument,
    ViewDocument,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId
from viewscribe.errors import ViewscribeError

Key = tuple[DocumentKind, str, str]
"""A kind, and the folded names of a database and of an object in it."""


def local_name(parts: tuple[str, ...], current: str, catalog: str) -> tuple[str, str] | None:
    """The folded database and name of a dependency; None if it is in another catalog."""
    match parts:
        case (name,):
            return fold(current), fold(name)
        case (database, name):
            return fold(database), fold(name)
        case (home, database, name) if fold(home) == fold(catalog):
            return fold(database), fold(name)
    return None


def key_of(id_: ObjectId, kind: DocumentKind | None = None) -> Key:
    """What a document is known by, in any spelling of its name; ``kind`` in place of its own."""
    return kind or id_.kind, fold(id_.database), fold(id_.name)


def find_circles(loaded: Sequence[Loaded], catalog: str) -> Iterator[tuple[Loaded, str]]:
    """Yields a document of each circle, and what reads each other in it.

    Args:
        loaded: all documents of a catalog.
        catalog: its name in dependencies; other catalogs are not followed.
    """
    readers = {
        key_of(each.id): each
        for each in loaded
        if isinstance(each.document, ViewDocument | FunctionDocument)
    }
    graph = {key: _reads(entry, catalog) & readers.keys() for key, entry in readers.items()}
    while circle := _find_cycle(graph):
        first = min(circle)
        start = circle.index(first)
        ordered = [*circle[start:], *circle[:start], first]
        shown = " reads ".join(str(readers[key].id) for key in ordered)
        kinds = "views" if all(kind == "view" for kind, *_ in circle) else "views and functions"
        yield readers[first], f"{kinds} read each other in a circle: {shown}"
        graph[first] = graph[first] - {ordered[1]}


def _reads(entry: Loaded, catalog: str) -> set[Key]:
    document = entry.document
    named: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(document, ViewDocument):
        named = [(each.kind, each.name) for each in document.dependencies]
    elif isinstance(document, FunctionDocument):
        named = _named_in(document, catalog)
    found: set[Key] = set()
    for kind, parts in named:
        local = local_name(parts, entry.id.database, catalog)
        if local is not None:
            found.add(("function" if kind == "function" else "view", *local))
    if isinstance(document, FunctionDocument):  # its body's own finding
        found.discard(key_of(entry.id))
    return found


def _named_in(function: FunctionDocument, catalog: str) -> list[tuple[str, tuple[str, ...]]]:
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.parser.full_names import sources_of_function

    try:
        tables, functions = sources_of_function(source_of(function), (catalog, function.database))
    except ViewscribeError:  # a finding of its own
        return []
    return [*(("table", each) for each in tables), *(("function", each) for each in functions)]


def _find_cycle(graph: dict[Key, set[Key]]) -> list[Key] | None:
    """Returns a cycle of views: each reads the next, and the last the first."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[Any] = error.args[1]
        # graphlib lists a cycle from dependency to dependent.
        return circle[:0:-1]
    return None
