"""The rule for joins: a call of one side is made on that side, one of both after the join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import Call, FieldReference, ResolvedExpression
from viewscribe.expressions.properties import is_correlated, is_special, references_of
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.conditions import conjunction, conjuncts
from viewscribe.operations.rewrites.asynchronous.finding import (
    Occurrence,
    holds_async,
    occurrences,
)
from viewscribe.operations.rewrites.asynchronous.steps import Moved, keep_columns, substitute

AnyJoin = n.Join | n.LateralJoin


def split_join(operation: QueryOperation) -> QueryOperation:
    """Calls of one side of a join, in a step of that side; conditions of both, in one above it.

    ``a JOIN b ON f(a.x) = b.y`` becomes ``a JOIN b ON async_1 = b.y``, where a step over ``a`` is
    ``f(a.x) AS async_1``. Only an inner join can be tested afterwards.
    """
    assert isinstance(operation, AnyJoin)
    condition = operation.condition
    if condition is None or is_correlated(condition):
        return operation
    if is_inner(operation):
        parts = conjuncts(condition)
        later = [part for part in parts if any(spans(operation, each) for each in _free(part))]
        if later:
            now = [part for part in parts if not any(part is each for each in later)]
            return _test_later(operation, now, later)
    widths = len(operation.left.schema), len(operation.right.schema)
    pushed = _with_conditions_pushed(operation)
    if pushed is not operation:
        return pushed
    joined = _with_right(_with_left(operation))
    if joined is operation:
        return operation
    start = len(joined.left.schema)
    places = [*range(widths[0]), *range(start, start + widths[1])]
    return keep_columns(joined, places if operation.kind.keeps_right else places[: widths[0]])


def is_inner(operation: QueryOperation) -> bool:
    """Whether a condition of the join may as well be tested after it."""
    kinds = (n.JoinKind.INNER, n.JoinKind.CROSS)
    return isinstance(operation, AnyJoin) and operation.kind in kinds


def spans(operation: QueryOperation, occurrence: Occurrence) -> bool:
    """Whether a call in the condition of a join uses columns of both sides."""
    return isinstance(operation, AnyJoin) and len(_sides(operation, occurrence.call)) > 1


def _sides(operation: AnyJoin, call: Call) -> set[bool]:
    """Whether the columns that a call uses are of the right side, for each."""
    width = len(operation.left.schema)
    return {index >= width for index in references_of(call).columns}


def _free(expression: ResolvedExpression) -> list[Occurrence]:
    return [each for each in occurrences(expression) if not each.bound]


def _test_later(
    operation: AnyJoin, now: Sequence[ResolvedExpression], later: Sequence[ResolvedExpression]
) -> QueryOperation:
    condition = conjunction(now) if now else None
    kind = n.JoinKind.CROSS if condition is None else n.JoinKind.INNER
    joined = operation.copy_with({"condition": condition, "kind": kind})
    return n.Filter.of(joined, conjunction(later))


_PUSHED = {
    n.JoinKind.INNER: (False, True),
    n.JoinKind.CROSS: (False, True),
    n.JoinKind.SEMI: (False, True),
    n.JoinKind.LEFT: (True,),
    n.JoinKind.ANTI: (True,),
    n.JoinKind.RIGHT: (False,),
}
"""The sides, right or not, whose rows may be left out before the join where they match nothing."""


def _with_conditions_pushed(operation: AnyJoin) -> AnyJoin:
    """The conditions of one side, where calls are made there, tested before the calls are."""
    assert operation.condition is not None
    parts, sides = conjuncts(operation.condition), [operation.left, operation.right]
    width = len(operation.left.schema)
    calling = set().union(*[_sides(operation, each.call) for each in _free(operation.condition)])
    stay: list[ResolvedExpression] = []
    for part in parts:
        used = {index >= width for index in references_of(part).columns}
        right = used == {True}
        wanted = len(used) == 1 and right in calling and right in _PUSHED.get(operation.kind, ())
        if not wanted or holds_async(part) or is_special(part):
            stay.append(part)
        else:
            sides[right] = n.Filter.of(sides[right], _move_by(part, -width * right))
    if len(stay) == len(parts):
        return operation
    changes: dict[str, object] = {
        "left": sides[0],
        "right": sides[1],
        "condition": conjunction(stay),
    }
    made = operation.copy_with(changes)
    assert isinstance(made, AnyJoin)
    return made


def _of_side(operation: AnyJoin, right: bool) -> Moved:
    """The calls of one side; a branch may depend on the other, so they are made for every row."""
    assert operation.condition is not None
    found = [
        each._replace(needed=None)
        for each in _free(operation.condition)
        if _sides(operation, each.call) <= {right}
    ]
    return Moved(found)


def _with_left(operation: AnyJoin) -> AnyJoin:
    moved = _of_side(operation, right=False)
    if not moved:
        return operation
    width, left = len(operation.left.schema), moved.below(operation.left)
    added = len(left.schema) - width

    def step(node: Node) -> Node | None:
        if isinstance(node, FieldReference) and node.index >= width:
            return node.copy_with({"index": node.index + added})
        return moved.references.get(id(node))

    return _rebuilt(operation, {"left": left}, step)


def _with_right(operation: AnyJoin) -> AnyJoin:
    moved = _of_side(operation, right=True)
    if not moved:
        return operation
    width = len(operation.left.schema)
    right = moved.below(operation.right, lambda call: _moved_call(call, -width))

    def step(node: Node) -> Node | None:
        found = moved.references.get(id(node))
        return None if found is None else found.copy_with({"index": found.index + width})

    return _rebuilt(operation, {"right": right}, step)


def _moved_call(call: Call, by: int) -> Call:
    made = _move_by(call, by)
    assert isinstance(made, Call)
    return made


def _move_by(expression: ResolvedExpression, by: int) -> ResolvedExpression:
    def step(node: Node) -> Node | None:
        if isinstance(node, FieldReference):
            return node.copy_with({"index": node.index + by})
        return None

    return substitute(expression, step)


def _rebuilt(
    operation: AnyJoin, changes: dict[str, object], step: Callable[[Node], Node | None]
) -> AnyJoin:
    assert operation.condition is not None
    condition = substitute(operation.condition, step)
    made = operation.copy_with({**changes, "condition": condition})
    assert isinstance(made, AnyJoin)
    return made
