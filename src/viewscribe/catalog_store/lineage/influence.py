"""How one column influences another, in the terms of OpenLineage's column lineage facet.

See https://openlineage.io/docs/spec/facets/dataset-facets/column_lineage_facet. An influence is
direct if values end up in the result. It is indirect if they determine which rows there are, their
order or group, or which of several values is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntFlag
from functools import cache
from typing import NamedTuple


class Influence(IntFlag):
    """Kinds of influence; a column may have several on another."""

    IDENTITY = 1
    TRANSFORMATION = 2
    AGGREGATION = 4
    JOIN = 8
    GROUP_BY = 16
    FILTER = 32
    SORT = 64
    WINDOW = 128
    CONDITIONAL = 256
    ROWS = 512
    """Only the number of input rows, as in ``count(*)``."""


DIRECT = Influence.IDENTITY | Influence.TRANSFORMATION | Influence.AGGREGATION
INDIRECT = ~DIRECT


@cache
def parts(influence: Influence) -> tuple[Influence, ...]:
    """Returns the single kinds that an influence has, in their order."""
    return tuple(each for each in Influence if each & influence)


class ColumnId(NamedTuple):
    """A column of a table or view, by its full path; ``column`` None stands for its rows."""

    path: tuple[str, ...]
    column: str | None

    def __str__(self) -> str:
        from viewscribe.types.identifiers import quote_name

        if self.column is None:
            return f"{quote_name(self.path)} (rows)"
        return quote_name((*self.path, self.column))


Origins = Mapping[ColumnId, Influence]
"""The columns that something depends on, with their influence."""

NOTHING: Origins = {}


@cache
def compose(step: Influence, below: Influence) -> Influence:
    """Composes the influence ``below`` on a value with the influence ``step`` of that value.

    Of several direct influences the strongest counts. An indirect step makes everything below it
    indirect; an indirect influence is unchanged by a direct step.
    """
    if step & INDIRECT:
        return step
    direct = below & DIRECT
    if direct and step is Influence.AGGREGATION:
        direct = Influence.AGGREGATION
    elif direct & Influence.IDENTITY and step is Influence.TRANSFORMATION:
        direct = (direct & ~Influence.IDENTITY) | Influence.TRANSFORMATION
    return direct | (below & INDIRECT)


def add(into: dict[ColumnId, Influence], origins: Origins, step: Influence) -> None:
    """Add to ``into`` what ``origins`` have on what ``step`` makes of them."""
    for column, below in origins.items():
        influence = compose(step, below)
        found = into.get(column)
        into[column] = influence if found is None else found | influence


def merge(*several: Origins) -> Origins:
    """All origins together."""
    full = [each for each in several if each]
    if len(full) <= 1:
        return full[0] if full else NOTHING
    into = dict(full[0])
    for each in full[1:]:
        add(into, each, Influence.IDENTITY)
    return into


def kinds(influence: Influence) -> Iterator[tuple[str, str]]:
    """The kinds as OpenLineage writes them: ``("DIRECT", "IDENTITY")``; ROWS has no word there."""
    for each in parts(influence):
        if each is not Influence.ROWS:
            yield ("DIRECT" if each & DIRECT else "INDIRECT"), str(each.name)
