"""Which piece of a block each step became: there its note stands as a comment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.kinds import Clause
from viewscribe.operations.notes import Notes
from viewscribe.serializer.blocks import Block, BoundColumn, FromItem, JoinItem

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
