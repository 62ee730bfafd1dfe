"""Set operations, ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.nodes import (
    FieldReference,
)
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import Block, Relation, SetBody, unique_names
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open
from viewscribe.serializer.folding.reopening import unwrap


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
    computed = [key.child for key in operation.keys if type(key.child) is not FieldReference]
    drawn = any(features_of(each).volatile for each in computed)
    if block.order and not (block.limited or operation.within_partitions or drawn) and folder.flat:
        block.order = []  # the last order counts
        block = unwrap(block)
    if must_open(folder, operation, block, computed):
        block = folder.close(block)
    env = block.env
    block.order = [(key, env) for key in operation.keys]
    block.order_word = operation.word
    return block


def _limit(folder: Folder, operation: n.Limit, block: Block) -> Block:
    block = _limitable(folder, operation, block)
    block.count = operation.count if block.count is None else min(block.count, operation.count)
    block.limited = True
    return block


def _offset(folder: Folder, operation: n.Offset, block: Block) -> Block:
    block = _limitable(folder, operation, block)
    block.start += operation.count
    block.limited = block.limited or block.start > 0
    if block.count is not None:
        block.count = max(block.count - operation.count, 0)
    if block.start >= 2**31:
        block = folder.close(block)
    return block


def _limitable(folder: Folder, operation: n.Limit | n.Offset, block: Block) -> Block:
    return folder.close(block) if must_open(folder, operation, block) else block


HANDLERS: Handlers = {
    n.SetOperation: _set,
    n.Sort: _sort,
    n.Limit: _limit,
    n.Offset: _offset,
}
