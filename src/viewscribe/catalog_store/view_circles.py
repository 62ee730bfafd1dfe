"""Views that would read each other in a circle, found before one of them is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from viewscribe.catalog_store.documents.model import Dependency, ViewDocument
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.manager import CatalogManager, ObjectPath, Relation
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Token
from viewscribe.errors import NotSerializableError, ViewscribeError


def refuse_circle(
    catalogs: CatalogManager, path: ObjectPath, dependencies: Iterable[Dependency]
) -> None:
    """Refuses a view that would read views which read it: none of them could be opened.

    Args:
        catalogs: what views are there.
        path: the view.
        dependencies: what it is to read.

    Raises:
        NotSerializableError: it would.
    """
    mine = tuple(map(fold, path))
    waiting: list[tuple[tuple[str, ...], ...]] = [
        (each.name,) for each in dependencies if each.kind == "view"
    ]
    seen: set[tuple[str, ...]] = set()
    while waiting:
        way = waiting.pop()
        name = tuple(map(fold, way[-1]))
        if name == mine:
            shown = " reads ".join(f"`{'.'.join(each)}`" for each in (tuple(path), *way))
            raise NotSerializableError(
                f"views would read each other in a circle: {shown}",
                hint="store it under another name",
            )
        if name not in seen:
            seen.add(name)
            waiting += [(*way, each) for each in _views_read(catalogs, way[-1])]


def rename_view(
    catalogs: CatalogManager, parts: Sequence[str], to: Sequence[str], change: Change | None = None
) -> Token:
    """Renames a view, unless views that read its new name are among those that it reads.

    Raises:
        AlreadyExistsError: the name is taken.
        InvalidNameError: the new name is in another catalog.
        NotSerializableError: it would read itself, directly or through other views.
    """
    new = catalogs.resolve_new_name(catalogs.resolve(parts), to)
    document = catalogs.get("view", parts).document
    if isinstance(document, ViewDocument):
        refuse_circle(catalogs, new, document.dependencies)
    return catalogs.rename("view", parts, to, change=change)


def _views_read(catalogs: CatalogManager, name: tuple[str, ...]) -> list[tuple[str, ...]]:
    with suppress(ViewscribeError):  # what cannot be read reads nothing
        relation = catalogs.relation(name)
        document = relation.document if isinstance(relation, Relation) else None
        if isinstance(document, ViewDocument):
            return [each.name for each in document.dependencies if each.kind == "view"]
    return []
