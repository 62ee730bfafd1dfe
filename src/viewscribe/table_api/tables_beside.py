"""Tables beside a view, over files that SQL cannot read as the pipeline does: both, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogManager,
    DatabaseDocument,
    DatabaseNotFoundError,
    ObjectNotFoundError,
    Relation,
    TableDocument,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import HasTransactions
from viewscribe.operations.paths import plain_location

if TYPE_CHECKING:
    from viewscribe.spark.capture.file_tables import FileTables


@contextmanager
def tables_beside(
    catalogs: CatalogManager, tables: FileTables | None, *, keep: bool
) -> Iterator[None]:
    """In the block the catalog has the tables; those made for it go again where it fails.

    Args:
        catalogs: the catalogs, whose changes in the block are one where the catalog can do that.
        tables: the tables; None for none.
        keep: whether they stay where the block succeeds.

    Raises:
        AlreadyExistsError: the name of a table is taken by something else.
    """
    if tables is None or not tables.documents:
        yield
        return
    with _as_one(catalogs, tables.catalog), ExitStack() as undo:
        for document in tables.documents:
            _make(catalogs, tables.catalog, document, undo)
        yield
        if keep:
            undo.pop_all()


@contextmanager
def _as_one(catalogs: CatalogManager, name: str) -> Iterator[None]:
    home = catalogs.catalog(name)
    if not isinstance(home, HasTransactions):
        yield
        return
    with home.transaction() as changes:
        catalogs.register(name, changes, replace=True)
        try:
            yield
        finally:
            catalogs.register(name, home, replace=True)


def _make(catalogs: CatalogManager, home: str, document: TableDocument, undo: ExitStack) -> None:
    """Stores a table that is not there, and notes how it is taken away."""
    try:
        found = catalogs.relation((home, document.database, document.name))
    except (ObjectNotFoundError, DatabaseNotFoundError):
        pass
    else:
        assert isinstance(found, Relation)
        _require_same(found, document)
        return
    catalog = catalogs.catalog(home)
    database = DatabaseDocument(name=document.database)
    if catalogs.create_database(database, catalog=home, if_not_exists=True):
        undo.callback(catalog.drop_database, document.database)
    token = catalogs.save(document, catalog=home)
    undo.callback(catalog.delete, "table", document.database, document.name, expected=token)


def _require_same(found: Relation, wanted: TableDocument) -> None:
    there = found.document
    if not isinstance(there, TableDocument):
        raise AlreadyExistsError(
            f"`{found.path}` is a view, and the table of files beside the view would be called so",
            hint="store the view under another name",
        )
    has, wants = _definition(there), _definition(wanted)
    different = [
        f"{key}: {has.get(key)} there, {wants.get(key)} here"
        for key in {**has, **wants}
        if has.get(key) != wants.get(key)
    ]
    if different:
        raise AlreadyExistsError(
            f"the table `{found.path}` is there, and is another: {'; '.join(different)}",
            hint="drop it, or store the view under another name",
        )


def _definition(table: TableDocument) -> dict[str, str]:
    """What decides the rows of a table, by what it is called."""
    options = {f"option {fold(key)}": value for key, value in table.options.items()}
    options.pop("option serialization.format", None)  # Spark's own, of any table
    return {
        "columns": ", ".join(f"{each.name} {each.type}" for each in table.columns),
        "format": fold(table.format or "none"),
        "location": plain_location(table.location or "none"),
        "partitioned by": ", ".join(table.partitioned_by) or "nothing",
        **options,
    }
