"""The views of a folder become those of a catalog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from viewscribe.table_api.statements.tables import create_table
from viewscribe.table_api.statements.views import create_view
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.sql_files.folder import SqlFolder


def store_folder(
    folder: SqlFolder, *, or_replace: bool = False, tell: Callable[[str], None] = lambda name: None
) -> list[str]:
    """Stores what a folder defines, tables first and each view after those that it reads.

    Databases that the folder names are made. Nothing is stored where a name is taken.

    Args:
        folder: the folder, which was read and has no findings.
        or_replace: whether what is there under a name may be replaced.
        tell: is told of each name that was stored.

    Returns:
        The full names of the views.

    Raises:
        AlreadyExistsError: a name is taken.
    """
    import msgspec

    catalogs = folder.env.catalogs
    paths = {key: folder.path(key) for key in (*folder.tables, *folder.order)}
    for database in dict.fromkeys(path.database for path in paths.values()):
        if database.casefold() not in [each.casefold() for each in catalogs.list_databases()]:
            folder.env.create_database(quote_name((database,)))
    for key in folder.order:
        definition = folder.views[key].definition
        if not definition.lenient:
            catalogs.require_free(paths[key], or_replace=or_replace or definition.replace)
    for key, table in folder.tables.items():
        made = msgspec.structs.replace(
            table.definition, replace=or_replace or table.definition.replace
        )
        create_table(folder.env, table.text, made)
        tell(quote_name(paths[key][1:]))
    stored = []
    for key in folder.order:
        view = folder.views[key]
        definition = msgspec.structs.replace(
            view.definition, replace=or_replace or view.definition.replace
        )
        create_view(folder.env, view.text, definition)
        stored.append(quote_name(paths[key][1:]))
        tell(stored[-1])
    return stored
