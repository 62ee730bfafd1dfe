"""The walk over the operations: each folds into the block of what it reads, bottom-up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Self

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause, Notes, QueryOperation
from viewscribe.operations.handlers import HandlerTable, summary_line
from viewscribe.operations.nodes import Process, SetKind
from viewscribe.operations.user_functions import UniqueCalls
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    FromItem,
    JoinItem,
    Relation,
    RelationItem,
    SourceColumn,
    free_name,
    unique_names,
)
from viewscribe.serializer.describe import describe
from viewscribe.serializer.targets import NEWEST, Target

# Which piece of a block each step became: there its note stands as a comment.

Mark = Callable[[Any, Sequence[Block], Block, str], None]
"""Puts the text beside what became of an operation: that, its inputs' blocks, its own block."""


def mark_origins(
    notes: Notes, operation: QueryOperation, children: Sequence[Block], block: Block
) -> None:
    """Puts the note of a step that has just been folded beside the piece that it became."""
    text = notes.of(operation)
    if text:
        _MARKS[type(operation)](operation, children, block, text)


def _add(block: Block, clause: Clause, *texts: str) -> None:
    block.origins = block.origins or {}
    block.origins[clause] = (*block.origins.get(clause, ()), *texts)


def _take(block: Block, clause: Clause) -> tuple[str, ...]:
    return block.origins.pop(clause, ()) if block.origins else ()


