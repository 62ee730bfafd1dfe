"""The rule for calls that were made already: their results are carried up, not asked for again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.finding import (
    CALLS,
    adds_only,
    call_of,
    is_async_step,
    keep_columns,
    own_expressions,
    substitute,
    unguarded,
    with_new_columns,
)

_Chain = n.Filter | n.Sort | n.Limit | n.Offset | n.SubqueryAlias | n.Project | n.WithColumns


def share_calls(operation: QueryOperation) -> QueryOperation:
    """A call that a step below has made for the same rows is not made again.

    ``f(x)`` in a projection over a filter by ``f(x)`` becomes the column that the filter tests.
    """
    if not is_async_step(operation):
        return operation
    assert isinstance(operation, n.WithColumns)
    for place, column in enumerate(operation.columns):
        found = _find(call_of(column), operation.child)
        if found is not None:
            chain, source = found
            return _share_call(operation, place, chain, source)
    return operation


Found = tuple[list[QueryOperation], int]


def _find(call: Call, child: QueryOperation) -> Found | None:
    """The operations down to the step that makes the call, which is the last, and its column."""
    if not call.function.deterministic:
        return None
    chain: list[QueryOperation] = []
    wanted: ResolvedExpression | None = call
    node = child
    while wanted is not None and isinstance(node, _Chain):
        chain.append(node)
        if isinstance(node, n.WithColumns) and not adds_only(node):
            return None  # it puts a column in the place of another
        if is_async_step(node):
            assert isinstance(node, n.WithColumns)
            for place, column in enumerate(node.columns):
                assert isinstance(wanted, Call)
                if call_of(column) in (wanted, unguarded(wanted)):
                    return chain, len(node.child.schema) + place
        wanted = _below(wanted, node)
        node = node.child
    return None


def _below(call: ResolvedExpression, node: QueryOperation) -> ResolvedExpression | None:
    """The call over what the operation reads; None where that has not all of its columns."""
    if isinstance(node, n.WithColumns):
        changed = set(node.places())

        def find_passed(index: int) -> int | None:
            return None if index in changed else index

    elif isinstance(node, n.Project):
        projected = node.expressions

        def find_passed(index: int) -> int | None:
            value = strip_alias(projected[index])
            return value.index if isinstance(value, FieldReference) else None

    else:
        return call
    return _at(call, find_passed)


def _at(
    expression: ResolvedExpression, place: Callable[[int], int | None]
) -> ResolvedExpression | None:
    """The expression with its columns elsewhere; None where one is nowhere."""
    lost = False

    def step(node: Node) -> Node | None:
        nonlocal lost
        if not isinstance(node, FieldReference):
            return None
        index = place(node.index)
        lost |= index is None
        return node if index is None else node.copy_with({"index": index})

    made = substitute(expression, step)
    return None if lost else made


def _share_call(
    step: n.WithColumns, place: int, chain: Sequence[QueryOperation], source: int
) -> QueryOperation:
    """The step without one of its calls, whose result comes from below."""
    taken = {name.lower() for node in (step, *chain) for name in node.schema.names}
    name = next(name for at in count(1) if (name := f"{CALLS}_{at}") not in taken)
    made, places, carried = _carry(chain, source, name)

    def move(expression: ResolvedExpression) -> ResolvedExpression:
        found = _at(expression, lambda index: places[index])
        assert found is not None
        return found

    others = [move(c.child) for at, c in enumerate(step.columns) if at != place]
    above, references = with_new_columns(made, others, CALLS)
    found = [each.index for each in references]
    found.insert(place, carried)
    return keep_columns(above, [*places, *found], step.schema.names)


def _carry(
    chain: Sequence[QueryOperation], source: int, name: str
) -> tuple[QueryOperation, list[int], int]:
    """The chain with a column of its lowest step in its output, under a name of its own.

    Gives the chain made anew, where its old columns are in the new one, and where the carried one.
    """
    made = chain[-1]
    places, carried = list(range(len(made.schema))), source
    for node in reversed(chain[:-1]):
        before = len(made.schema)
        expressions = [_place(each, places) for each in own_expressions(node)]
        if isinstance(node, n.Project):
            reference = made.schema.reference(carried)
            expressions.append(Alias(reference, name, reference.type))
            made = n.Project.of(made, tuple(expressions))
            places, carried = list(range(len(node.schema))), len(node.schema)
        elif isinstance(node, n.WithColumns):
            width = len(node.child.schema)
            made = node.with_children([made, *expressions])
            places += [before + at for at in range(len(node.schema) - width)]
        else:
            made = node.with_children([made, *expressions])
    return made, places, carried


def _place(expression: ResolvedExpression, places: Sequence[int]) -> ResolvedExpression:
    made = _at(expression, lambda index: places[index])
    assert made is not None
    return made
