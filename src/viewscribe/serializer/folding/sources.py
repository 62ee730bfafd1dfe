"""Where rows come from: tables, VALUES, functions, SQL text, samples, named steps."""

from __future__ import annotations

from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    ProcessedRows,
    Relation,
    RelationItem,
    unique_names,
)
from viewscribe.serializer.clauses import sample_clause
from viewscribe.serializer.folding.folder import Folder, Handlers


def _source(folder: Folder, operation: n.CatalogSource) -> Block:
    path, names = operation.path, operation.schema.names
    return folder.over(Relation(path[-1], names, path=path), names)


def _values(folder: Folder, operation: n.Values) -> Block:
    relation = Relation("v", unique_names(operation.schema.names), source=operation)
    return folder.over(relation, operation.schema.names)


def _one_row(folder: Folder, operation: n.OneRow) -> Block:
    return Block(None, [], [], (), folder.outer)


def _table_function(folder: Folder, operation: n.TableFunction) -> Block:
    relation = Relation(operation.function.name, operation.schema.names, source=operation)
    return folder.over(relation, operation.schema.names)


def _process(folder: Folder, operation: n.Process, block: Block) -> Block:
    folder.steps.note_call(operation)
    relation = Relation(
        operation.function.name, operation.schema.names, source=ProcessedRows(operation, block)
    )
    above = folder.over(relation, operation.schema.names)
    above.level = block.level + 1
    return above


def _sql_text(folder: Folder, operation: n.SqlText) -> Block:
    relation = Relation("query", unique_names(operation.schema.names), source=operation)
    above = folder.over(relation, operation.schema.names)
    above.level = 1
    return above


def _sample(folder: Folder, operation: n.Sample, block: Block) -> Block:
    if not (folder.is_table(block) and _is_unsampled_table(block)):
        block = folder.close(block)
    assert isinstance(block.from_, RelationItem)
    block.from_.relation.sample = sample_clause(operation)
    return block


def _is_unsampled_table(block: Block) -> bool:
    return isinstance(block.from_, RelationItem) and block.from_.relation.sample is None


def _alias(folder: Folder, operation: n.SubqueryAlias, block: Block) -> Block:
    item = block.from_
    if block.bare and block.plain and isinstance(item, RelationItem):
        item.relation.wanted = operation.name
        return block
    steps = folder.steps
    if not folder.flat or steps.is_full or (folder.outer and refers_outside(operation)):
        return folder.close(block, operation.name)
    return folder.read_step(steps.add(operation.name, block, operation))


HANDLERS: Handlers = {
    n.CatalogSource: _source,
    n.Values: _values,
    n.OneRow: _one_row,
    n.TableFunction: _table_function,
    n.Process: _process,
    n.SqlText: _sql_text,
    n.Sample: _sample,
    n.SubqueryAlias: _alias,
}
