"""The views of a folder become those of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.errors import DatabaseNotFoundError, ObjectNotFoundError
from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import CatalogError, ViewscribeError
from viewscribe.table_api.statements.result import create_table
from viewscribe.table_api.statements.views import create_view
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectKind, ObjectPath, Stored
    from viewscribe.table_api.sql_files.folder import SqlFolder


# What an import has changed in catalogs so far, so that it can be taken back.

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
        try:
            return self._catalogs.catalog(path.catalog).get(kind, path.database, path.name)
        except ObjectNotFoundError:
            return None

    def _restore(
        self, kind: ObjectKind, path: ObjectPath, before: Stored[Any] | None, after: Stored[Any]
    ) -> None:
        """Puts the former state back, unless somebody has changed the object since."""
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


Tell = Callable[[str], None]


def store_folder(
    folder: SqlFolder,
    *,
    or_replace: bool = False,
    drop_dialects: Collection[str] = (),
    tell: Tell = lambda name: None,
) -> list[str]:
    """Stores what a folder defines, tables first and each view after those that it reads.

    Databases that the folder names are made. Nothing is stored where a name is taken, and where
    storing fails half-way, what was stored before is taken back.

    Args:
        folder: the folder, which was read and has no findings.
        or_replace: whether what is there under a name may be replaced.
        drop_dialects: other engines that replaced views have no SQL for any more.
        tell: is told of each name that was stored.

    Returns:
        The full names of the views.

    Raises:
        AlreadyExistsError: a name is taken.
        LostTextError: a view has a text for another engine that nobody said to drop.
        ImportFailedError: storing failed, and what stands could not be taken back.
    """
    _require_free(folder, or_replace=or_replace)
    log = UndoLog(folder.env.catalogs)
    try:
        _store(folder, log, drop_dialects, or_replace=or_replace, tell=tell)
    except BaseException as error:
        standing = log.take_back(error)
        if standing is not None:
            raise standing from error
        raise
    return folder.view_names()


def _create_table(folder: SqlFolder, key: tuple[str, ...], *, or_replace: bool) -> None:
    """Makes a table whose rows are those of a query, with the columns of that."""
    definition = folder.views[key].definition
    comments = {name: comment for name, comment in definition.columns if comment is not None}
    folder.env.create_table(
        quote_name(definition.name),
        [
            Field(each.name, each.type, comments.get(each.name))
            for each in folder.queries[key].schema.fields
        ],
        comment=definition.comment,
        or_replace=or_replace or definition.replace,
    )


def _require_free(folder: SqlFolder, *, or_replace: bool) -> None:
    """Everything that storing would refuse a name for, before the first write."""
    for key in (*folder.tables, *folder.order):
        kind = "table" if key in folder.tables or folder.views[key].is_table else "view"
        definition = (folder.tables.get(key) or folder.views[key]).definition
        try:
            folder.env.catalogs.require_free(
                folder.path(key),
                or_replace=or_replace or definition.replace,
                kind=kind,  # type: ignore[arg-type]
                lenient=definition.lenient,
            )
        except DatabaseNotFoundError:
            continue  # it is made


def _store(
    folder: SqlFolder,
    log: UndoLog,
    drop_dialects: Collection[str],
    *,
    or_replace: bool,
    tell: Tell,
) -> None:
    env = folder.env
    for key in (*folder.tables, *folder.order):
        log.creates_database(folder.path(key))
    for key, table in folder.tables.items():
        made = msgspec.structs.replace(
            table.definition, replace=or_replace or table.definition.replace
        )
        path = folder.path(key)
        log.changes("table", path, partial(create_table, env, table.text, made))
        tell(quote_name(path[1:]))
    for key in folder.order:
        view, path = folder.views[key], folder.path(key)
        definition = msgspec.structs.replace(
            view.definition, replace=or_replace or view.definition.replace
        )
        if view.is_table:
            log.changes("table", path, partial(_create_table, folder, key, or_replace=or_replace))
        else:
            made_in = folder.env_of(view)
            witness = folder.foreign_witness(view)
            make = partial(
                create_view, origin=view.file, witness=witness, drop_dialects=drop_dialects
            )
            log.changes("view", path, partial(make, made_in, view.text, definition))
        tell(quote_name(path[1:]))