def _mark_clause(
    clause: Clause, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    _add(block, clause, text)


_mark_select = partial(_mark_clause, Clause.SELECT)
_mark_limit = partial(_mark_clause, Clause.LIMIT)


def _mark_from(operation: Any, children: Sequence[Block], block: Block, text: str) -> None:
    assert block.from_ is not None
    _add_to_item(block.from_, text)


def _add_to_item(item: FromItem, *texts: str) -> None:
    item.origins = (*item.origins, *texts)


def _mark_new_columns(
    operation: n.WithColumns, children: Sequence[Block], block: Block, text: str
) -> None:
    columns = [block.columns[place] for place in operation.places()]
    computed = [
        column
        for column, made in zip(columns, operation.columns, strict=True)
        if isinstance(column, BoundColumn) and column.expression is made.child
    ]
    for column in computed:
        column.origins = (*column.origins, text)
    if not computed:  # only other names for columns, which others may have too
        _add(block, Clause.SELECT, text)


def _mark_last_column(operation: Any, children: Sequence[Block], block: Block, text: str) -> None:
    column = block.columns[-1]
    column.origins = (*column.origins, text)


def _mark_condition(
    operation: n.Filter, children: Sequence[Block], block: Block, text: str
) -> None:
    for terms in (block.where, block.having, block.qualify):
        if terms and terms[-1].expression is operation.condition:
            terms[-1].origins = (*terms[-1].origins, text)


def _mark_groups(
    operation: n.Aggregate, children: Sequence[Block], block: Block, text: str
) -> None:
    before = _take(block, Clause.SELECT)  # what was selected is what is grouped now
    _add(block, Clause.GROUP_BY if operation.keys else Clause.SELECT, *before, text)


def _mark_order(operation: Any, children: Sequence[Block], block: Block, text: str) -> None:
    _take(block, Clause.ORDER_BY)  # the last order counts
    _add(block, Clause.ORDER_BY, text)


def _mark_join(operation: Any, children: Sequence[Block], block: Block, text: str) -> None:
    item = block.from_
    assert isinstance(item, JoinItem)
    for child, side in zip(children, (item.left, item.right), strict=False):
        if child.from_ is side:  # its SELECT became a part of this one
            _add_to_item(item, *_take(child, Clause.SELECT))
    _add_to_item(item, text)


def _mark_branch(operation: Any, children: Sequence[Block], block: Block, text: str) -> None:
    assert block.body is not None
    _add(block.body.parts[-1], Clause.SET_OPERATION, text)


_MARKS: HandlerTable[Mark] = HandlerTable(
    "the clause for a comment",
    {
        n.CatalogSource: _mark_from,
        n.Values: _mark_from,
        n.OneRow: _mark_select,
        n.TableFunction: _mark_from,
        n.Process: _mark_from,
        n.Recursion: _mark_from,
        n.CteReference: _mark_from,
        n.WithCte: _mark_from,
        n.SqlText: _mark_from,
        n.Sample: _mark_from,
        n.SubqueryAlias: _mark_from,
        n.Project: _mark_select,
        n.WithColumns: _mark_new_columns,
        n.Filter: _mark_condition,
        n.Aggregate: _mark_groups,
        n.Distinct: _mark_select,
        n.TimeWindow: _mark_last_column,
        n.Join: _mark_join,
        n.LateralJoin: _mark_join,
        n.SetOperation: _mark_branch,
        n.Sort: _mark_order,
        n.Limit: _mark_limit,
        n.Offset: _mark_limit,
        n.Generate: _mark_from,
        n.Pivot: _mark_from,
        n.Unpivot: _mark_from,
        n.Hint: _mark_select,
    },
)


# The CTEs of a statement: which there are, and what reads what.

MOST_STEPS = 40
"""CTEs of one query; Spark's analyzer gives up near 100 that build on each other."""


def is_step_reference(block: Block) -> bool:
    """Whether the block does nothing but read a CTE."""
    item = block.from_
    return block.bare and isinstance(item, RelationItem) and item.relation.source == "step"


class Steps(msgspec.Struct, eq=False):
    """The CTEs of a statement; ``shared`` are the operations that become one for each.

    ``readers`` are the relations that read each, ``texts`` what was printed of it.
    ``renamed`` are operations that only give a CTE another name.
    ``ctes`` are the names in the text of those that the tree has, and of recursive queries around;
    ``full`` says whether no CTE has a place.
    ``notes`` are texts beside the steps of the pipeline, which become comments.
    """

    shared: Collection[QueryOperation] = msgspec.field(default_factory=set)
    blocks: dict[str, Block] = msgspec.field(default_factory=dict)
    taken: set[str] = msgspec.field(default_factory=set)
    by_operation: dict[QueryOperation, str] = msgspec.field(default_factory=dict)
    reads: dict[str, list[str]] = msgspec.field(default_factory=dict)
    readers: dict[str, list[Relation]] = msgspec.field(default_factory=dict)
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    renamed: set[QueryOperation] = msgspec.field(default_factory=set)
    reader: str | None = None
    calls: UniqueCalls | None = None
    ctes: Mapping[str, str] = {}
    full: bool = False
    notes: Notes | None = None

    def note_call(self, call: Process) -> None:
        """Refuses two calls of process table functions that are known by one name."""
        if self.calls is None:
            self.calls = UniqueCalls()
        self.calls.note(call)

    @property
    def is_full(self) -> bool:
        """Whether one more CTE would be too many for Spark."""
        return self.full or len(self.blocks) >= MOST_STEPS

    def within(self, **names: Any) -> Self:
        """For the parts of a query with a WITH of its own, which have no place for other CTEs."""
        return msgspec.structs.replace(
            self,
            **names,
            shared=set(),
            blocks={},
            by_operation={},
            reads={},
            readers={},
            texts={},
            reader=None,
            full=True,
        )

    def is_shared(self, operation: QueryOperation) -> bool:
        """Whether the operation occurs more than once."""
        return bool(self.shared) and operation in self.shared and not self.is_full

    def find(self, operation: QueryOperation) -> str | None:
        """The CTE that already holds the operation."""
        return self.by_operation.get(operation) if self.by_operation else None

    def ordered(self) -> list[str]:
        """The names of the CTEs, each after those it reads."""
        order: list[str] = []
        pending = list(reversed(self.blocks))
        while pending:
            name = pending[-1]
            if name in order:
                pending.pop()
                continue
            missing = [m for m in self.reads.get(name, ()) if m not in order and m != name]
            if missing:
                pending.extend(reversed(missing))
            else:
                order.append(name)
                pending.pop()
        return order

    def add(self, wanted: str, block: Block, operation: QueryOperation | None = None) -> str:
        """A new CTE; gives its name."""
        name = free_name(wanted, self.taken)
        self.taken.add(name.lower())
        self.blocks[name] = block
        if operation is not None and self.is_shared(operation):
            self.by_operation[operation] = name
        return name


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
