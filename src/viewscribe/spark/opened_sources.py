"""What a run over many views has found and opened before, so that nothing is done twice."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.catalog_store import Relation
from viewscribe.catalog_store.documents.model import Dependency

_MOST = 1_000


class OpenedSources:
    """Tables and views that are in this Spark, and the documents that views named last.

    Functions are never among them: temporary ones belong to a session, of which there are several.
    """

    def __init__(self) -> None:
        self._opened: set[tuple[str, object]] = set()
        self._found: dict[tuple[str, ...], Relation] = {}

    def has(self, source: Relation | Dependency) -> bool:
        """Whether the source was opened, in the state that it has."""
        return _key(source) in self._opened

    def add(self, source: Relation | Dependency) -> None:
        """Notes that a source was opened."""
        key = _key(source)
        if key is not None:
            self._opened.add(key)

    def find(self, path: Sequence[str]) -> Relation | None:
        """Returns the document that was found under a path."""
        return self._found.get(tuple(path))

    def keep(self, path: Sequence[str], source: Relation) -> None:
        """Keeps a document; of very many, the ones that were found last."""
        if len(self._found) >= _MOST:
            del self._found[next(iter(self._found))]
        self._found[tuple(path)] = source


def _key(source: Relation | Dependency) -> tuple[str, object] | None:
    if isinstance(source, Relation):
        return str(source.path).lower(), source.token
    return (".".join(source.name).lower(), None) if source.kind == "table" else None
