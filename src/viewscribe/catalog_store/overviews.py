"""Overviews of what a catalog holds: names, kinds, comments and numbers of columns."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.catalog_store.protocol import (
    Catalog,
    GivesOverviews,
    Loaded,
    Overview,
    Unreadable,
)


def overviews(catalog: Catalog, database: str | None = None) -> Iterator[Overview | Unreadable]:
    """Yields an overview of every document of ``catalog``.

    A catalog that can tell without reading whole documents reads no more of them than that, and
    yields ``Unreadable`` only where that fails; ``check`` reads everything.

    Args:
        catalog: the catalog.
        database: only this database; none if it does not exist.
    """
    if isinstance(catalog, GivesOverviews):
        yield from catalog.overviews(database)
        return
    for entry in catalog.load_all(database):
        yield overview_of(entry) if isinstance(entry, Loaded) else entry


def overview_of(entry: Loaded) -> Overview:
    """Returns the overview of a document that was loaded."""
    columns = getattr(entry.document, "columns", None)
    return Overview(
        entry.id,
        entry.path,
        comment=entry.document.comment,
        columns=None if columns is None else len(columns),
    )
