"""Which clause of which block each step became."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.notes import Notes
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    JoinItem,
    RelationItem,
    features_of,
)
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.folding.folder import Handlers


class Clauses:
    """The texts beside the clauses of blocks, each by what it belongs to.

    ========== =================================================
    ``select`` a block: the word SELECT
    ``item``   a column
    ``from``   a relation or an item of FROM
    ``term``   a condition with its environment
    ``group``  a block: GROUP BY
    ``order``  a block: ORDER BY
    ``limit``  a block: LIMIT and OFFSET
    ``union``  a branch of a set operation: the word before it
    ========== =================================================
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        # With the owner itself, so that it lives as long as its identity is a key.
        self._texts: dict[tuple[str, int], tuple[object, list[str]]] = {}

    def add(self, clause: str, owner: object, *texts: str) -> None:
        """Puts texts beside a clause."""
        self._texts.setdefault((clause, id(owner)), (owner, []))[1].extend(texts)

    def take(self, clause: str, owner: object) -> list[str]:
        """The texts beside a clause, which has them no longer."""
        return self._texts.pop((clause, id(owner)), (None, []))[1]

    def at(self, clause: str, owner: object) -> list[str]:
        """The texts beside a clause."""
        found = self._texts.get((clause, id(owner)))
        return [] if found is None else found[1]

    def of_column(self, column: Column) -> list[str]:
        """The texts beside a column, and before it beside those that are written into it."""
        if not isinstance(column, BoundColumn):
            return self.at("item", column)
        return [*self.within(column.expression, column.env), *self.at("item", column)]

    def within(self, expression: Any, env: Env) -> list[str]:
        """The texts beside the columns that are written into an expression."""
        found: list[str] = []
        seen: set[int] = set()
        pending = [(expression, env.columns)]
        while pending:
            current, columns = pending.pop()
            for index in features_of(current).refs:
                column = columns[index]
                if isinstance(column, BoundColumn) and id(column) not in seen:
                    seen.add(id(column))
                    found[:0] = self.at("item", column)
                    pending.append((column.expression, column.env.columns))
        return found

    def folded(self, operation: QueryOperation, children: Sequence[Block], block: Block) -> None:
        """Notes where a step went that has just been folded."""
        text = self.notes.of(operation)
        if text:
            _PLACES[type(operation)](self, operation, children, block, text)


Place = Callable[[Clauses, Any, Sequence[Block], Block, str], None]


class NotedSteps(Steps, eq=False):
    """The CTEs of a statement with notes."""

    clauses: Clauses = msgspec.field(default_factory=lambda: Clauses(Notes()))


class _NotedHandlers(dict[type[QueryOperation], Callable[..., Block]]):
    """The handlers of the plain folder, each noting what it has done."""

    def __missing__(self, kind: type[QueryOperation]) -> Callable[..., Block]:
        handler = Folder.handlers[kind]

        def fold(folder: Folder, operation: QueryOperation, *children: Block) -> Block:
            block = handler(folder, operation, *children)
            assert isinstance(folder.steps, NotedSteps)
            folder.steps.clauses.folded(operation, children, block)
            return block

        self[kind] = fold
        return fold


class NotedFolder(Folder):
    """A folder that notes which clause each step became; its steps are ``NotedSteps``."""

    __slots__ = ()

    handlers: ClassVar[Handlers] = _NotedHandlers()


def _select(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    clauses.add("select", block, text)


def _with_columns(
    clauses: Clauses,
    operation: n.WithColumns,
    children: Sequence[Block],
    block: Block,
    text: str,
) -> None:
    columns = [block.columns[place] for place in operation.places()]
    computed = [
        column
        for column, made in zip(columns, operation.columns, strict=True)
        if isinstance(column, BoundColumn) and column.expression is made.child
    ]
    for column in computed:
        clauses.add("item", column, text)
    if not computed:  # only other names for columns, which others may have too
        clauses.add("select", block, text)


def _time_window(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    clauses.add("item", block.columns[-1], text)


def _filter(
    clauses: Clauses, operation: n.Filter, children: Sequence[Block], block: Block, text: str
) -> None:
    for bounds in (block.where, block.having, block.qualify):
        if bounds and bounds[-1][0] is operation.condition:
            clauses.add("term", bounds[-1], text)


def _aggregate(
    clauses: Clauses, operation: n.Aggregate, children: Sequence[Block], block: Block, text: str
) -> None:
    before = clauses.take("select", block)  # what was selected is what is grouped now
    clauses.add("group" if operation.keys else "select", block, *before, text)


def _sort(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    clauses.take("order", block)
    clauses.add("order", block, text)


def _limit(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    clauses.add("limit", block, text)


def _relation(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    item = block.from_
    clauses.add("from", item.relation if isinstance(item, RelationItem) else item, text)


def _join(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    item = block.from_
    assert isinstance(item, JoinItem)
    for child, side in zip(children, (item.left, item.right), strict=False):
        if child.from_ is side:  # its SELECT became a part of this one
            clauses.add("from", item, *clauses.take("select", child))
    clauses.add("from", item, text)


def _set_operation(
    clauses: Clauses, operation: Any, children: Sequence[Block], block: Block, text: str
) -> None:
    assert block.body is not None
    clauses.add("union", block.body.parts[-1], text)


_PLACES: HandlerTable[Place] = HandlerTable(
    "the clause for a comment",
    {
        n.CatalogSource: _relation,
        n.Values: _relation,
        n.OneRow: _select,
        n.TableFunction: _relation,
        n.Process: _relation,
        n.Recursion: _relation,
        n.RecursionReference: _relation,
        n.SqlText: _relation,
        n.Sample: _relation,
        n.SubqueryAlias: _relation,
        n.Project: _select,
        n.WithColumns: _with_columns,
        n.Filter: _filter,
        n.Aggregate: _aggregate,
        n.Distinct: _select,
        n.TimeWindow: _time_window,
        n.Join: _join,
        n.LateralJoin: _join,
        n.SetOperation: _set_operation,
        n.Sort: _sort,
        n.Limit: _limit,
        n.Offset: _limit,
        n.Generate: _relation,
        n.Pivot: _relation,
        n.Unpivot: _relation,
        n.Hint: _select,
    },
)
