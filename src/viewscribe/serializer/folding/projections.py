"""Projections and filters: SELECT lists, WHERE, HAVING, QUALIFY."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.builtin.operators import AND
from viewscribe.expressions.nodes import Alias, FieldReference, ResolvedExpression
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import Block, BoundColumn, Column, Condition, Env, SourceColumn
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open
from viewscribe.serializer.folding.reopening import derive_from, over_derived, unwrap


def fold_project(folder: Folder, operation: n.Project, block: Block) -> Block:
    """A projection: its expressions become the columns of the block."""
    if operation.dropped and not (folder.flat and derive_from(block)):
        return _drop(folder, operation, block)
    expressions = [e.child if type(e) is Alias else e for e in operation.expressions]
    names = operation.schema.names
    if folder.flat and derive_from(block) is not None:
        block, expressions = _reopen(folder, operation, block, expressions)
    if must_open(folder, operation, block, expressions):
        block = folder.close(block)
    env = block.env
    columns, plain = _bind_columns(expressions, env)
    block.columns, block.plain = columns, plain
    block.names = names
    return unwrap(block) if folder.flat else block


def _drop(folder: Folder, operation: n.Project, block: Block) -> Block:
    """A projection that drops columns: the others stay what they are, however many there are."""
    if must_open(folder, operation, block, None):
        block = folder.close(block)
    columns, names = block.columns.copy(), [*block.names]
    for place in reversed(operation.dropped):
        del columns[place], names[place]
    block.columns, block.names = columns, names
    block.plain = block.plain or all(type(column) is SourceColumn for column in columns)
    return unwrap(block) if folder.flat else block


def _reopen(
    folder: Folder, operation: n.Project, block: Block, expressions: list[ResolvedExpression]
) -> tuple[Block, list[ResolvedExpression]]:
    """The query below, and the expressions over it, where they may stand in it by now."""
    inner = derive_from(block)
    moved = None if inner is None else over_derived(block, expressions)
    if inner is None or moved is None:
        return block, expressions
    if must_open(folder, operation, inner, moved):
        return block, expressions
    return inner, moved


def _bind_columns(expressions: Sequence[ResolvedExpression], env: Env) -> tuple[list[Column], bool]:
    columns: list[Column] = []
    plain = True
    for expression in expressions:
        if type(expression) is FieldReference:
            column = env.columns[expression.index]
            plain = plain and type(column) is SourceColumn
            columns.append(column)
        else:
            columns.append(BoundColumn(expression, env))
            plain = False
    return columns, plain


def _with_columns(folder: Folder, operation: n.WithColumns, block: Block) -> Block:
    expressions = [column.child for column in operation.columns]
    is_wider = len(block.columns) + len(expressions) == len(operation.schema)
    if (
        folder.flat
        and not is_wider
        and any(
            place < len(block.columns) and type(block.columns[place]) is BoundColumn
            for place in operation.places()
        )
    ):
        project = n.Project.of(operation.child, operation.column_expressions())
        whole = [e.child if type(e) is Alias else e for e in project.expressions]
        inner, moved = _reopen(folder, project, block, whole)
        if inner is not block:
            inner.columns, inner.plain = _bind_columns(moved, inner.env)
            inner.names = operation.schema.names
            return inner
    # Asked for twice where the block computes columns: for whether they may be written into
    # these, and for whether these may be written into the next.
    owns = [None if block.plain else features_of(expression) for expression in expressions]
    if must_open(folder, operation, block, expressions, owns=owns):
        block = folder.close(block)
    env = block.env
    made = [
        env.columns[expression.index]
        if type(expression) is FieldReference
        else BoundColumn(expression, env, own=own)
        for expression, own in zip(expressions, owns, strict=True)
    ]
    block.plain = block.plain and all(type(column) is SourceColumn for column in made)
    if is_wider:
        block.add_columns(made, [column.name for column in operation.columns])
    else:
        _put(block, operation.places(), made)
        block.names = operation.schema.names
    return block


def _put(block: Block, places: Sequence[int], made: Sequence[Column]) -> None:
    """Replaces columns of the block, and adds those that are new."""
    columns = list(block.columns)
    for place, column in zip(places, made, strict=True):
        columns[place : place + 1] = [column]
    block.columns = columns
    block.plain = block.plain or all(type(column) is SourceColumn for column in columns)


def _filter(folder: Folder, operation: n.Filter, block: Block) -> Block:
    condition = operation.condition
    if folder.flat and _filter_below(folder, operation, block):
        return unwrap(block)
    if must_open(folder, operation, block, [condition]):
        block = folder.close(block)
    _clause_for_conditions(block).append(Condition(condition, block.env))
    return block


def _filter_below(folder: Folder, operation: n.Filter, block: Block) -> bool:
    """Puts the condition, and those before it, into the query that the block reads.

    There a condition on constants may be one on groups, and one beside window functions joins one
    on these: a text does not say which came first.
    """
    where, order = block.where, block.order
    block.where, block.order = [], []  # which rows there are is no matter of their order
    inner = derive_from(block)
    block.where, block.order = where, order
    if inner is None or block.has_windows():
        return False
    moved = []
    for term in (*where, Condition(operation.condition, block.env)):
        found = over_derived(block, [term.expression], term.env.columns)
        if found is None:
            return False
        moved += found
    together = moved[0] if len(moved) == 1 else make_call(AND, tuple(moved))
    if must_open(folder, operation, inner, [together]):
        return False
    env = inner.env
    _clause_for_conditions(inner).extend(Condition(each, env) for each in moved)
    block.where = []
    return True


def _clause_for_conditions(block: Block) -> list[Condition]:
    """The clause of the block that takes a condition."""
    if block.has_windows() or block.qualify:
        return block.qualify
    return block.where if block.group is None else block.having


HANDLERS: Handlers = {
    n.Project: fold_project,
    n.WithColumns: _with_columns,
    n.Filter: _filter,
}
