"""The views of a folder become those of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from viewscribe.table_api.sql_files.undo_log import UndoLog
from viewscribe.table_api.statements.tables import create_table
from viewscribe.table_api.statements.views import create_view
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.sql_files.folder import SqlFolder

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
    from viewscribe.catalog_store.errors import DatabaseNotFoundError

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
