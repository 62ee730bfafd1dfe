"""What only ORDER BY of a grouped block holds, aggregates and computed keys: Spark takes few.

It takes none beside a window function, and none where HAVING has an aggregate or a key that is no
column of SELECT. Spark 4 refuses ``SELECT k … GROUP BY k HAVING count(*) > 1 ORDER BY sum(x)``,
``SELECT k + 1 … GROUP BY k HAVING k > 1 ORDER BY sum(x)`` and, unless ``k`` itself is a key,
``SELECT sum(x) … GROUP BY k + 1 HAVING count(*) > 1 ORDER BY k + 1``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
)
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Condition,
    Env,
    has_source,
    inlined_features,
)
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding.grouping_sets import (
    aggregates_keys_of_sets,
    asks_sets_that_repeat,
)


def may_sort_by(block: Block, keys: Iterable[ResolvedExpression]) -> bool:
    """Whether the computed keys may be added to ORDER BY of a grouped block."""
    columns, keys = block.columns, list(keys)
    if block.has_windows():
        return not any(_computes_from_groups(key, columns) for key in keys)
    computed = [key for key in keys if type(key) is not FieldReference]
    if not any(inlined_features(features_of(key), columns).aggregate for key in keys) and not any(
        _computes_from_groups(key, columns) for key in computed
    ):
        return True
    roots = [(key, Env(list(columns))) for key in computed]
    if aggregates_keys_of_sets(block, roots) or asks_sets_that_repeat(block, roots):
        return False
    return not _hides_one(block, block.having, set(map(id, columns)))


def _computes_from_groups(key: ResolvedExpression, columns: Sequence[Column]) -> bool:
    """Whether a key that is no column, or an aggregate, would be written into ORDER BY.

    Beside a window function Spark has only the columns of SELECT there, and keys that are columns.
    """
    used = [columns[index] for index in features_of(key).refs]
    return any(
        isinstance(column, BoundColumn) and (column.features.aggregate or has_source(column))
        for column in used
    )


def may_filter_groups(block: Block, condition: ResolvedExpression) -> bool:
    """Whether the condition may be added to HAVING of an ordered block."""
    called = set(map(id, block.columns))
    return not _sorts_by_one(block, called) or not _hides_one(
        block, [Condition(condition, block.env)], called
    )


def keeps_aggregates(
    block: Block, expressions: Iterable[ResolvedExpression], called: Collection[int]
) -> bool:
    """Whether ORDER BY of a grouped block is still taken below other columns.

    Args:
        block: the block so far.
        expressions: what is computed of its columns.
        called: the ids of the columns that keep a name of their own.
    """
    columns = block.columns
    if block.has_windows() or any(
        inlined_features(features_of(each), columns).window for each in expressions
    ):
        return not any(
            _computes_from_groups(key.child, env.columns) and not _is_called(key, env, called)
            for key, env in block.order
        )
    hidden = [(key.child, env) for key, env in block.order if not _is_called(key, env, called)]
    if aggregates_keys_of_sets(block, hidden):
        return False
    return not _sorts_by_one(block, called) or not _hides_one(block, block.having, called)


def _sorts_by_one(block: Block, called: Collection[int]) -> bool:
    """Whether ORDER BY has an aggregate or a computed key written out, not called by its name."""
    return any(
        not _is_called(key, env, called)
        and (
            inlined_features(features_of(key.child), env.columns).aggregate
            or _computes_from_groups(key.child, env.columns)
        )
        for key, env in block.order
    )


def _is_called(key: SortOrder, env: Env, called: Collection[int]) -> bool:
    child = key.child
    return type(child) is FieldReference and id(env.columns[child.index]) in called


def _hides_one(block: Block, conditions: Iterable[Condition], called: Collection[int]) -> bool:
    """Whether a condition of HAVING holds an aggregate or a key that is no column as it is.

    What a column of SELECT computes is that column, wherever it is written.
    """
    shown = [
        column
        for column in block.columns
        if id(column) in called and isinstance(column, BoundColumn) and not _is_made(column)
    ]
    return any(
        _is_hidden(term.env.columns[index], called)
        for term in conditions
        for index in _refs_beside(term.expression, term.env, shown)
    )


def _is_made(column: BoundColumn) -> bool:
    return column.features.aggregate


def _refs_beside(
    condition: ResolvedExpression, env: Env, shown: Iterable[BoundColumn]
) -> Collection[int]:
    """The columns that a condition uses outside of what is shown."""
    items = {column.expression for column in shown if column.env.columns is env.columns}
    if not items:
        return features_of(condition).refs
    found: set[int] = set()
    pending = [condition]
    while pending:
        part = pending.pop()
        if part in items:
            continue
        below = [each for each in part.children() if isinstance(each, ResolvedExpression)]
        if isinstance(part, SubqueryExpression):
            found |= set(features_of(part).outer)
        elif not below:
            found |= set(features_of(part).refs)
        pending += below
    return found


def _is_hidden(column: Column, called: Collection[int]) -> bool:
    if id(column) not in called:
        return True
    if not isinstance(column, BoundColumn) or not column.features.aggregate:
        return False
    return type(column.expression) is not AggregateCall
