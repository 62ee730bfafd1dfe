"""The rules for conditions: what needs no call is tested first, what needs one after it."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.node import Node, holds, replace
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import (
    is_special,
    references_of,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.finding import holds_async, own_expressions
from viewscribe.operations.rewrites.asynchronous.projections import is_taken_apart
from viewscribe.operations.rewrites.asynchronous.steps import hoist


def split_condition(operation: QueryOperation) -> QueryOperation:
    """SPLIT_CONDITION: a condition with calls gets their results from a step below.

    ``f(x) AND y`` becomes ``async_1 AND y`` over ``f(x) AS async_1``. Of several conditions with
    calls each is tested before the next one's calls are made.
    """
    assert isinstance(operation, n.Filter)
    parts = conjuncts(operation.condition)
    if sum(map(holds_async, parts)) < 2:
        return hoist(operation)
    made = operation.child
    for part in parts:
        made = hoist(n.Filter.of(made, part))
    return made


def split_condition_rex_field(operation: QueryOperation) -> QueryOperation:
    """SPLIT_CONDITION_REX_FIELD: a call whose field a condition takes, in a step below.

    ``f(x).name = 'a'`` becomes ``async_1.name = 'a'`` over ``f(x) AS async_1``.
    """
    assert isinstance(operation, n.Filter)
    if sum(map(holds_async, conjuncts(operation.condition))) > 1:
        return operation  # each of which becomes a step first
    return hoist(operation, is_taken_apart)


def push_condition(operation: QueryOperation) -> QueryOperation:
    """PUSH_CONDITION: what a condition can say without a call is said before the calls are made.

    Also where the calls are made in a projection further below.
    """
    assert isinstance(operation, n.Filter)
    parts = conjuncts(operation.condition)
    plain = [part for part in parts if not holds_async(part)]
    child, stay = operation.child, []
    for part in plain:
        pushed = _below_calls(part, child)
        child = child if pushed is None else pushed
        stay += [part] if pushed is None else []
    calling = [part for part in parts if holds_async(part)]
    if child is operation.child and not (calling and stay):
        return operation
    if stay:
        child = n.Filter.of(child, conjunction(stay))
    return n.Filter.of(child, conjunction(calling)) if calling else child


def conjuncts(condition: ResolvedExpression) -> list[ResolvedExpression]:
    """What AND joins, in the order written."""
    found: list[ResolvedExpression] = []
    stack = [condition]
    while stack:
        each = stack.pop()
        if isinstance(each, Call) and each.function is op.AND:
            stack.extend(reversed(each.args))
        else:
            found.append(each)
    return found


def conjunction(parts: Sequence[ResolvedExpression]) -> ResolvedExpression:
    """The parts joined by AND."""
    return parts[0] if len(parts) == 1 else make_call(op.AND, tuple(parts))


# -- going below -----------------------------------------------------------------------------------

_PASSED = n.Project | n.WithColumns | n.Filter | n.Sort | n.Distinct | n.SubqueryAlias | n.Generate


def _below_calls(part: ResolvedExpression, operation: QueryOperation) -> QueryOperation | None:
    """The operation with the condition below its calls; None where it cannot go there."""
    if is_special(part) or holds(part, SubqueryExpression):
        return None
    steps: list[QueryOperation] = []
    below: tuple[int, ResolvedExpression] | None = None
    node = operation
    while isinstance(node, _PASSED):
        if isinstance(node, n.Project | n.WithColumns):
            lowered = below_projection(part, node)
            if lowered is None:
                break
            part = lowered
        if isinstance(node, n.Generate) and not _is_of_rows_below(part, node):
            break
        steps.append(node)
        if any(map(holds_async, own_expressions(node))):
            below = len(steps), part
        node = node.child
    if below is None:
        return None
    count, part = below
    made: QueryOperation = n.Filter.of(steps[count - 1].inputs()[0], part)
    for step in reversed(steps[:count]):
        made = step.with_children([made, *own_expressions(step)])
    return made


def _is_of_rows_below(part: ResolvedExpression, node: n.Generate) -> bool:
    """Whether a condition says the same of a row as of all that a generator makes of it."""
    width = len(node.child.schema)
    return not is_special(node.call) and all(place < width for place in references_of(part).columns)


def below_projection(
    expression: ResolvedExpression, projection: n.Project | n.WithColumns
) -> ResolvedExpression | None:
    """The expression over what a projection reads; None where it needs a call, or may not move."""
    if any(map(is_special, own_expressions(projection))):
        return None  # a window sees all rows, and what is not deterministic may count them
    values = _values(projection)
    used = [values.get(place) for place in references_of(expression).columns]
    if any(value is not None and holds_async(value) for value in used):
        return None

    def step(node: Node) -> Node:
        if not isinstance(node, FieldReference):
            return node
        value = values.get(node.index)
        return node if value is None else strip_alias(value)

    made = replace(expression, step)
    assert isinstance(made, ResolvedExpression)
    return made


def _values(projection: n.Project | n.WithColumns) -> dict[int, ResolvedExpression]:
    """What the columns of a projection are; none for those that it passes on."""
    if isinstance(projection, n.Project):
        return dict(enumerate(projection.expressions))
    return dict(zip(projection.places(), projection.columns, strict=True))
