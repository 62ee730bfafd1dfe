"""The walk over the operations: each folds into the block of what it reads, bottom-up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.kinds import Clause
from viewscribe.operations.nodes import SetKind
from viewscribe.operations.summary import summary_line
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    Relation,
    RelationItem,
    SourceColumn,
    unique_names,
)
from viewscribe.serializer.describe import describe
from viewscribe.serializer.folding.origins import mark_origins
from viewscribe.serializer.folding.steps import Steps, is_step_reference
from viewscribe.serializer.targets import NEWEST, Target

_ONE = literal(1)

MOST_LEVELS = 60
"""Derived tables within derived tables; Spark's parser gives up near 100."""


class _TooManyLevelsError(Exception):
    """A derived table would stand inside of too many others."""


def _is_select_list(operation: QueryOperation) -> bool:
    """Whether it says the columns right over what stands in FROM, or only names them."""
    if not isinstance(operation, n.Project | n.WithColumns):
        return False
    return is_in_from(operation.child) or _only_names(operation)


def is_in_from(operation: QueryOperation) -> bool:
    """Whether it stands in FROM, under a SELECT list that says what is made of its columns."""
    in_from = operation.clause is Clause.FROM and not operation.is_source
    return in_from and not operation.keeps_columns


def _only_names(operation: n.Project | n.WithColumns) -> bool:
    below = operation.inputs()[0]
    if below.keeps_columns and Clause.DISTINCT <= below.clause <= Clause.LIMIT:
        return False  # its SELECT lists the columns already
    if not isinstance(operation, n.Project):
        return False
    columns = [strip_alias(each) for each in operation.expressions]
    return len(columns) == len(operation.child.schema) and all(
        isinstance(column, FieldReference) and column.index == place
        for place, column in enumerate(columns)
    )


Handlers = Mapping[type[QueryOperation], Callable[..., Block]]
"""How each operation folds: a function of the folder, the operation and its inputs' blocks."""

HANDLERS: HandlerTable[Callable[..., Block]] = HandlerTable("the clause")


class Folder:
    """Folds the operations of one query; ``steps`` collects its CTEs, shared by sub-queries.

    Args:
        outer: the environment of the enclosing query, for a correlated sub-query.
        steps: the CTEs found so far, in order: (name, block).
        shared: operations that occur more than once and become CTEs.
        flat: False gives every operation a block of its own (the nested style).
        target: the Spark version that reads the text.
    """

    __slots__ = ("flat", "outer", "steps", "target")

    def __init__(
        self,
        outer: Env | None = None,
        steps: Steps | None = None,
        *,
        flat: bool = True,
        target: Target = NEWEST,
    ) -> None:
        self.outer = outer
        self.steps = steps if steps is not None else Steps()
        self.flat = flat
        self.target = target

    def fold(self, root: QueryOperation) -> Block:
        """The block of an operation."""
        steps = self.steps
        results: list[Block] = []
        # An operation comes up twice: with None, and with the number of its inputs once they are
        # folded, their blocks the last results.
        stack: list[tuple[QueryOperation, int | None]] = [(root, None)]
        while stack:
            operation, count = stack.pop()
            if count is None:
                known = steps.find(operation)
                if known is not None:
                    results.append(self.read_step(known))
                    continue
                fields = ("left",) if type(operation) is n.LateralJoin else operation.input_fields
                stack.append((operation, len(fields)))
                for name in reversed(fields):
                    stack.append((getattr(operation, name), None))
                continue
            children = results[len(results) - count :]
            del results[len(results) - count :]
            block = self._add(operation, children)
            if steps.notes is not None:
                mark_origins(steps.notes, operation, children, block)
            results.append(self.share(operation, block, root) if steps.shared else block)
        return results[0]

    def fold_in_order(self, order: Sequence[QueryOperation]) -> Block:
        """The block of the last operation; each stands after its inputs, and none is shared."""
        results: list[Block] = []
        for operation in order:
            count = len(operation.input_fields)
            if count == 1:
                results[-1] = self._add(operation, [results[-1]])
            else:
                inputs = results[len(results) - count :]
                del results[len(results) - count :]
                results.append(self._add(operation, inputs))
        return results[0]

    def _add(self, operation: QueryOperation, inputs: list[Block]) -> Block:
        """The block of an operation over the blocks of its inputs."""
        try:
            if not self.flat:
                inputs = [
                    each
                    if each.is_one_row or (_is_select_list(operation) and not each.hints)
                    else self.close(each)
                    for each in inputs
                ]
            return HANDLERS[type(operation)](self, operation, *inputs)
        except _TooManyLevelsError:
            before = operation.inputs()[0]
            raise NotSerializableError(
                f"the pipeline needs more than {MOST_LEVELS} queries inside each other, more than "
                "Spark parses",
                hint=f"save this step as a table, and go on from there: {summary_line(before)}",
            ) from None

    def share(self, operation: QueryOperation, block: Block, root: QueryOperation) -> Block:
        """The block, or a reference to it where the operation is used several times."""
        if operation is not root and self.steps.is_shared(operation):
            if is_step_reference(block) and self.is_table(block):
                (name,) = block.relations[0].path or ("",)
                if block.relations[0].wanted == name:
                    self.steps.by_operation.setdefault(operation, name)
                else:
                    self.steps.renamed.add(operation)
                return block
            return self.read_step(self.steps.add(describe(block), block, operation))
        return block

    def read_step(self, name: str) -> Block:
        """A block that reads a CTE."""
        block = self.steps.blocks[name]
        if self.steps.reader is not None:
            self.steps.reads.setdefault(self.steps.reader, []).append(name)
        relation = Relation(name, unique_names(block.names), path=(name,), source="step")
        self.steps.readers.setdefault(name, []).append(relation)
        return self.over(relation, block.names)

    def over(self, relation: Relation, names: Sequence[str]) -> Block:
        """A block that reads one relation."""
        columns: list[Column] = [SourceColumn(relation, name) for name in relation.columns]
        return Block(RelationItem(relation), [relation], columns, names, self.outer)

    def close(self, block: Block, wanted: str | None = None) -> Block:
        """A new block that reads the block as a derived table; a mere table stays itself."""
        if self.is_table(block) and wanted is None:
            return block
        names = block.names
        if not block.columns:  # a SELECT has at least one column, which nobody above asks for
            block.columns, block.names = [BoundColumn(_ONE, block.env)], ("one",)
        relation = Relation(wanted or describe(block), unique_names(block.names), source=block)
        above = self.over(relation, block.names)
        if not names:
            above.columns, above.names = [], names
        above.level = block.level + 1
        if above.level > MOST_LEVELS:
            raise _TooManyLevelsError
        return above

    def is_table(self, block: Block) -> bool:
        """Whether the block gives all columns of one table, CTE or derived table as they are."""
        if not block.bare or not isinstance(block.from_, RelationItem):
            return False
        relation = block.from_.relation
        if len(block.columns) != len(relation.columns):
            return False
        return [
            column.name if isinstance(column, SourceColumn) else None for column in block.columns
        ] == list(relation.columns) and unique_names(block.names) == list(relation.columns)

    def reads_union(self, block: Block) -> bool:
        """Whether the block reads a UNION ALL and nothing beside it."""
        if not isinstance(block.from_, RelationItem):
            return False
        relation = block.from_.relation
        below = relation.source
        if below == "step":
            below = self.steps.blocks[relation.path[0]] if relation.path else None
        if not isinstance(below, Block) or below.body is None:
            return False
        return below.body.kind is SetKind.UNION and below.body.all
