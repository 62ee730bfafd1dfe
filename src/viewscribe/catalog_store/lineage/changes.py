"""How the lineage of a query differs from that of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from viewscribe.catalog_store.lineage.drawings import words
from viewscribe.catalog_store.lineage.influence import ColumnId, Origins
from viewscribe.catalog_store.lineage.operations import query_lineage
from viewscribe.operations.base import QueryOperation


class LineageChange(NamedTuple):
    """An influence that came, went or is another; ``column`` None stands for the rows."""

    column: str | None
    source: ColumnId
    before: str | None
    after: str | None

    def __str__(self) -> str:
        sign = "+" if self.before is None else "-" if self.after is None else "~"
        how = " -> ".join(each for each in (self.before, self.after) if each is not None)
        return f"{sign} {self.column or '(rows)'} <- {self.source} ({how})"


def lineage_changes(before: QueryOperation, after: QueryOperation) -> list[LineageChange]:
    """What depends on something else than before, column by column, and the rows at the end."""
    old, new = _origins(before), _origins(after)
    found: list[LineageChange] = []
    for column in dict.fromkeys((*new, *old)):
        was, now = old.get(column, {}), new.get(column, {})
        for source in sorted({*was, *now}, key=str):
            change = LineageChange(column, source, _words(was, source), _words(now, source))
            if change.before != change.after:
                found.append(change)
    return sorted(found, key=lambda each: each.column is None)


def _origins(tree: QueryOperation) -> dict[str | None, Origins]:
    lineage = query_lineage(tree)
    names: Sequence[str] = tree.schema.names
    return {**dict(zip(names, lineage.columns, strict=True)), None: lineage.rows}


def _words(origins: Origins, source: ColumnId) -> str | None:
    influence = origins.get(source)
    return None if influence is None else words(influence)
