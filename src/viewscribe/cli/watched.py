"""A catalog that tells how far reading all of it is, and remembers what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog, Loaded, Unreadable
    from viewscribe.cli.progress import Progress


class Watched:
    """Everything that the catalog is, but for what it tells while it is read.

    Args:
        catalog: the catalog.
        progress: is told of each document.
    """

    def __init__(self, catalog: Catalog, progress: Progress) -> None:
        self._catalog = catalog
        self._progress = progress
        self.documents = 0
        self.unreadable: list[Unreadable] = []

    def load_all(self) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog."""
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
        """Itself: the protocol has more methods than a type checker sees here."""
        return cast("Catalog", self)
