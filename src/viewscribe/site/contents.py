"""What a catalog holds, as the pages need it: objects, what they read, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from viewscribe.catalog_store.documents.model import (
    Column,
    DatabaseDocument,
    FunctionDocument,
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.functions import stored_function
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Catalog, Loaded, ObjectId, Unreadable
from viewscribe.errors import ViewscribeError
from viewscribe.parser.full_names import sources_of_function
from viewscribe.secrets import mask_value
from viewscribe.site.addresses import assign_page_ids

Path = tuple[str, ...]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of the catalog.

    Args:
        page: its identity in the site.
        id: its kind, database and name.
        path: its full name.
        file: where its document is.
        document: the document; None if it cannot be read.
        error: why it cannot be read.
        version: the number, time and author of its present state.
    """

    page: str
    id: ObjectId
    path: Path
    file: str
    document: ObjectDocument | None = None
    error: CatalogError | None = None
    version: Version | None = None

    @property
    def kind(self) -> str:
        """View, table or function."""
        return self.id.kind

    @property
    def name(self) -> str:
        """The name without its database."""
        return self.id.name

    @property
    def comment(self) -> str:
        """The comment of its author."""
        return (self.document.comment or "") if self.document is not None else ""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of a view or table."""
        return getattr(self.document, "columns", ())


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that an object reads or calls: an object of the catalog, or only a name."""

    kind: str
    path: Path
    entry: Entry | None


@dataclass
class Contents:
    """A catalog as it is read for a site.

    Args:
        name: the name that views use for it.
        url: where it is.
        entries: its objects, in the order of their names.
        databases: its databases with their comments.
        unreadable: documents of databases that cannot be read.
    """

    name: str
    url: str
    entries: Sequence[Entry]
    databases: Sequence[tuple[str, str]]
    unreadable: Sequence[Unreadable] = ()
    _references: dict[str, tuple[Reference, ...]] = field(default_factory=dict)

    @cached_property
    def _relations(self) -> dict[Key, Entry]:
        several = [each for each in self.entries if each.kind != "function"]
        several.sort(key=lambda each: each.document is not None)  # what can be read goes last
        return {key_of(each.path): each for each in several}

    @cached_property
    def _functions(self) -> dict[Key, Entry]:
        return {key_of(each.path): each for each in self.entries if each.kind == "function"}

    def relation(self, path: Path) -> Entry | None:
        """Returns the view or table of a full name."""
        return self._relations.get(key_of(path))

    def names_view(self, path: Path) -> bool:
        """Returns whether a full name is that of a view, which may be missing or damaged."""
        found = self.relation(path)
        return key_of(path) in self._missing_views if found is None else found.kind == "view"

    @cached_property
    def _missing_views(self) -> set[Key]:
        several = (one for each in self.entries for one in self.references(each))
        return {key_of(one.path) for one in several if one.entry is None and one.kind == "view"}

    def function(self, path: Path) -> Entry | None:
        """Returns the function of a full name."""
        return self._functions.get(key_of(path))

    def references(self, entry: Entry) -> tuple[Reference, ...]:
        """Returns what an object reads and calls."""
        found = self._references.get(entry.page)
        if found is None:
            named = dict.fromkeys(_names_in(entry))
            found = tuple(self._refer(kind, path) for kind, path in named)
            self._references[entry.page] = found
        return found

    def readers(self, entry: Entry) -> Sequence[Entry]:
        """Returns the objects that read or call it."""
        return self._readers.get(entry.page, ())

    @cached_property
    def _readers(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for each in self.entries:
            pages = {one.entry.page for one in self.references(each) if one.entry is not None}
            for page in pages:
                found.setdefault(page, []).append(each)
        return found

    def _refer(self, kind: str, path: Path) -> Reference:
        entry = self.function(path) if kind == "function" else self.relation(path)
        return Reference(kind if entry is None else entry.kind, path, entry)


def key_of(path: Iterable[str]) -> Key:
    """Returns the form in which full names are compared."""
    return tuple(map(fold, path))


def read_contents(
    catalog: Catalog, name: str, watch: Callable[[str], None] = lambda object_: None
) -> Contents:
    """Reads a whole catalog; what cannot be read is part of it, with its error.

    Args:
        catalog: the catalog.
        name: the name that its views use for it.
        watch: is called with each object that is read.
    """
    found: dict[ObjectId, Loaded | Unreadable] = {}
    databases: dict[str, str] = {}
    damaged: list[Unreadable] = []
    for each in catalog.load_all():
        watch(str(each.id))
        if each.id.kind != "database":
            found[each.id] = each
            databases.setdefault(each.id.database, "")
        elif isinstance(each, Unreadable):
            damaged.append(each)
        else:
            assert isinstance(each.document, DatabaseDocument)
            databases[each.document.name] = each.document.comment or ""
    pages = assign_page_ids(found)
    entries = [_entry(name, pages[id_], each) for id_, each in found.items()]
    entries.sort(key=lambda each: (fold(each.id.database), fold(each.name), each.kind, each.page))
    ordered = sorted(databases.items(), key=lambda each: (fold(each[0]), each[0]))
    return Contents(name, mask_value(catalog.url), entries, ordered, damaged)


def _entry(catalog: str, page: str, found: Loaded | Unreadable) -> Entry:
    path = (catalog, found.id.database, found.id.name)
    if isinstance(found, Unreadable):
        return Entry(page, found.id, path, found.path, error=found.error)
    document = found.document
    assert isinstance(document, ViewDocument | TableDocument | FunctionDocument)
    return Entry(page, found.id, path, found.path, document=document, version=found.version)


def _names_in(entry: Entry) -> Iterable[tuple[str, Path]]:
    document = entry.document
    if isinstance(document, ViewDocument):
        return [(each.kind, each.name) for each in document.dependencies]
    if not isinstance(document, FunctionDocument):
        return ()
    try:
        source = stored_function(entry.path, document).source
        tables, functions = sources_of_function(source, entry.path[:2])
    except ViewscribeError:
        return ()  # a body that nobody can read names nothing
    return [*(("table", each) for each in tables), *(("function", each) for each in functions)]
