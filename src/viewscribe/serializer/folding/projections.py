"""Projections and filters: SELECT lists, WHERE, HAVING, QUALIFY."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from viewscribe.expressions.functions.builtin.operators import AND
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    ResolvedExpression,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Env,
    Features,
    SourceColumn,
    features_of,
    inlined_features,
    is_only_called,
)
from viewscribe.serializer.folding.folder import Folder, Handlers
from viewscribe.serializer.folding.grouping_sets import may_look_at_groups, tests_a_hidden_key
from viewscribe.serializer.folding.hints import sees_partitions
from viewscribe.serializer.folding.inlining import may_inline
from viewscribe.serializer.folding.reopening import derived_from, over_derived, unwrapped
from viewscribe.serializer.folding.sorted_groups import keeps_aggregates, may_filter_groups


def fold_project(folder: Folder, operation: n.Project, block: Block) -> Block:
    """A projection: its expressions become the columns of the block."""
    expressions = [e.child if type(e) is Alias else e for e in operation.expressions]
    names = operation.schema.names
    if folder.flat:
        block, expressions = _reopened(folder, block, expressions, names)
    if not _may_project(folder, block, expressions, names):
        block = folder.close(block)
    env = block.env
    columns, plain = _bound(expressions, env)
    block.columns, block.plain = columns, plain
    block.names = names
    return unwrapped(block) if folder.flat else block


def _reopened(
    folder: Folder, block: Block, expressions: list[ResolvedExpression], names: Sequence[str]
) -> tuple[Block, list[ResolvedExpression]]:
    """The query below, and the expressions over it, where they may stand in it by now."""
    inner = derived_from(block)
    moved = None if inner is None else over_derived(block, expressions)
    if inner is None or moved is None or not _may_project(folder, inner, moved, names):
        return block, expressions
    return inner, moved


def _may_project(
    folder: Folder, block: Block, expressions: Sequence[ResolvedExpression], names: Sequence[str]
) -> bool:
    """Whether the expressions may become the columns of the block."""
    if not _can_project(block, expressions, names):
        return False
    return not _needs_select_between(folder, block, expressions)


def _needs_select_between(
    folder: Folder, block: Block, expressions: Sequence[ResolvedExpression]
) -> bool:
    """Whether a SELECT between a UNION ALL and a sub-query that looks at its rows must stay.

    Without it Spark 4.3 fails (PushProjectionThroughUnion: ``key not found``).
    """
    if not folder.reads_union(block) or folder.is_table(block):
        return False
    return any(features_of(expression).outer for expression in expressions)


def _bound(expressions: Sequence[ResolvedExpression], env: Env) -> tuple[list[Column], bool]:
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


def _can_project(
    block: Block, expressions: Sequence[ResolvedExpression], names: Sequence[str]
) -> bool:
    if block.body is not None or (block.hints and sees_partitions(block, expressions)):
        return False
    if block.order and _sees_order(expressions):
        return False
    if block.distinct and not _permutes(block, expressions):
        return False
    if block.group is not None and not block.group.keys and not _aggregates(block, expressions):
        return False  # without an aggregate in it, SELECT would give a row for each row
    if block.group is not None and not may_look_at_groups(block, expressions):
        return False
    if block.having and tests_a_hidden_key(block, _kept(block, expressions), names, block.having):
        return False
    if block.order and not block.plain:
        called = _called(_kept(block, expressions), names)
        if not _keeps_order(block, called):
            return False
        if block.group is not None and not keeps_aggregates(block, expressions, called):
            return False
    if block.plain and not block.limited and not block.qualify and not block.distinct:
        return True
    if block.is_anchored() and not _keeps_anchors(block, expressions):
        return False
    if block.limited or block.qualify or block.distinct:
        for expression in expressions:
            if type(expression) is not FieldReference:
                own = features_of(expression)
                if own.window or own.volatile or own.subquery:
                    return False
    passed = {e.index for e in expressions if type(e) is FieldReference}
    if len(passed) == len(expressions):
        return True  # each column as it is, at most once: nothing is written into anything
    return may_inline(block, expressions, windows=True, anchors=True)


def _kept(block: Block, expressions: Sequence[ResolvedExpression]) -> list[Column | None]:
    """The columns of the block that the expressions are, None for each that computes."""
    return [block.columns[e.index] if type(e) is FieldReference else None for e in expressions]


def _sees_order(expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether one is drawn or counted row by row, so that it must come after the rows are sorted.

    Beside ORDER BY it would be drawn before: SQL sorts what SELECT gives.
    """
    return any(features_of(expression).volatile for expression in expressions)


