"""What the SELECT that makes groups may not compute of them.

A scalar sub-query that looks at a key is refused there (SCALAR_SUBQUERY_IS_IN_GROUP_BY_…) unless it
is a key itself; EXISTS, IN and sub-queries in HAVING are not. Of ROLLUP, CUBE and GROUPING SETS
Spark 4.3 takes EXISTS, too, and fails to run it.

In ORDER BY over such groups, an aggregate of a key is to Spark 4.3 that of the key in each group,
which is NULL where it is left out: ``SELECT k … GROUP BY ROLLUP (k) ORDER BY sum(k)`` sorts the
total by NULL.

Over the groups of ROLLUP, CUBE and GROUPING SETS, in the argument of an aggregate over a window
Spark takes a key for the column that was grouped by: it refuses ``SELECT k, max(k) OVER () … GROUP
BY ROLLUP (k)`` (MISSING_AGGREGATION) and takes ``lag(k) OVER (…)``, as well as ``max(k) OVER ()``
with ``GROUP BY k``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from viewscribe.expressions.functions.builtin.aggregates import GROUPING, GROUPING_ID
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import Node, holds
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    Over,
    ResolvedExpression,
    ScalarSubquery,
    SortOrder,
    SubqueryExpression,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Grouping
from viewscribe.serializer.blocks import (
    Block,
    Bound,
    BoundColumn,
    Column,
    Condition,
    Env,
    SourceColumn,
    has_source,
    inlined_features,
)
from viewscribe.serializer.features import features_of
from viewscribe.types import VOID


def may_look_at_groups(block: Block, expressions: Iterable[ResolvedExpression]) -> bool:
    """Whether the expressions may be computed in the block that makes the groups."""
    if block.group is None:
        return True
    expressions = list(expressions)
    simple = block.group.grouping is Grouping.SIMPLE
    if any(_looks_up(expression, any_kind=not simple) for expression in expressions):
        return False
    if simple:
        return True
    return not any(_aggregates_a_key(each, block.env) for each in expressions)


def aggregates_keys_of_sets(block: Block, roots: Iterable[Bound]) -> bool:
    """Whether an aggregate in these, written into ORDER BY, is of a key of several sets."""
    if block.group is None or block.group.grouping is Grouping.SIMPLE:
        return False
    keys = {id(column) for root, env in block.group.keys for column in _sources(root, env)}
    return any(
        id(column) in keys
        for call, env in _aggregates(roots)
        if call.function not in (GROUPING, GROUPING_ID)  # which are of the key itself
        for child in call.children()
        for column in _sources(child, env)
    )


def asks_sets_that_repeat(block: Block, asked: Iterable[Bound]) -> bool:
    """Whether ``grouping`` is called beside a set of keys that is there twice.

    Spark then numbers the rows, and finds ``grouping(k)`` and ``grouping_id()`` in SELECT alone: it
    refuses ``GROUPING SETS ((k), (k)) HAVING grouping(k) = 0`` (UNSUPPORTED_GROUPING_EXPRESSION).
    """
    if block.group is None:
        return False
    sets = [frozenset(each) for each in block.group.sets]
    return len(set(sets)) < len(sets) and any(
        call.function in (GROUPING, GROUPING_ID) for call, _ in _aggregates(asked)
    )


def _aggregates(roots: Iterable[Bound]) -> Iterator[tuple[AggregateCall, Env]]:
    """The aggregates in expressions, and in what they refer to."""
    stack: list[tuple[Node, Env]] = list(roots)
    while stack:
        node, around = stack.pop()
        if isinstance(node, AggregateCall):
            yield node, around
        elif type(node) is FieldReference:
            column = around.columns[node.index]
            if isinstance(column, BoundColumn):
                stack.append((column.expression, column.env))
        else:
            stack += [(child, around) for child in _seen_of_the_row(node)]


def _sources(root: Node, env: Env) -> Iterator[Column]:
    """The columns of FROM in an expression, and in what it refers to."""
    stack: list[tuple[Node, Env]] = [(root, env)]
    while stack:
        node, around = stack.pop()
        if type(node) is FieldReference:
            column = around.columns[node.index]
            if isinstance(column, BoundColumn):
                stack.append((column.expression, column.env))
            else:
                yield column
        else:
            stack += [(child, around) for child in _seen_of_the_row(node)]


def tests_a_hidden_key(
    block: Block,
    columns: Sequence[Column | None],
    names: Sequence[str],
    conditions: Iterable[Bound],
) -> bool:
    """Whether a condition is on a key that SELECT does not show under the key's own name.

    Of ROLLUP, CUBE and GROUPING SETS, HAVING then finds the key only where nothing else is to be
    resolved: Spark takes ``SELECT k AS v … GROUP BY ROLLUP (k) HAVING k > 1``, and neither ``k >
    1L`` nor ``upper(k) = 'A'`` or ``k > 1 AND max(x) > 1`` (UNRESOLVED_COLUMN).

    Args:
        block: the block that makes the groups.
        columns: the columns that it shows; None for each that is computed of the groups.
        names: what these are called.
        conditions: those of HAVING.
    """
    if block.group is None or block.group.grouping is Grouping.SIMPLE:
        return False
    counts = Counter(map(str.lower, names))
    shown = {
        id(column)
        for column, name in zip(columns, names, strict=True)
        if isinstance(column, SourceColumn)
        and column.name.lower() == name.lower()
        and counts[name.lower()] == 1
    }
    computed = {id(column) for column in block.group.columns if isinstance(column, BoundColumn)}
    return any(_needs_a_key(root, env, shown, computed) for root, env in conditions)


def _needs_a_key(root: Node, env: Env, shown: Collection[int], computed: Collection[int]) -> bool:
    """Whether a key is in the expression that is none of the columns that are shown.

    Keys that are computed of the rows are none: ``SELECT k, k + 1 AS v … GROUP BY ROLLUP (k, k + 1)
    HAVING k + 1 > 1L`` is a condition on ``k``.
    """
    stack: list[tuple[Node, Env]] = [(root, env)]
    while stack:
        node, around = stack.pop()
        if type(node) is FieldReference:
            column = around.columns[node.index]
            if not isinstance(column, BoundColumn):
                if id(column) not in shown:
                    return True
            elif id(column) in computed:
                return True
            else:
                stack.append((column.expression, column.env))
        elif not isinstance(node, AggregateCall) or node.function is GROUPING:
            stack += [(child, around) for child in _seen_of_the_row(node)]
    return False


def _seen_of_the_row(node: Node) -> Iterator[Node]:
    """The parts of an expression; of a sub-query, the columns around that it looks at."""
    if isinstance(node, SubqueryExpression):
        for place in features_of(node).outer:
            yield FieldReference(place, "", VOID)
    yield from (child for child in node.children() if not isinstance(child, QueryOperation))


def _looks_up(expression: ResolvedExpression, *, any_kind: bool) -> bool:
    """Whether a scalar sub-query in it, or one of any kind, looks at the row."""
    looks = type(expression) is not FieldReference and bool(features_of(expression).outer)
    return looks and (any_kind or holds(expression, ScalarSubquery))


def _aggregates_a_key(root: ResolvedExpression, env: Env) -> bool:
    """Whether an aggregate over a window is of a key of the groups."""
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Over):
            call = node.call
            if call.function.kind is FunctionKind.AGGREGATE and _holds_a_key(call.children(), env):
                return True
        stack += _seen_of_the_row(node)
    return False


def _holds_a_key(roots: Iterable[Node], env: Env) -> bool:
    """Whether a key is in the expressions, and not in an aggregate of the groups themselves."""
    stack = [(root, env) for root in roots]
    while stack:
        node, around = stack.pop()
        if type(node) is FieldReference:
            column = around.columns[node.index]
            if not isinstance(column, BoundColumn):
                return True
            stack.append((column.expression, column.env))
        elif not isinstance(node, AggregateCall):
            stack += [(child, around) for child in _seen_of_the_row(node)]
    return False


# What only ORDER BY of a grouped block holds, aggregates and computed keys: Spark takes few.
#
# It takes none beside a window function, and none where HAVING has an aggregate or a key that is no
# column of SELECT. Spark 4 refuses ``SELECT k … GROUP BY k HAVING count(*) > 1 ORDER BY sum(x)``,
# ``SELECT k + 1 … GROUP BY k HAVING k > 1 ORDER BY sum(x)`` and, unless ``k`` itself is a key,
# ``SELECT sum(x) … GROUP BY k + 1 HAVING count(*) > 1 ORDER BY k + 1``.


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
        if id(column) in called
        and isinstance(column, BoundColumn)
        and not column.features.aggregate
    ]
    return any(
        _is_hidden(term.env.columns[index], called)
        for term in conditions
        for index in _refs_beside(term.expression, term.env, shown)
    )


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
