"""A catalog wrapper that reports progress of a full read and remembers unreadable documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog, Loaded, Unreadable
    from viewscribe.cli.progress import Progress


class Watched:
    """Delegates to a catalog, and reports every document that is loaded.

    Args:
        catalog: the catalog.
        progress: the display to report to.
    """

    def __init__(self, catalog: Catalog, progress: Progress) -> None:
        self._catalog = catalog
        self._progress = progress
        self.documents = 0
        self.unreadable: list[Unreadable] = []

    def load_all(self) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog."""
        from viewscribe.catalog_store import Unreadable

        for entry in self._catalog.load_all():
            self.documents += 1
            self._progress.done(str(entry.id))
            if isinstance(entry, Unreadable):
                self.unreadable.append(entry)
            yield entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    @property
    def as_catalog(self) -> Catalog:
        """Returns itself as a ``Catalog``; type checkers do not see the delegated methods."""
        return cast("Catalog", self)
