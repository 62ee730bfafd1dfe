"""Taking a derived table apart once nothing is left of why it became one.

A step may need a SELECT of its own for a column that a later step drops. No text says such a
column, so the next step joins the query below as if it had never been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression
from viewscribe.expressions.relocation import with_columns
from viewscribe.parser.relation import is_made_up
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    RelationItem,
    SourceColumn,
    features_of,
)


def derive_from(block: Block) -> Block | None:
    """The query that the block reads, where it only chooses and computes columns of it.

    A name that the user gave to the query keeps it together, and so does a window of time, which
    says how often each row is there whether it is shown or not.
    """
    item = block.from_
    if type(item) is not RelationItem or not block.bare or block.is_anchored():
        return None
    relation = item.relation
    if type(relation.source) is not Block or relation.sample:
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
    places: dict[str, int] | None = None
    for expression in expressions:
        if features_of(expression).volatile:
            return None
        if places is None:
            places = {name: place for place, name in enumerate(block.relations[0].columns)}
        made = _move(expression, block.columns if columns is None else columns, places)
        if made is None:
            return None
        found.append(made)
    return found


def _move(
    expression: ResolvedExpression, columns: Sequence[Column], places: dict[str, int]
) -> ResolvedExpression | None:
    values: dict[int, ResolvedExpression] = {}
    for index in features_of(expression).refs:
        column = columns[index]
        if not isinstance(column, BoundColumn):
            continue
        kind = column.features
        if kind.subquery or kind.volatile or kind.correlated or kind.anchored:
            return None
        value = _move(column.expression, column.env.columns, places)
        if value is None:
            return None
        values[index] = value

    def move(reference: FieldReference) -> Any:
        if reference.index in values:
            return values[reference.index]
        column = columns[reference.index]
        assert isinstance(column, SourceColumn)
        return FieldReference(places[column.name], reference.name, reference.type)

    return with_columns(expression, move)


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
