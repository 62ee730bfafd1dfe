"""A catalog over another one: what a test stores is seen by that test, and written nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from viewscribe.catalog_store import (
    AlreadyExistsError,
    Catalog,
    CatalogError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
)
from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable, fold
from viewscribe.catalog_store.stores.memory import MemoryCatalog


class LayeredCatalog:
    """Objects of its own over those of another catalog, which it never changes.

    Args:
        base: the other catalog.
    """

    def __init__(self, base: Catalog) -> None:
        self._base = base
        self._own = MemoryCatalog()

    @property
    def url(self) -> str:
        """Where the catalog below is."""
        return self._base.url

    def list_databases(self) -> list[str]:
        return sorted({*self._base.list_databases(), *self._own.list_databases()}, key=fold)

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        return self._layer_of(name).get_database(name)

    def create_database(self, document: DatabaseDocument) -> Token:
        if self._has_below(document.name):
            raise AlreadyExistsError(f"there is a database `{document.name}`")
        return self._own.create_database(document)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        self._require_own_database(document.name)
        return self._own.replace_database(document, expected=expected)

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        self._require_own_database(name)
        self._own.drop_database(name, cascade=cascade)

    def get(self, kind: Any, database: str, name: str) -> Any:
        try:
            return cast("Any", self._own).get(kind, database, name)
        except (DatabaseNotFoundError, ObjectNotFoundError):
            return cast("Any", self._base).get(kind, database, name)

    def kind_of(self, database: str, name: str) -> ObjectKind | None:
        own = self._own.kind_of(database, name) if self._has_own(database) else None
        if own is not None or not self._has_below(database):
            return own
        return self._base.kind_of(database, name)

    def find(self, database: str, name: str) -> Any:
        own = self._own.find(database, name) if self._has_own(database) else None
        if own is not None or (self._has_own(database) and not self._has_below(database)):
            return own
        return self._base.find(database, name)

    def find_function(self, database: str, name: str) -> Any:
        own = self._own.find_function(database, name) if self._has_own(database) else None
        return own or self._base.find_function(database, name)

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        if self._is_below(document):
            raise AlreadyExistsError(
                f"there is a {document.kind} `{document.database}.{document.name}` already"
            )
        return self._store(document, change)

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        try:
            return self._own.replace(document, expected=expected, change=change)
        except CatalogError:
            if not self._is_below(document):
                raise
        return self._store(document, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        self._require_own(kind, database, name)
        self._own.delete(kind, database, name, expected=expected)

    def rename(
        self,
        kind: ObjectKind,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None = None,
        change: Change | None = None,
    ) -> Token:
        self._require_own(kind, database, name)
        return self._own.rename(kind, database, name, to, expected=expected, change=change)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[ObjectDocument]]:
        layer = self._own if self._is_own(kind, database, name) else self._base
        return layer.history(kind, database, name)

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        if not self._has_own(database):
            return self._base.list_objects(database, kind)
        own = self._own.list_objects(database, kind)
        names = {(each.kind == "function", fold(each.name)) for each in own}
        below = self._base.list_objects(database, kind) if self._has_below(database) else []
        kept = [e for e in below if (e.kind == "function", fold(e.name)) not in names]
        return sorted([*own, *kept], key=lambda each: (fold(each.name), each.kind))

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        own = list(self._own.load_all(database))
        names = {_key(each.id) for each in own}
        yield from own
        yield from (each for each in self._base.load_all(database) if _key(each.id) not in names)

    # -- which layer -----------------------------------------------------------------------------

    def _has_own(self, database: str) -> bool:
        return fold(database) in map(fold, self._own.list_databases())

    def _has_below(self, database: str) -> bool:
        return fold(database) in map(fold, self._base.list_databases())

    def _layer_of(self, database: str) -> Catalog:
        return self._base if self._has_below(database) else self._own

    def _is_own(self, kind: DocumentKind, database: str, name: str) -> bool:
        if not self._has_own(database):
            return False
        ids = self._own.list_objects(database, cast("ObjectKind", kind))
        return fold(name) in [fold(each.name) for each in ids]

    def _is_below(self, document: ObjectDocument) -> bool:
        database, name = document.database, document.name
        if not self._has_below(database) or self._is_own(document.kind, database, name):
            return False
        if document.kind != "function":
            return self._base.kind_of(database, name) is not None
        ids = self._base.list_objects(database, "function")
        return fold(name) in [fold(each.name) for each in ids]

    def _store(self, document: ObjectDocument, change: Change | None) -> Token:
        if not self._has_own(document.database) and self._has_below(document.database):
            self._own.create_database(self._base.get_database(document.database).document)
        return self._own.create(document, change=change)

    def _require_own(self, kind: ObjectKind, database: str, name: str) -> None:
        if not self._is_own(kind, database, name):
            self._refuse(f"`{database}.{name}`")

    def _require_own_database(self, name: str) -> None:
        if self._has_below(name):
            self._refuse(f"the database `{name}`")

    def _refuse(self, what: str) -> None:
        raise CatalogError(
            f"{what} is one of {self.url}, which tests do not change",
            hint="store another object in view_env, or open the catalog in the test itself",
        )


def _key(each: ObjectId) -> tuple[str, str, bool]:
    return fold(each.database), fold(each.name), each.kind == "function"