def _aggregates(block: Block, expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether an aggregate function is left in the expressions."""
    return any(inlined_features(features_of(e), block.columns).aggregate for e in expressions)


def _called(kept: Sequence[Column | None], names: Sequence[str]) -> set[int]:
    """The ids of the columns that have a name of their own.

    Args:
        kept: the columns of the block that stay, None for each other column beside them.
        names: what the columns are called.
    """
    counts = Counter(map(str.lower, names))
    return {id(c) for c, name in zip(kept, names, strict=True) if counts[name.lower()] == 1}


def _keeps_order(block: Block, called: set[int]) -> bool:
    """Whether the sort keys that can only be called by name still have a name of their own.

    Written out again, a random value would be drawn anew, and Spark takes no window in ORDER BY,
    and no sub-query that looks at the row.
    """
    return all(
        id(env.columns[index]) in called or not is_only_called(env.columns[index])
        for key, env in block.order
        for index in features_of(key.child).refs
    )


def _permutes(block: Block, expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether a projection only renames and reorders, so that it commutes with DISTINCT."""
    places = [e.index for e in expressions if type(e) is FieldReference]
    return len(places) == len(expressions) and sorted(places) == list(range(len(block.columns)))


def _keeps_anchors(block: Block, expressions: Sequence[ResolvedExpression]) -> bool:
    """Whether every time window stays, as a column of its own."""
    kept = {e.index for e in expressions if type(e) is FieldReference}
    return all(
        place in kept
        for place, column in enumerate(block.columns)
        if isinstance(column, BoundColumn) and column.features.anchored
    )


def _with_columns(folder: Folder, operation: n.WithColumns, block: Block) -> Block:
    expressions = [column.child for column in operation.columns]
    places = operation.places()
    # Asked for twice where the block computes columns: for whether they may be written into
    # these, and for whether these may be written into the next.
    owns = [None if block.plain else features_of(expression) for expression in expressions]
    if (
        not _can_add(block, expressions, owns, places)
        or (block.having and _hides_a_key(block, operation, places))
        or (block.order and not block.plain and not _still_ordered(block, operation, places))
        or _needs_select_between(folder, block, expressions)
    ):
        block = folder.close(block)
    env = block.env
    columns = list(block.columns)
    for place, expression, own in zip(places, expressions, owns, strict=True):
        if type(expression) is FieldReference:
            column: Column = env.columns[expression.index]
        else:
            column = BoundColumn(expression, env, own=own)
            block.plain = False
        if place == len(columns):
            columns.append(column)
        else:
            columns[place] = column
    block.columns = columns
    block.plain = block.plain or all(type(column) is SourceColumn for column in columns)
    block.names = operation.schema.names
    return block


def _hides_a_key(block: Block, operation: n.WithColumns, places: Sequence[int]) -> bool:
    """Whether one of the columns takes the name of a key that HAVING calls."""
    width = len(operation.schema.names)
    kept: list[Column | None] = [*block.columns, *[None] * (width - len(block.columns))]
    for place in places:
        kept[place] = None
    return tests_a_hidden_key(block, kept, operation.schema.names, block.having)


def _still_ordered(block: Block, operation: n.WithColumns, places: Sequence[int]) -> bool:
    kept: list[Column | None] = [*block.columns, *[None] * len(places)]
    for place in places:
        kept[place] = None
    names = operation.schema.names
    called = _called(kept[: len(names)], names)
    if not _keeps_order(block, called):
        return False
    if block.group is None:
        return True
    return keeps_aggregates(block, [column.child for column in operation.columns], called)


def _can_add(
    block: Block,
    expressions: Sequence[ResolvedExpression],
    owns: Sequence[Features | None],
    places: Sequence[int],
) -> bool:
    if block.body is not None or block.distinct:
        return False
    if block.hints and sees_partitions(block, expressions):
        return False
    if block.order and _sees_order(expressions):
        return False
    if block.group is not None and not block.group.keys:
        kept = [
            column
            for place, column in enumerate(block.columns)
            if place not in places and isinstance(column, BoundColumn)
        ]
        if not any(column.features.aggregate for column in kept) and not _aggregates(
            block, expressions
        ):
            return False  # as in a projection: the one row would become a row for each row
    if block.group is not None and not may_look_at_groups(block, expressions):
        return False
    if block.plain and not block.limited and not block.qualify:
        return True
    if block.limited or block.qualify:
        for expression in expressions:
            own = features_of(expression)
            if own.window or own.volatile or own.subquery:
                return False
    if block.anchors and any(
        place < len(block.columns)
        and isinstance(block.columns[place], BoundColumn)
        and block.columns[place].features.anchored  # type: ignore[attr-defined]
        for place in places
    ):
        return False
    return may_inline(block, expressions, owns=owns, kept=True, windows=True)


def _filter(folder: Folder, operation: n.Filter, block: Block) -> Block:
    condition = operation.condition
    if folder.flat and _filter_below(folder, block, condition):
        return unwrapped(block)
    place = _place(folder, block, condition)
    if place is None:
        block = folder.close(block)
        place = block.where
    place.append((condition, block.env))
    return block


def _filter_below(folder: Folder, block: Block, condition: ResolvedExpression) -> bool:
    """Puts the condition, and those before it, into the query that the block reads.

    There a condition on constants may be one on groups, and one beside window functions joins one
    on these: a text does not say which came first.
    """
    where, block.where = block.where, []
    inner = derived_from(block)
    block.where = where
    if inner is None or block.has_windows():
        return False
    moved = []
    for each, env in (*where, (condition, block.env)):
        found = over_derived(block, [each], env.columns)
        if found is None:
            return False
        moved += found
    together = moved[0] if len(moved) == 1 else make_call(AND, tuple(moved))
    place = _place(folder, inner, together)
    if place is None:
        return False
    env = inner.env
    place += [(each, env) for each in moved]
    block.where = []
    return True


def _place(folder: Folder, block: Block, condition: ResolvedExpression) -> list[Any] | None:
    """The clause of the block that takes the condition, if one does."""
    seen = bool(block.hints) and sees_partitions(block, [condition])
    seen = seen or (bool(block.order) and _sees_order([condition]))
    if block.body is not None or block.limited or block.distinct or seen:
        return None
    if block.plain and block.group is None and not block.qualify:
        return block.where
    place = _filter_place(block, condition)
    return None if place is block.qualify and not folder.target.has_qualify else place


def _filter_place(block: Block, condition: ResolvedExpression) -> list[Any] | None:
    """The clause of the block that can hold the condition: WHERE, HAVING, QUALIFY or none."""
    if block.is_anchored():
        return None
    own = features_of(condition)
    volatile = any(
        isinstance(column, BoundColumn) and column.features.volatile for column in block.columns
    )
    if own.volatile or volatile:
        return None
    if block.has_windows() or block.qualify:
        if block.group is not None:
            return None  # QUALIFY does not see what the groups were made of
        if own.subquery or not may_inline(block, [condition], kept=True, windows=True):
            return None
        whole = inlined_features(own, block.columns)
        return block.qualify if whole.window else None
    if not may_inline(block, [condition], kept=True):
        return None
    if block.group is None:
        return block.where
    if block.group.grouping is not n.Grouping.SIMPLE and (
        own.subquery
        or tests_a_hidden_key(block, block.columns, block.names, [(condition, block.env)])
    ):
        return None
    return block.having if not block.order or may_filter_groups(block, condition) else None


HANDLERS: Handlers = {
    n.Project: fold_project,
    n.WithColumns: _with_columns,
    n.Filter: _filter,
}
