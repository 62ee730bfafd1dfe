"""What is exported, and what a target of an export is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

from viewscribe.catalog_store.documents.model import TableDocument, ViewDocument
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.names import fold
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.paths import is_path
from viewscribe.parser.grammar import Reading
from viewscribe.parser.settings import make_reading
from viewscribe.types.identifiers import quote_name

Path = tuple[str, ...]
"""A full name: catalog, database and name."""

Files = Mapping[str, str]
"""The texts of files by their paths in the output folder, with ``/``."""


class Refusal(NamedTuple):
    """A view that is not exported, and why."""

    view: str
    reason: str


class ExportedView(NamedTuple):
    """A view of the catalog.

    Args:
        path: its full name.
        document: its document.
        at: when its current version was made, as ISO 8601 text in UTC.
        tree: what it means; None where its text is not read.
        text: its query, whose columns are called as in the document.
        unread: why there is no tree, or why it cannot be trusted.
    """

    path: Path
    document: ViewDocument
    at: str
    tree: QueryOperation | None = None
    text: str = ""
    unread: str | None = None

    @property
    def name(self) -> str:
        """Its name as commands accept it."""
        return quote_name(self.path[1:])

    @property
    def reads(self) -> tuple[Path, ...]:
        """The full names of the tables and views that it reads."""
        return tuple(
            self.full(each.name) for each in self.document.dependencies if each.kind != "function"
        )

    @property
    def reading(self) -> Reading:
        """How its text is read."""
        return make_reading(self.document.settings)

    def full(self, parts: Sequence[str]) -> Path:
        """What a name in its text means."""
        return (*self.path[: max(3 - len(parts), 0)], *parts)

    def table(self, parts: Sequence[str]) -> Path | None:
        """What a name of a table in its text means; None for a path of files."""
        return None if len(parts) == 2 and is_path(*parts) else self.full(parts)


class Project:
    """The views to export, and what they read.

    Args:
        catalog: the name of the catalog in the texts of its views.
        url: where it is.
        views: each after those that it reads.
        tables: the documents of its tables.
        graph: the lineage of all of it.
    """

    def __init__(
        self,
        catalog: str,
        url: str,
        views: Sequence[ExportedView],
        tables: Mapping[Path, TableDocument],
        graph: LineageGraph,
    ) -> None:
        self.catalog = catalog
        self.url = url
        self.views = tuple(views)
        self.tables = tables
        self.graph = graph

    @cached_property
    def by_key(self) -> Mapping[Path, ExportedView]:
        """The views by their folded names."""
        return {key_of(each.path): each for each in self.views}

    def is_own(self, path: Path) -> bool:
        """Whether a full name is of this catalog."""
        return fold(path[0]) == fold(self.catalog)

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """What is read and is no view of the export, then all other tables, spelled as stored."""
        spelled = {key_of(path): path for path in self.tables}
        found: dict[Path, Path] = {}
        for path in (*(each for view in self.views for each in view.reads), *self.tables):
            key = key_of(path)
            is_metadata = len(path) > 3  # of a table, with which it is there
            if key not in self.by_key and self.is_own(path) and not is_metadata:
                found.setdefault(key, spelled.get(key, path))
        return tuple(found[key] for key in sorted(found))

    def spelled(self, path: Path) -> Path:
        """The name of a table or view as its document spells it."""
        found = self._spelled.get(key_of(path))
        return path if found is None else found

    @cached_property
    def _spelled(self) -> Mapping[Path, Path]:
        views = {key: each.path for key, each in self.by_key.items()}
        return {**{key_of(path): path for path in self.sources}, **views}


class Target(Protocol):
    """A form that views are exported in."""

    makes_views: ClassVar[bool]
    """Whether the views are made from what is exported: then each must be exact."""

    keeps_properties: ClassVar[bool]
    """Whether the properties of views (``TBLPROPERTIES``) are exported, too."""

    def reason_against(self, view: ExportedView) -> str | None:
        """Says why a view cannot be in this form; None where it can."""

    def files(self, project: Project) -> Files:
        """Returns the files of the export, the same for the same project."""


def key_of(path: Sequence[str]) -> Path:
    """The name by which tables and views are compared."""
    return tuple(map(fold, path))
