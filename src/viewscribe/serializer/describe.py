"""Names for derived tables and CTEs, after what they are: ``orders_grouped``."""

from __future__ import annotations

import re

from viewscribe.serializer.blocks import Block, JoinItem, source_of

_SUFFIXES = re.compile(
    r"_(?:grouped|filtered|computed|distinct|limited|sorted|windowed|combined|joined)(?:_\d+)?$"
)


def describe(block: Block) -> str:
    """A name that says where the rows come from and what was done to them last."""
    source = _SUFFIXES.sub("", _source(block))
    return f"{source}_{_describe_operation(block)}"


def _source(block: Block) -> str:
    if block.body is not None:
        return _source(block.body.parts[0])
    if block.relations:
        return block.relations[0].wanted or "rows"
    return "rows"


def _describe_operation(block: Block) -> str:
    if block.body is not None:
        return "combined"
    if block.limited:
        return "limited"
    if block.order:
        return "sorted"
    if block.distinct:
        return "distinct"
    if block.has_windows():
        return "windowed"
    if block.group is not None:
        return "grouped"
    # What is computed stands behind the columns of what is read, which may be many.
    if any(source_of(column) is None for column in reversed(block.columns)):
        return "computed"
    if block.where:
        return "filtered"
    return "joined" if isinstance(block.from_, JoinItem) else "rows"
