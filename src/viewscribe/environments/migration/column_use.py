"""Which columns views use: from lineage, or from the names in their text if that is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.lineage import ColumnId, ViewLineage, view_lineage
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.text_reader import FindColumns
from viewscribe.environments.migration.columns import Path, by_names


def column_use(
    view: ViewDocument,
    lineage: ViewLineage | None = None,
    columns_of: FindColumns | None = None,
) -> Mapping[Path, frozenset[str] | None]:
    """Returns the folded names of the columns that a view uses, by path; None means any.

    Args:
        view: the view.
        lineage: its lineage, if already known.
        columns_of: finds the columns of what it reads, to compute the lineage.
    """
    found = lineage or view_lineage(("", view.database, view.name), view, columns_of)
    if found.unknown:
        return by_names(view)
    used: dict[Path, set[str]] = {}
    for each in list_named(found):
        if each.column is not None:
            used.setdefault(fold_name(each.path), set()).add(each.column.lower())
    paths = dict.fromkeys(each.name for each in view.dependencies if each.kind != "function")
    return {path: frozenset(used.get(fold_name(path), ())) for path in paths}


def list_named(lineage: ViewLineage) -> Iterator[ColumnId]:
    """Yields every column that a view names, with or without influence; may repeat columns."""
    yield from lineage.carried
    yield from lineage.rows
    for origins in lineage.columns.values():
        yield from origins


def fold_name(path: Path) -> Path:
    """Returns the case-folded path, for comparison."""
    return tuple(map(fold, path))
