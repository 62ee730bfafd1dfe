"""Aggregates that only ORDER BY of a grouped block holds, which Spark takes only sometimes.

It takes none beside a window function, and none where HAVING has an aggregate or a key that is no
column of SELECT. Spark 4 refuses ``SELECT k … GROUP BY k HAVING count(*) > 1 ORDER BY sum(x)``
and ``SELECT k + 1 … GROUP BY k HAVING k > 1 ORDER BY sum(x)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from viewscribe.expressions.nodes import AggregateCall, FieldReference, ResolvedExpression
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    features_of,
    inlined_features,
)


def may_sort_by(block: Block, keys: Iterable[ResolvedExpression]) -> bool:
    """Whether the computed keys may be added to ORDER BY of a grouped block."""
    columns = block.columns
    if not any(inlined_features(features_of(key), columns).aggregate for key in keys):
        return True
    return not block.has_windows() and not _hides_one(block.having, set(map(id, columns)))


def may_filter_groups(block: Block, condition: ResolvedExpression) -> bool:
    """Whether the condition may be added to HAVING of an ordered block."""
    called = set(map(id, block.columns))
    return not _sorts_by_one(block, called) or not _hides_one([(condition, block.env)], called)


def keeps_aggregates(
    block: Block, expressions: Iterable[ResolvedExpression], called: Collection[int]
) -> bool:
    """Whether ORDER BY of a grouped block is still taken below other columns.

    Args:
        block: the block so far.
        expressions: what is computed of its columns.
        called: the ids of the columns that keep a name of their own.
    """
    if not _sorts_by_one(block, called):
        return True
    columns = block.columns
    if block.has_windows() or any(
        inlined_features(features_of(each), columns).window for each in expressions
    ):
        return False
    return not _hides_one(block.having, called)


def _sorts_by_one(block: Block, called: Collection[int]) -> bool:
    """Whether an aggregate is written into ORDER BY, being no column that is called there."""
    return any(
        not (type(key.child) is FieldReference and id(env.columns[key.child.index]) in called)
        and inlined_features(features_of(key.child), env.columns).aggregate
        for key, env in block.order
    )


def _hides_one(
    conditions: Iterable[tuple[ResolvedExpression, Env]], called: Collection[int]
) -> bool:
    """Whether a condition of HAVING holds an aggregate or a key that is no column as it is."""
    return any(
        _is_hidden(env.columns[index], called)
        for condition, env in conditions
        for index in features_of(condition).refs
    )


def _is_hidden(column: Column, called: Collection[int]) -> bool:
    if id(column) not in called:
        return True
    if not isinstance(column, BoundColumn) or not column.features.aggregate:
        return False
    return type(column.expression) is not AggregateCall
