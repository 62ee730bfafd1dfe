"""An order by what FROM gives, whatever the SELECT lists: the rows are sorted first."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import (
    FieldReference,
    Over,
    ResolvedExpression,
    SortOrder,
    strip_alias,
)
from viewscribe.expressions.properties import (
    is_deterministic,
    references_of,
)
from viewscribe.expressions.relocation import with_columns


def keys_below(
    keys: Sequence[SortOrder], shown: Sequence[ResolvedExpression], width: int
) -> list[SortOrder] | None:
    """The keys over the columns of FROM; none where one is of what an item computes.

    Args:
        keys: over what the SELECT shows and hides.
        shown: that, over the columns of FROM.
        width: how many of them are shown; the others are there for the order alone.
    """
    values = [strip_alias(each) for each in shown]
    if not all(is_deterministic(each) and not holds(each, Over) for each in values):
        return None

    def move(column: FieldReference) -> FieldReference:
        value = values[column.index]
        assert isinstance(value, FieldReference)
        return value

    found = []
    for key in keys:
        child = key.child
        if isinstance(child, FieldReference) and child.index >= width:
            below = values[child.index]
        else:
            used = references_of(child)
            plain = all(isinstance(values[place], FieldReference) for place in used.columns)
            if not plain or used.queries:
                return None
            below = with_columns(child, move)
        found.append(key.copy_with({"child": below}))
    return found
