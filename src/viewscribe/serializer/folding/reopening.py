"""Taking a derived table apart once nothing is left of why it became one.

A step may need a SELECT of its own for a column that a later step drops. No text says such a
column, so the next step joins the query below as if it had never been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, with_columns
from viewscribe.operations import nodes as n
from viewscribe.parser.scopes import is_made_up
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Relation,
    RelationItem,
    SetBody,
    SourceColumn,
    unique_names,
)
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open


def derive_from(block: Block) -> Block | None:
    """The query that the block reads, where it only chooses and computes columns of it.

    A name that the user gave to the query keeps it together, and so does a window of time, which
    says how often each row is there whether it is shown or not.
    """
    item = block.from_
    if type(item) is not RelationItem or type(item.relation.source) is not Block:
        return None
    relation = item.relation
    if relation.sample or not block.bare or block.is_anchored():
        return None
    return relation.source if is_made_up(relation.wanted) else None


def over_derived(
    block: Block,
    expressions: Sequence[ResolvedExpression],
    columns: Sequence[Column] | None = None,
) -> list[ResolvedExpression] | None:
    """Expressions over a block as they are over the query that it reads.

    None where one holds what must stay where it is, such as what is drawn anew.

    Args:
        block: the block.
        expressions: over its columns.
        columns: what these were when the expressions were written, if not what they are.
    """
    found = []
    below: _Below | None = None
    for expression in expressions:
        if features_of(expression).volatile:
            return None
        if below is None:
            below = _Below(block.relations[0])
        made = below.move(expression, block.columns if columns is None else columns)
        if made is None:
            return None
        found.append(made)
    return found


class _Below:
    """What expressions are over the query that a block reads."""

    __slots__ = ("places", "relation")

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.places = {name: place for place, name in enumerate(relation.columns)}

    def move(
        self, expression: ResolvedExpression, columns: Sequence[Column]
    ) -> ResolvedExpression | None:
        """The expression; None where it holds what must stay where it is."""
        if type(expression) is FieldReference:
            column = columns[expression.index]
            return (
                self._move_column(column)
                if type(column) is BoundColumn
                else self._read(column, expression)
            )
        values: dict[int, ResolvedExpression] = {}
        for index in features_of(expression).refs:
            column = columns[index]
            if isinstance(column, BoundColumn):
                value = self._move_column(column)
                if value is None:
                    return None
                values[index] = value
        return with_columns(
            expression,
            lambda each: values.get(each.index) or self._read(columns[each.index], each),
        )

    def _move_column(self, column: BoundColumn) -> ResolvedExpression | None:
        """What the column is, which is kept: each step of a long chain asks for the one before."""
        known = column.below
        if known is not None and known[0] is self.relation:
            return known[1]
        kind = column.features
        if kind.subquery or kind.volatile or kind.correlated or kind.anchored:
            return None
        made = self.move(column.expression, column.env.columns)
        if made is not None:
            column.below = self.relation, made
        return made

    def _read(self, column: Column, reference: FieldReference) -> FieldReference:
        assert isinstance(column, SourceColumn)
        return FieldReference(self.places[column.name], reference.name, reference.type)


def unwrap(block: Block) -> Block:
    """The query that the block reads, where it gives the very columns of it."""
    inner = derive_from(block)
    if inner is None or len(block.columns) != len(inner.columns):
        return block
    relation = block.relations[0]
    for column, name in zip(block.columns, relation.columns, strict=True):
        if type(column) is not SourceColumn or column.name != name:
            return block
    return inner if list(block.names) == list(inner.names) else block


# Set operations, ORDER BY, LIMIT and OFFSET.


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
