"""What CTEs save: a statement whose parts are said once is kept where its text is shorter so.

The text decides, not the tree, of which a text says only a part: so the tree that is read from it
is printed with the same CTEs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SubqueryAlias, TableFunction, Values
from viewscribe.serializer.blocks import Block, RelationItem, SourceColumn
from viewscribe.serializer.folding import Steps
from viewscribe.serializer.folding.steps import is_step_reference
from viewscribe.serializer.sharing import length_of_names


def find_wasteful(steps: Steps, counts: Mapping[QueryOperation, int]) -> Iterator[QueryOperation]:
    """The operations that are CTEs of a printed statement, which is shorter without them.

    Args:
        steps: the CTEs with their texts.
        counts: how often each operation occurs.
    """
    for operation, name in steps.by_operation.items():
        block = steps.blocks[name]
        if is_step_reference(block):  # under another name, or with other names for its columns
            yield operation
            continue
        if isinstance(operation, SubqueryAlias):  # a CTE however often it is read
            continue
        if _is_trivial(block) or not _saves(steps, name, block, counts[operation]):
            yield operation


def _is_trivial(block: Block) -> bool:
    """Whether it only chooses and names columns of a table."""
    item = block.from_
    if not (block.bare and _is_plain(block) and isinstance(item, RelationItem)):
        return False
    source = item.relation.source
    return source is None or isinstance(source, Values | TableFunction)


def _saves(steps: Steps, name: str, block: Block, count: int) -> bool:
    """Whether the text is shorter with the CTE, and its name at each place.

    A join or a filter becomes part of the query around it when it is spelled out; as a CTE it has
    a SELECT of its own that lists every column.
    """
    query = len(steps.texts[name]) - len(name) - len(" AS (  )")
    columns = 0
    if _is_open(block) and any(each.wanted == name for each in steps.readers[name]):
        columns = len("SELECT") + sum(len(column) + 4 for column in block.names)
    return (query - columns) * (count - 1) > columns + length_of_names(count)


def _is_plain(block: Block) -> bool:
    return block.plain or all(type(column) is SourceColumn for column in block.columns)


def _is_open(block: Block) -> bool:
    """Whether it is FROM and WHERE, over columns as they are."""
    return _is_plain(block) and not (
        block.body is not None
        or block.group is not None
        or block.qualify
        or block.distinct
        or block.order
        or block.limited
        or block.hints
    )
