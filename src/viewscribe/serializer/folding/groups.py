"""Groups: GROUP BY in all its forms, DISTINCT, time windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.properties import functions_of
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import with_key_columns
from viewscribe.operations.user_functions import calls_catalog
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    Group,
    Relation,
    SourceColumn,
    inlined_features,
    unique_names,
)
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding.folder import Folder, Handlers, is_in_from
from viewscribe.serializer.folding.new_select import must_open
from viewscribe.serializer.folding.projections import fold_project
from viewscribe.serializer.folding.reopening import derive_from, over_derived


def _aggregate(folder: Folder, operation: n.Aggregate, block: Block) -> Block:
    keys = [strip_alias(key) for key in operation.keys]
    calls = [strip_alias(aggregate) for aggregate in operation.aggregates]
    if folder.flat:
        block, keys, calls = _reopen(folder, block, operation, keys, calls)
    able = not must_open(folder, operation, block, calls, keys=keys)
    if _needs_named_keys(
        block if able else folder.over(Relation("", unique_names(block.names)), block.names),
        operation,
        keys,
    ):
        block, named = _name_keys(folder, block, operation, keys)
        if operation.grouping is not n.Grouping.SIMPLE:
            calls = [with_key_columns(call, keys, named) for call in calls]
        keys = named
    elif not able:
        block = folder.close(block)
    env = block.env
    key_columns = [_key_column(key, env) for key in keys]
    grouped = [(key, env) for key in keys]
    block.group = Group(grouped, operation.grouping, operation.sets, key_columns)
    columns: list[Column] = [*key_columns]
    columns += [BoundColumn(call, env) for call in calls]
    block.columns, block.plain = columns, False
    block.names = operation.schema.names
    block.anchors = _has_namesake(keys, env)
    return block


def _reopen(
    folder: Folder,
    block: Block,
    operation: n.Aggregate,
    keys: list[ResolvedExpression],
    calls: list[ResolvedExpression],
) -> tuple[Block, list[ResolvedExpression], list[ResolvedExpression]]:
    """The query below, and what is over it, where the groups may be made in it by now."""
    inner = derive_from(block)
    moved = None if inner is None else over_derived(block, [*keys, *calls])
    if inner is None or moved is None:
        return block, keys, calls
    below, above = moved[: len(keys)], moved[len(keys) :]
    if _needs_named_keys(inner, operation, below):
        return block, keys, calls
    if must_open(folder, operation, inner, above, keys=below):
        return block, keys, calls
    return inner, below, above


def _key_column(key: ResolvedExpression, env: Env) -> Column:
    if type(key) is FieldReference:
        return env.columns[key.index]
    # Over the groups, Spark knows a window of time by the name of its column alone.
    return BoundColumn(key, env, anchored=bool(_time_windows(key)))


def _time_windows(key: ResolvedExpression) -> set[str]:
    return {function.name for function in functions_of(key) if function.is_step}


def _has_namesake(keys: Sequence[ResolvedExpression], env: Env) -> bool:
    """Whether a column is called as the column that Spark makes of a window among the keys.

    It knows neither of them in HAVING, QUALIFY and ORDER BY then.
    """
    names: set[str] = set()
    for key in keys:
        column = _key_column(key, env)
        if isinstance(column, BoundColumn) and column.features.anchored:
            names |= _time_windows(column.expression)
    if not names:
        return False
    sources = [each for each in env.columns if isinstance(each, SourceColumn)]
    return any(each.name.lower() in names for each in sources)


def _needs_named_keys(
    block: Block, operation: n.Aggregate, keys: Sequence[ResolvedExpression]
) -> bool:
    """Whether a key must be a column: constants would be ordinals, grouping sets want columns."""
    columns = block.columns
    simple = operation.grouping is n.Grouping.SIMPLE
    if not simple and len({id(columns[place]) for place in _plain_places(keys)}) < len(keys):
        return True  # one column as two keys would be one key
    for key in keys:
        if type(key) is FieldReference and type(columns[key.index]) is SourceColumn:
            continue
        own = inlined_features(features_of(key), columns)
        if not simple or own.volatile or own.subquery:
            return True
        if not any(
            isinstance(each, SourceColumn) for each in _written_parts(key, block)
        ) and not _time_windows(key):
            return True  # a window of a constant is none, and Spark takes it in GROUP BY alone
        if any(
            isinstance(each, ResolvedExpression) and calls_catalog(each)
            for each in _written_parts(key, block)
        ):
            return True
    return False


def _plain_places(keys: Sequence[ResolvedExpression]) -> list[int]:
    return [key.index for key in keys if type(key) is FieldReference]


def _written_parts(
    expression: ResolvedExpression, block: Block
) -> Iterator[ResolvedExpression | SourceColumn]:
    """The expression, and what is written into it: other expressions, and columns of FROM."""
    pending = [(expression, block.columns)]
    while pending:
        current, columns = pending.pop()
        yield current
        for index in features_of(current).refs:
            column = columns[index]
            if isinstance(column, SourceColumn):
                yield column
                continue
            assert isinstance(column, BoundColumn)
            pending.append((column.expression, column.env.columns))


def _name_keys(
    folder: Folder, block: Block, operation: n.Aggregate, keys: list[ResolvedExpression]
) -> tuple[Block, list[ResolvedExpression]]:
    """A block below in which every key that is not a plain column has become one."""
    if len(set(_plain_places(keys))) == len(keys):  # they are columns once the query is closed
        return folder.close(block), keys
    columns: list[ResolvedExpression] = list(operation.child.schema.references)
    named: list[ResolvedExpression] = []
    used: set[int] = set()
    for key, given in zip(keys, operation.keys, strict=True):
        if type(key) is FieldReference and (
            operation.grouping is n.Grouping.SIMPLE or id(block.columns[key.index]) not in used
        ):
            used.add(id(block.columns[key.index]))
            named.append(key)
            continue
        name = n.output_name(given)
        named.append(FieldReference(len(columns), name, key.type))
        columns.append(alias(key, name))
    below = block.relations[0].source if block.relations else None
    if not folder.flat and is_in_from(operation.child) and isinstance(below, Block):
        block = below
    made = fold_project(folder, n.Project.of(operation.child, tuple(columns)), block)
    return folder.close(made), named


def _distinct(folder: Folder, operation: n.Distinct, block: Block) -> Block:
    if must_open(folder, operation, block):
        block = folder.close(block)
    block.distinct = True
    return block


def _time_window(folder: Folder, operation: n.TimeWindow, block: Block) -> Block:
    if must_open(folder, operation, block, [operation.call]):
        block = folder.close(block)
    block.columns = [*block.columns, BoundColumn(operation.call, block.env, anchored=True)]
    block.plain, block.anchors = False, True
    block.names = operation.schema.names
    return block


HANDLERS: Handlers = {
    n.Aggregate: _aggregate,
    n.Distinct: _distinct,
    n.TimeWindow: _time_window,
}
