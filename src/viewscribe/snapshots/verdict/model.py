"""The verdict on a change of SQL, readable by people and machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from viewscribe.catalog_store.documents.history import ColumnChange
from viewscribe.catalog_store.lineage.changes import LineageChange

Kind = Literal["same tree", "same meaning", "rows differ", "different"]
"""What a change means, from the least to the most."""

KINDS: tuple[Kind, ...] = get_args(Kind)

COSMETIC: tuple[Kind, ...] = ("same tree", "same meaning")
"""The kinds of changes that no reader of the view can notice."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a change of SQL means.

    Args:
        kind: ``same tree`` if only the layout changed, ``same meaning`` if both are proven to give
            the same rows, ``rows differ`` if they are known not to, else ``different``.
        why: how that is known, or why more is not, in one sentence.
        columns: the columns that differ.
        lineage: what columns and rows depend on, where it changed.
        rows: the first rows that differ.
        unread: whether one of the texts could not be read, so that nothing more is known.
    """

    kind: Kind
    why: str
    columns: tuple[ColumnChange, ...] = ()
    lineage: tuple[LineageChange, ...] = ()
    rows: tuple[str, ...] = ()
    unread: bool = False

    @property
    def is_cosmetic(self) -> bool:
        """Whether it is proven that nothing but the text changed."""
        return self.kind in COSMETIC

    def lines(self) -> Iterator[str]:
        """Yields the verdict, the differences in columns and lineage, and the rows."""
        yield f"verdict: {self.kind} ({self.why})"
        parts = (("columns", self.columns), ("lineage", self.lineage), ("rows", self.rows))
        for title, found in parts:
            if found:
                yield f"{title}:"
                yield from (f"  {each}" for each in found)

    def to_json(self) -> dict[str, Any]:
        """Returns the verdict as JSON-serializable data."""
        return {
            "kind": self.kind,
            "why": self.why,
            "columns": [*map(str, self.columns)],
            "lineage": [*map(str, self.lineage)],
            "rows": list(self.rows),
        }

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.notebook import heading, marked, show, text_block

        style = "good" if self.is_cosmetic else "bad"
        _first, *others = self.lines()
        return show(
            str(self),
            heading(marked(self.kind, style), f": {self.why}"),
            text_block("\n".join(others)) if others else None,
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())
