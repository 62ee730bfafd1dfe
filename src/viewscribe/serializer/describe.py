"""Names for derived tables and CTEs, after what they are: ``orders_grouped``."""

from __future__ import annotations

import re

from viewscribe.expressions.functions.asynchronous.options import gives_array_of_rows
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import Block, JoinItem, source_of

_SUFFIXES = re.compile(
    r"_(?:grouped|filtered|computed|distinct|limited|sorted|windowed|combined|joined)(?:_\d+)?$"
)


def describe(block: Block) -> str:
    """A name that says where the rows come from and what was done to them last."""
    source = _SUFFIXES.sub("", _source(block))
    return f"{source}_{_describe_operation(block)}"


def name_generated(operation: n.Generate) -> str:
    """A name for the rows of a generator: that of its only column, or of what makes them."""
    if len(operation.names) == 1:
        return operation.names[0]
    call = operation.call
    inner = call.args[0] if call.args else call
    return inner.function.name if gives_array_of_rows(inner) else call.function.name


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
