"""Whether an expression may be written over what a block's columns are bound to."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression
from viewscribe.expressions.properties import functions_of
from viewscribe.serializer.blocks import Block, BoundColumn
from viewscribe.serializer.features import Features, features_of

FREE_SIZE = 12

_PACKED_SIZE = 80

_PACKED_FROM = 6

_MOST_DEPTH = 48


def allowed_size(block: Block) -> int:
    """How large an expression may be to be written twice: little, until levels get scarce."""
    return FREE_SIZE if block.level < _PACKED_FROM else _PACKED_SIZE


def may_inline(
    block: Block,
    expressions: Sequence[ResolvedExpression],
    *,
    owns: Sequence[Features | None] | None = None,
    kept: bool = False,
    windows: bool = False,
    anchors: bool = False,
) -> bool:
    """Whether the expressions may be written over what the block's columns are bound to.

    Args:
        block: the block they would go into.
        expressions: over the block's columns.
        owns: their features, where they are known already.
        kept: whether the columns also stay in the output (so that each use is a repetition).
        windows: whether columns with window functions may be used.
        anchors: whether a time window may be used.
    """
    if block.group is not None and any(map(_takes_window, expressions)):
        return False  # Spark knows the window for one only once the groups are made
    uses: dict[int, int] = {}
    deepest: dict[int, int] = {}
    complex_own = False
    in_functions: set[int] = set()
    for place, expression in enumerate(expressions):
        if type(expression) is FieldReference:
            uses[expression.index] = uses.get(expression.index, 0) + 1
            continue
        own = (owns and owns[place]) or features_of(expression)
        complex_own = complex_own or own.window or own.aggregate
        if own.outer and any(_is_out_of_sight(block, index) for index in own.outer):
            return False
        if own.higher_order:
            in_functions |= own.refs.keys()
        for index, count in own.refs.items():
            uses[index] = uses.get(index, 0) + count
            deepest[index] = max(deepest.get(index, 0), own.depth)
    allowed = allowed_size(block)
    for index, count in uses.items():
        column = block.columns[index]
        if type(column) is not BoundColumn:
            continue
        below = column.features
        if below.subquery and index in in_functions:
            return False  # Spark takes no sub-query in a function that takes lambdas
        repeated = count + kept
        if below.volatile and (repeated > 1 or kept):
            return False
        if below.window and (not windows or complex_own):
            return False
        if below.correlated and complex_own:
            return False  # of columns of a query around alone, an aggregate would be that query's
        if below.anchored and (not anchors or repeated > 1):
            return False
        if repeated > 1 and below.size > allowed:
            return False
        if index in deepest and below.depth + deepest[index] > _MOST_DEPTH:
            return False
    return True


def _takes_window(expression: ResolvedExpression) -> bool:
    return any(function.built_in_name == "window_time" for function in functions_of(expression))


def _is_out_of_sight(block: Block, index: int) -> bool:
    """Whether a sub-query in this SELECT could not see the column.

    It only exists after it, or it is made of a column two queries out, where Spark does not look.
    """
    column = block.columns[index]
    if not isinstance(column, BoundColumn):
        return False
    made = column.features
    return block.group is not None or made.window or made.aggregate or made.correlated
