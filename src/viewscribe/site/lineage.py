"""What columns come from, down to the tables, and what they feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from viewscribe.catalog_store.lineage.influence import (
    DIRECT,
    INDIRECT,
    NOTHING,
    ColumnId,
    Influence,
    Origins,
    compose,
)
from viewscribe.site.analysis import Analysis
from viewscribe.site.contents import Contents, Entry, Path, key_of

ColumnKey = tuple[tuple[str, ...], str]

_MOST_LEAVES = 100


class Leaves(NamedTuple):
    """What the values of a column come from, or depend on.

    Args:
        columns: columns of tables, and those of views that cannot be followed further, with their
            influence, in order; at most a hundred.
        more: whether there are more.
    """

    columns: Mapping[ColumnId, Influence]
    more: bool = False


class SiteLineage:
    """The lineage of all columns of a catalog.

    Args:
        contents: the catalog.
        analyses: what was worked out of its views, by their pages.
    """

    def __init__(self, contents: Contents, analyses: Mapping[str, Analysis]) -> None:
        self._contents = contents
        self._analyses = analyses
        self._leaves: dict[ColumnKey, Leaves] = {}

    def analysis(self, entry: Entry) -> Analysis | None:
        """Returns what was worked out of a view."""
        return self._analyses.get(entry.page)

    def direct(self, entry: Entry, index: int) -> Origins:
        """Returns what the values of a column come from, one step away."""
        found = self._analyses.get(entry.page)
        return NOTHING if found is None or index >= len(found.columns) else found.columns[index]

    def leaves(self, entry: Entry, index: int) -> Leaves:
        """Returns the columns of tables that a column comes from, across all views between."""
        start = _key(ColumnId(entry.path, entry.columns[index].name))
        pending: list[tuple[ColumnKey, Origins | None]] = [(start, None)]
        begun: set[ColumnKey] = set()
        while pending:
            key, origins = pending.pop()
            if origins is not None:
                self._leaves[key] = self._gather(origins)
            elif key not in self._leaves and key not in begun:
                begun.add(key)  # a circle ends where it began
                origins = self._origins(key)
                pending.append((key, origins))
                pending += [(each, None) for each in map(_key_of_view, origins) if each]
        return self._leaves[start]

    def gap(self, path: Path, column: str | None = None) -> str:
        """Returns why a view, or a column of it, cannot be followed further, or nothing."""
        entry = self._contents.relation(path)
        if entry is None:
            return "is not there" if self._contents.names_view(path) else ""
        if entry.kind == "view" and entry.error is not None:
            return "cannot be read"
        analysis = self.analysis(entry)
        if analysis is None:
            return ""
        if column is not None and column.lower() not in (
            each.name.lower() for each in entry.columns
        ):
            return "has no such column"
        return "has unknown lineage" if analysis.unknown else ""

    def feeds(self, entry: Entry, column: str) -> Sequence[tuple[ColumnId, Influence]]:
        """Returns the columns, and the rows, of views that a column influences, one step away."""
        return self._fed.get(_key(ColumnId(entry.path, column)), ())

    def _gather(self, origins: Origins) -> Leaves:
        found: dict[ColumnId, Influence] = {}
        more = False
        for source, step in origins.items():
            below = self._leaves.get(_key(source)) if source.column is not None else None
            if below is None or not (below.columns or self._ends_in(source)):
                below = Leaves({source: Influence.IDENTITY})
            more |= below.more
            for leaf, influence in below.columns.items():
                made = _through(step, influence)
                known = found.get(leaf)
                found[leaf] = made if known is None or known is made else known | made
        if len(found) > _MOST_LEAVES:
            return Leaves(dict(list(found.items())[:_MOST_LEAVES]), True)
        return Leaves(found, more)

    def _origins(self, key: ColumnKey) -> Origins:
        entry = self._contents.relation(key[0])
        if entry is None:
            return NOTHING
        for index, column in enumerate(entry.columns):
            if column.name.lower() == key[1]:
                found = self.direct(entry, index)
                return {each: how for each, how in found.items() if each.column is not None}
        return NOTHING

    def _ends_in(self, source: ColumnId) -> bool:
        """Whether a column of a view is known to have values of its own, as literals are."""
        return self._contents.names_view(source.path) and not self.gap(*source)

    @cached_property
    def _fed(self) -> dict[ColumnKey, list[tuple[ColumnId, Influence]]]:
        found: dict[ColumnKey, list[tuple[ColumnId, Influence]]] = {}
        for entry in self._contents.entries:
            analysis = self.analysis(entry)
            if analysis is None:
                continue
            names = [each.name for each in entry.columns]
            for name, origins in (
                *zip(names, analysis.columns, strict=False),
                (None, analysis.rows),
            ):
                for source, how in origins.items():
                    if source.column is not None:
                        found.setdefault(_key(source), []).append((ColumnId(entry.path, name), how))
        return found


def values_of(origins: Origins) -> Origins:
    """Returns those of which values end up in a column."""
    return {
        each: influence
        for each, influence in origins.items()
        if each.column is not None and _is_direct(influence)
    }


@cache
def _is_direct(influence: Influence) -> bool:
    return bool(influence & DIRECT)


@cache
def _through(step: Influence, below: Influence) -> Influence:
    """What is below a step influences, where the step itself may be both direct and indirect."""
    direct = compose(_strongest(step), below) if step & DIRECT else Influence(0)
    return direct | (step & INDIRECT)


def _strongest(influence: Influence) -> Influence:
    """The influence that counts of several direct ones."""
    direct = influence & DIRECT
    for each in (Influence.AGGREGATION, Influence.TRANSFORMATION):
        if direct & each:
            return each
    return Influence.IDENTITY


def _key(column: ColumnId) -> ColumnKey:
    return key_of(column.path), (column.column or "").lower()


def _key_of_view(column: ColumnId) -> ColumnKey | None:
    return None if column.column is None else _key(column)
