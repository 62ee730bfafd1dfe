"""Hints: those of a join name a table, the others say how the rows of a SELECT are partitioned."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    Relation,
    RelationItem,
)
from viewscribe.serializer.folding.exceptions import Step, names_what_is_renamed
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open


def _hint(folder: Folder, operation: n.Hint, block: Block) -> Block:
    if operation.name in n.JOIN_HINTS:
        if not (block.bare and isinstance(block.from_, RelationItem)):
            block = folder.close(block)
        assert isinstance(block.from_, RelationItem)
        named = Named(block.from_.relation)
        block.hints = [*block.hints, (operation.name, (named,), block.env)]
        return block
    # A column under another name is no clause, so the table of new SELECTs does not ask about it.
    renamed = names_what_is_renamed(Step(folder, operation, block))
    if renamed or must_open(folder, operation, block):
        block = folder.close(block)
    # Spark applies the last hint of a list first.
    of_joins = [hint for hint in block.hints if hint[0] in n.JOIN_HINTS]
    of_rows = [hint for hint in block.hints if hint[0] not in n.JOIN_HINTS]
    block.hints = [*of_joins, (operation.name, operation.parameters, block.env), *of_rows]
    return block


class Named:
    """The parameter of a join hint: a relation, by whatever alias it gets."""

    __slots__ = ("relation",)

    def __init__(self, relation: Relation) -> None:
        self.relation = relation


HANDLERS: Handlers = {n.Hint: _hint}
