"""When an argument is evaluated: the branches of CASE and its like, whose calls may not be needed.

A condition that is not deterministic would come out otherwise when it is evaluated once more, so
there is none then, and the call is made for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from viewscribe.expressions.functions.builtin import conditional as c
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.node import Node, holds
from viewscribe.expressions.nodes import Call, LambdaVariable, ResolvedExpression, make_call
from viewscribe.expressions.properties import is_deterministic

Needed = ResolvedExpression | None
"""The condition under which something is evaluated; None is always."""

Arm = tuple[ResolvedExpression, Needed]


def both(one: Needed, other: Needed) -> Needed:
    """Where both conditions hold."""
    if one is None or other is None:
        return one or other
    return one if one == other else make_call(op.AND, (one, other))


def either(conditions: Sequence[Needed]) -> Needed:
    """Where one of the conditions holds."""
    different = list(dict.fromkeys(conditions))
    known = [each for each in different if each is not None]
    if len(known) < len(different):
        return None
    return known[0] if len(known) == 1 else make_call(op.OR, tuple(known))


def arms(call: Call) -> Iterator[Arm]:
    """The arguments of a call, each with the condition under which it is evaluated."""
    find = _ARMS.get(call.function)
    if find is None:
        yield from ((arg, None) for arg in call.args)
        return
    for arg, needed in find(call.args):
        yield arg, needed if needed is not None and may_be_repeated(needed) else None


def may_be_repeated(condition: Node) -> bool:
    """Whether the condition comes out the same when it is evaluated in a step of its own."""
    return is_deterministic(condition) and not holds(condition, LambdaVariable)


Args = Sequence[ResolvedExpression]


def _test(function: FunctionDefinition, arg: ResolvedExpression) -> ResolvedExpression:
    if function is op.IS_NOT_FALSE and not arg.type.nullable:
        return arg
    return make_call(function, (arg,))


def _all(conditions: Args) -> Needed:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return make_call(op.AND, tuple(conditions))


def _case(args: Args) -> Iterator[Arm]:
    before: list[ResolvedExpression] = []
    for place in range(0, len(args) - 1, 2):
        condition, value = args[place : place + 2]
        yield condition, _all(before)
        yield value, _all([*before, condition])
        before.append(_test(op.IS_NOT_TRUE, condition))
    if len(args) % 2:
        yield args[-1], _all(before)


def _if(args: Args) -> Iterator[Arm]:
    condition, then, otherwise = args
    yield condition, None
    yield then, condition
    yield otherwise, _test(op.IS_NOT_TRUE, condition)


def _nvl2(args: Args) -> Iterator[Arm]:
    value, there, missing = args
    yield value, None
    yield there, _test(op.IS_NOT_NULL, value)
    yield missing, _test(op.IS_NULL, value)


def _until(test: FunctionDefinition) -> Callable[[Args], Iterator[Arm]]:
    """Each argument only where the test holds for all before it."""

    def find(args: Args) -> Iterator[Arm]:
        before: list[ResolvedExpression] = []
        for arg in args:
            yield arg, _all(before)
            before.append(_test(test, arg))

    return find


_ARMS: dict[FunctionDefinition, Callable[[Args], Iterator[Arm]]] = {
    c.CASE: _case,
    c.IF: _if,
    c.NVL2: _nvl2,
    c.COALESCE: _until(op.IS_NULL),
    c.NVL: _until(op.IS_NULL),
    op.AND: _until(op.IS_NOT_FALSE),
    op.OR: _until(op.IS_NOT_TRUE),
}
