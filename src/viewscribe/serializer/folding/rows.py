"""Set operations, ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.nodes import (
    FieldReference,
)
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    Relation,
    SetBody,
    unique_names,
)
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.inlining import may_inline
from viewscribe.serializer.folding.reopening import unwrapped
from viewscribe.serializer.folding.sorted_groups import may_sort_by


def _set(folder: Folder, operation: n.SetOperation, left: Block, right: Block) -> Block:
    body = left.body
    same = (
        body is not None
        and body.kind is operation.kind
        and body.all is operation.all
        and not left.order
        and not left.limited
        and _same_types(operation.left.schema, operation.schema)
        and _same_types(operation.right.schema, operation.schema)
    )
    if body is not None and same:
        body.parts.append(right)
        left.level = max(left.level, right.level + 1)
        left.names = operation.schema.names
        return left
    level = max(left.level, right.level) + 1
    relation = Relation("", unique_names(operation.schema.names))
    block = folder.over(relation, operation.schema.names)
    block.from_ = None
    block.relations = []
    block.body = SetBody(operation.kind, operation.all, [left, right])
    block.level = level
    return block


def _same_types(schema: Any, other: Any) -> bool:
    return all(a.type.same_type(b.type) for a, b in zip(schema, other, strict=True))


def _sort(folder: Folder, operation: n.Sort, block: Block) -> Block:
    if block.order and not block.limited and not operation.within_partitions and folder.flat:
        block.order = []  # the last order counts
        block = unwrapped(block)
    if not _can_sort(block, operation):
        block = folder.close(block)
    env = block.env
    block.order = [(key, env) for key in operation.keys]
    block.order_word = operation.word
    return block


def _can_sort(block: Block, operation: n.Sort) -> bool:
    children = [key.child for key in operation.keys]
    computed = [child for child in children if type(child) is not FieldReference]
    if block.limited or block.is_anchored():
        return False
    if operation.within_partitions and block.order:
        return False  # what sorts all rows also says which partition each is in
    if block.body is not None or block.distinct:
        return not computed
    # Other keys are the names of output columns.
    if computed and block.group is not None and not may_sort_by(block, computed):
        return False
    return not computed or may_inline(block, computed, kept=True)


def _limit(folder: Folder, operation: n.Limit, block: Block) -> Block:
    block = _limitable(folder, block)
    block.count = operation.count if block.count is None else min(block.count, operation.count)
    block.limited = True
    return block


def _offset(folder: Folder, operation: n.Offset, block: Block) -> Block:
    block = _limitable(folder, block)
    block.start += operation.count
    block.limited = block.limited or block.start > 0
    if block.count is not None:
        block.count = max(block.count - operation.count, 0)
    if block.start >= 2**31:
        block = folder.close(block)
    return block


def _limitable(folder: Folder, block: Block) -> Block:
    return folder.close(block) if block.is_anchored() else block


HANDLERS: Handlers = {
    n.SetOperation: _set,
    n.Sort: _sort,
    n.Limit: _limit,
    n.Offset: _offset,
}
