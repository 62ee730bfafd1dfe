"""What an import has changed in catalogs so far, so that it can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from viewscribe.errors import CatalogError, ViewscribeError
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectKind, ObjectPath, Stored

Back = Callable[[], None]


class ImportFailedError(CatalogError):
    """Storing failed half-way, and what was stored before could not all be taken back."""


class UndoLog:
    """Notes what was there before each change, and restores it.

    Args:
        catalogs: where changes are made.
    """

    def __init__(self, catalogs: CatalogManager) -> None:
        self._catalogs = catalogs
        self._steps: list[tuple[str, Back]] = []

    def creates_database(self, path: ObjectPath) -> None:
        """Makes the database of a path where it is missing, and notes that."""
        from viewscribe.catalog_store.documents.model import DatabaseDocument
        from viewscribe.catalog_store.names import fold

        catalog = self._catalogs.catalog(path.catalog)
        if fold(path.database) in map(fold, catalog.list_databases()):
            return
        what = f"database {quote_name((path.database,))}"
        self._steps.append((what, lambda: catalog.drop_database(path.database)))
        try:
            catalog.create_database(DatabaseDocument(name=path.database))
        except BaseException:
            self._steps.pop()
            raise

    def changes(self, kind: ObjectKind, path: ObjectPath, change: Callable[[], Any]) -> None:
        """Makes one change of an object, and notes what was there before it."""
        before = self._find(kind, path)
        what = f"{kind} {quote_name(path[1:])}"
        try:
            change()
        except BaseException:
            if _is_other(before, self._find(kind, path)):  # whoever it was: it is not sure
                self._steps.append((what, _unsure))
            raise
        after = self._find(kind, path)
        if after is not None and _is_other(before, after):
            self._steps.append((what, lambda: self._restore(kind, path, before, after)))

    def take_back(self, error: BaseException) -> ViewscribeError | None:
        """Undoes all changes, the last one first.

        Returns:
            What could not be undone; None where everything is as it was.
        """
        standing = []
        while self._steps:
            what, back = self._steps.pop()
            try:
                back()
            except (CatalogError, OSError) as kept:
                standing.append(f"{what} stands: {getattr(kept, 'message', None) or kept}")
        if not standing:
            return None
        failed = getattr(error, "message", None) or str(error) or type(error).__name__
        return ImportFailedError(
            f"{failed}; what was stored before could not all be taken back",
            location="\n      ".join(standing),
            hint="look at what stands, and run the import again with --replace to go on",
        )

    def _find(self, kind: ObjectKind, path: ObjectPath) -> Stored[Any] | None:
        from viewscribe.catalog_store.errors import ObjectNotFoundError

        try:
            return self._catalogs.catalog(path.catalog).get(kind, path.database, path.name)
        except ObjectNotFoundError:
            return None

    def _restore(
        self, kind: ObjectKind, path: ObjectPath, before: Stored[Any] | None, after: Stored[Any]
    ) -> None:
        """Puts the former state back, unless somebody has changed the object since."""
        from viewscribe.catalog_store.documents.versions import Change

        catalog = self._catalogs.catalog(path.catalog)
        if before is None:
            catalog.delete(kind, path.database, path.name, expected=after.token)
            return
        reason = "an import that failed was taken back"
        change = Change(operation="rollback", reason=reason)
        catalog.replace(before.document, expected=after.token, change=change)


def _is_other(before: Stored[Any] | None, after: Stored[Any] | None) -> bool:
    return (before and before.token) != (after and cast("Any", after).token)


def _unsure() -> None:
    raise CatalogError("it was changed while storing it failed, perhaps by somebody else")
