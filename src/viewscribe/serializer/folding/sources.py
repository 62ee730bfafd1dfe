"""Where rows come from: tables, VALUES, functions, SQL text, samples, named steps."""

from __future__ import annotations

import re

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import preorder
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    ProcessedRows,
    RecursiveRows,
    Relation,
    RelationItem,
    RowsOfCtes,
    SetBody,
    free_name,
    unique_names,
)
from viewscribe.serializer.clauses import sample_clause
from viewscribe.serializer.describe import describe
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.reopening import unwrap
from viewscribe.serializer.sharing import without_alias


def _source(folder: Folder, operation: n.CatalogSource) -> Block:
    path, names = operation.path, operation.schema.names
    return folder.over(Relation(path[-1], names, path=path, as_of=operation.as_of), names)


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


def _recursion(folder: Folder, operation: n.Recursion) -> Block:
    """A query in parentheses with a WITH of its own, which nothing around it takes apart."""
    name = name_of_cte(operation)
    inner = Folder(
        None,
        folder.steps.within(ctes={**folder.steps.ctes, operation.name: name}),
        flat=folder.flat,
        target=folder.target,
    )
    parts = [inner.fold(without_alias(each)) for each in (operation.anchor, operation.step)]
    block = inner.over(Relation("", unique_names(operation.schema.names)), operation.schema.names)
    block.from_, block.relations = None, []
    block.body = SetBody(n.SetKind.UNION, True, parts)
    relation = Relation(
        name,
        unique_names(operation.schema.names),
        source=RecursiveRows(name, operation.max_level, block),
    )
    above = folder.over(relation, operation.schema.names)
    above.level = max(part.level for part in parts) + 2
    return above


def name_of_cte(operation: n.Recursion | n.WithCte) -> str:
    """What a query with a WITH of its own is called: never like a table that it reads."""
    taken: set[str] = set()
    for node in preorder(operation):
        if type(node) is n.CatalogSource and len(node.path) == 1:
            taken.add(node.path[0].lower())
        elif type(node) is n.SqlText:
            taken.update(re.findall(r"\w+", node.text.lower()))
    return free_name(operation.name, taken)


def _with_cte(folder: Folder, operation: n.WithCte) -> Block:
    """A query in parentheses with a WITH of its own, which nothing around it takes apart."""
    names, ctes, body = dict(folder.steps.ctes), [], operation
    while True:
        steps = folder.steps.within(ctes=dict(names))
        inner = Folder(None, steps, flat=folder.flat, target=folder.target)
        name = free_name(name_of_cte(body), {each.lower() for each in names.values()})
        ctes.append((name, inner.fold(without_alias(body.definition))))
        names[body.name] = name
        following = without_alias(body.body)
        if not isinstance(following, n.WithCte):
            break
        body = following
    steps = folder.steps.within(ctes=names)
    block = Folder(None, steps, flat=folder.flat, target=folder.target).fold(following)
    relation = Relation(
        ctes[0][0],
        unique_names(operation.schema.names),
        source=RowsOfCtes(ctes, block, steps),
    )
    above = folder.over(relation, operation.schema.names)
    above.level = max(each.level for each in (block, *(made for _, made in ctes))) + 1
    return above


def _cte(folder: Folder, operation: n.CteReference) -> Block:
    names, name = unique_names(operation.schema.names), folder.steps.ctes.get(operation.name)
    if name is None:
        raise NotSerializableError(
            f"the rows of the CTE `{operation.name}` are asked for outside of it"
        )
    return folder.over(Relation(name, names, path=(name,)), operation.schema.names)


def _sql_text(folder: Folder, operation: n.SqlText) -> Block:
    relation = Relation("query", unique_names(operation.schema.names), source=operation)
    above = folder.over(relation, operation.schema.names)
    above.level = 1
    return above


def _sample(folder: Folder, operation: n.Sample, block: Block) -> Block:
    if not folder.is_table(block):
        block = folder.close(block)
    elif isinstance(block.from_, RelationItem) and block.from_.relation.sample is not None:
        block = folder.close(block, describe(block))  # what is sampled is no mere table
    assert isinstance(block.from_, RelationItem)
    block.from_.relation.sample = sample_clause(operation)
    return block


def _alias(folder: Folder, operation: n.SubqueryAlias, block: Block) -> Block:
    block = unwrap(block) if folder.flat else block
    item, steps = block.from_, folder.steps
    inside = not folder.flat or steps.is_full or (folder.outer and refers_outside(operation))
    is_table = block.bare and block.plain and isinstance(item, RelationItem)
    if (
        isinstance(item, RelationItem)
        and is_table
        and (inside or type(item.relation.source) is not Block)
    ):
        item.relation.wanted = operation.name
        return block
    if inside:
        return folder.close(block, operation.name)
    return folder.read_step(steps.add(operation.name, block, operation))


HANDLERS: Handlers = {
    n.CatalogSource: _source,
    n.Values: _values,
    n.OneRow: _one_row,
    n.TableFunction: _table_function,
    n.Process: _process,
    n.SqlText: _sql_text,
    n.Recursion: _recursion,
    n.WithCte: _with_cte,
    n.CteReference: _cte,
    n.Sample: _sample,
    n.SubqueryAlias: _alias,
}
