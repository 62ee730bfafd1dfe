"""Hints: those of a join name a table, the others say how the rows of a SELECT are partitioned."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    Relation,
    RelationItem,
    SourceColumn,
    features_of,
)
from viewscribe.serializer.folding.folder import Folder, Handlers

_JOIN_HINTS = frozenset(
    {
        "BROADCAST",
        "BROADCASTJOIN",
        "MAPJOIN",
        "MERGE",
        "MERGEJOIN",
        "SHUFFLE_HASH",
        "SHUFFLE_MERGE",
        "SHUFFLE_REPLICATE_NL",
    }
)


def _hint(folder: Folder, operation: n.Hint, block: Block) -> Block:
    if operation.name in _JOIN_HINTS:
        if not (block.bare and isinstance(block.from_, RelationItem)):
            block = folder.close(block)
        assert isinstance(block.from_, RelationItem)
        named = Named(block.from_.relation)
        block.hints = [*block.hints, (operation.name, (named,), block.env)]
        return block
    if block.body is not None or block.limited or block.order or _computes(block, operation):
        block = folder.close(block)
    block.hints = [*block.hints, (operation.name, operation.parameters, block.env)]
    return block


def _computes(block: Block, operation: n.Hint) -> bool:
    """Whether the hint names a column that the block computes: a hint takes no expression.

    It calls columns as the output does: behind DISTINCT and groups, Spark finds no other names.
    """
    for place in {place for each in operation.parameters for place in features_of(each).refs}:
        column = block.columns[place]
        if not isinstance(column, SourceColumn) or column.name != block.names[place]:
            return True
    return False


def sees_partitions(block: Block, expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether the expressions may see how a hint of the block divides the rows.

    The hint of a SELECT is about what it gives: what the SELECT computes, it computes before.
    """
    if all(name in _JOIN_HINTS for name, _, _ in block.hints):
        return False
    if not _shows_parameters(block, expressions):
        return True
    return any(
        features_of(each).volatile for each in expressions if type(each) is not FieldReference
    )


def _shows_parameters(block: Block, expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether the columns that hints name are among the expressions, under their own names."""
    shown = {id(block.columns[each.index]) for each in expressions if type(each) is FieldReference}
    return all(
        id(env.columns[each.index]) in shown
        for name, parameters, env in block.hints
        if name not in _JOIN_HINTS
        for each in parameters
        if type(each) is FieldReference
    )


class Named:
    """The parameter of a join hint: a relation, by whatever alias it gets."""

    __slots__ = ("relation",)

    def __init__(self, relation: Relation) -> None:
        self.relation = relation


HANDLERS: Handlers = {n.Hint: _hint}
