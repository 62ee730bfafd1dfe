"""Joins: two FROM clauses become one, filters move to WHERE or ON where that is the same."""

from __future__ import annotations

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import Call, FieldReference
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Condition,
    Env,
    JoinItem,
    Relation,
    RelationItem,
    SourceColumn,
    unique_names,
)
from viewscribe.serializer.describe import describe
from viewscribe.serializer.folding.exceptions import is_preserved
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.new_select import must_open


def _join(folder: Folder, operation: n.Join, left: Block, right: Block) -> Block:
    kind = operation.kind
    conditions: list[Condition] = []
    where: list[Condition] = []
    left = _join_side(folder, left, where, conditions, operation, left_side=True)
    right = _join_side(folder, right, where, conditions, operation, left_side=False)
    columns = left.columns + right.columns
    relations = left.relations + right.relations
    assert left.from_ is not None
    assert right.from_ is not None
    env = Env(columns, folder.outer)
    own: list[Condition] = []
    if operation.condition is not None:
        own.append(Condition(operation.condition, env))
    for name in operation.using:
        own.append(_using_condition(operation, name, env))
    item = JoinItem(left.from_, right.from_, kind, own + conditions)
    block = Block(item, relations, columns, operation.schema.names, folder.outer)
    block.plain = left.plain and right.plain
    block.level = max(left.level, right.level)
    block.where = where
    block.settled = len(where)
    block.hints = left.hints + right.hints
    if operation.using:
        block.columns, plain = _using_columns(operation, env)
        block.plain = block.plain and plain
    elif not kind.keeps_right:
        block.columns = left.columns
        block.plain = left.plain
    return block


def _using_condition(operation: n.Join, name: str, env: Env) -> Condition:
    left, right = operation.left.schema, operation.right.schema
    a = left.reference(left.find(name))
    b = right.reference(right.find(name))
    shifted = FieldReference(b.index + len(left), b.name, b.type)
    function = built_in("equals")
    return Condition(Call(function, (a, shifted), function.infer((a, shifted))), env)


def _using_columns(operation: n.Join, env: Env) -> tuple[list[Column], bool]:
    left, right = operation.left.schema, operation.right.schema
    joined = operation.both_sides()
    columns: list[Column] = []
    plain = True
    for place, other in n.using_columns(left, right, operation.kind, operation.using):
        if other is None:
            columns.append(env.columns[place])
            continue
        function = built_in("coalesce")
        args = (joined.reference(place), joined.reference(other))
        columns.append(BoundColumn(Call(function, args, function.infer(args)), env))
        plain = False
    return columns, plain


def _join_side(
    folder: Folder,
    block: Block,
    where: list[Condition],
    conditions: list[Condition],
    operation: n.Join,
    *,
    left_side: bool,
) -> Block:
    """One input of a join as FROM items; its filter moves to WHERE or ON where that is the same."""
    if not folder.flat or must_open(folder, operation, block, is_left=left_side):
        return folder.close(block)
    (where if is_preserved(operation.kind, left_side) else conditions).extend(block.where)
    block.where = []
    return block


def _lateral(folder: Folder, operation: n.LateralJoin, left: Block) -> Block:
    where: list[Condition] = []
    if folder.flat and not must_open(folder, operation, left):
        where, left.where = left.where, []
    else:
        left = folder.close(left)
    env = left.env
    inner: QueryOperation = operation.right
    name = ""
    while isinstance(inner, n.SubqueryAlias):  # its name is that of the lateral sub-query
        name = name or inner.name
        inner = inner.child
    right = Folder(env, folder.steps, flat=folder.flat, target=folder.target).fold(inner)
    relation = Relation(name or describe(right), unique_names(right.names), source=right)
    columns: list[Column] = list(left.columns)
    columns += [SourceColumn(relation, name) for name in relation.columns]
    assert left.from_ is not None
    joined = Env(columns, folder.outer)
    conditions = [] if operation.condition is None else [Condition(operation.condition, joined)]
    item = JoinItem(
        left.from_, RelationItem(relation), operation.kind, list(conditions), lateral=True
    )
    block = Block(item, [*left.relations, relation], columns, operation.schema.names, folder.outer)
    block.plain = left.plain
    block.level = max(left.level, right.level + 1)
    block.where = where
    return block


HANDLERS: Handlers = {
    n.Join: _join,
    n.LateralJoin: _lateral,
}
