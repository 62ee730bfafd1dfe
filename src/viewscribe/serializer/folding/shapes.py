"""Generators, PIVOT, UNPIVOT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import OuterReference, ResolvedExpression
from viewscribe.operations import nodes as n
from viewscribe.operations.rewrites.pivot import with_exact_input, with_plain_names
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    GeneratedRows,
    LateralViewItem,
    PivotItem,
    Relation,
    RelationItem,
    SourceColumn,
    outer_call,
    unique_names,
)
from viewscribe.serializer.describe import describe, name_generated
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open
from viewscribe.serializer.folding.projections import fold_project


def _generate(folder: Folder, operation: n.Generate, block: Block) -> Block:
    cells = _one_row(block)
    if cells is not None and (not cells or holds(operation.call, OuterReference)):
        return _fold_generated(folder, operation, block, cells)
    # LATERAL VIEW comes before WHERE; a filter on the row below commutes with making rows of it.
    if must_open(folder, operation, block, [operation.call]):
        block = folder.close(block)
    assert block.from_ is not None
    relation = Relation(
        name_generated(operation),
        unique_names(operation.names),
        source=operation,
    )
    block.from_ = LateralViewItem(block.from_, operation.call, block.env, operation.outer, relation)
    block.relations = [*block.relations, relation]
    block.columns = block.columns + [SourceColumn(relation, name) for name in relation.columns]
    block.names = operation.schema.names
    return block


def _one_row(block: Block) -> Sequence[ResolvedExpression] | None:
    """The cells of the only row that the block gives, as VALUES has them; none without FROM."""
    if block.is_one_row:
        return ()
    if not (block.bare and block.plain and isinstance(block.from_, RelationItem)):
        return None
    source = block.from_.relation.source
    if not isinstance(source, n.Values) or len(source.values) != len(source.fields):
        return None
    return source.values if len(block.columns) == len(source.fields) else None


def _fold_generated(
    folder: Folder, operation: n.Generate, block: Block, cells: Sequence[ResolvedExpression]
) -> Block:
    """The generator over no table, beside the constants of the one row."""
    call = operation.call
    if operation.outer:
        call, kept = outer_call(call)
        if kept:
            raise NotSerializableError(
                f"{call.function.name}() over a row of the query around it drops what has no rows",
                hint="use a generator of Spark's, or inner rows",
            )
    relation = Relation(
        call.function.name, unique_names(operation.names), source=GeneratedRows(call, block.env)
    )
    above = folder.over(relation, operation.names)
    constants: list[Column] = [BoundColumn(cell, Env([])) for cell in cells]
    above.columns, above.plain = constants + above.columns, False
    above.names = operation.schema.names
    return above


def _pivot(folder: Folder, operation: n.Pivot, block: Block) -> Block:
    exact = with_exact_input(operation)
    if exact.child is not operation.child:
        assert isinstance(exact.child, n.Project)
        block = fold_project(folder, exact.child, block)
    relation = Relation("", unique_names(block.names))
    columns = list(folder.over(relation, block.names).columns)
    above = _over_clause(folder, block, exact, Env(columns, folder.outer))
    above.names = operation.schema.names
    return above


def _unpivot(folder: Folder, operation: n.Unpivot, block: Block) -> Block:
    relation = Relation("", unique_names(block.names))
    columns = list(folder.over(relation, block.names).columns)
    plain = with_plain_names(operation, relation.columns)
    above = _over_clause(folder, block, plain, Env(columns, folder.outer))
    above.names = operation.schema.names
    return above


def _over_clause(folder: Folder, block: Block, operation: Any, env: Env) -> Block:
    wanted = f"{describe(block)}_{type(operation).__name__.lower()}"
    relation = Relation(wanted, unique_names(operation.schema.names))
    above = folder.over(relation, operation.schema.names)
    above.from_ = PivotItem(block, (operation, env), relation)
    above.level = block.level + 1
    return above


HANDLERS: Handlers = {
    n.Generate: _generate,
    n.Pivot: _pivot,
    n.Unpivot: _unpivot,
}
