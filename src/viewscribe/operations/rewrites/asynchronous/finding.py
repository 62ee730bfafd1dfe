"""Finding the calls of asynchronous functions, and when each of them is needed.

What ``RemoteCalcCallFinder`` of the FLIP-400 document is asked for, for all rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from viewscribe.expressions.functions.asynchronous.running_function import (
    GuardedFunction,
    is_async_call,
)
from viewscribe.expressions.node import Node, fold, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Lambda,
    LambdaVariable,
    Literal,
    ResolvedExpression,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.guards import (
    Arm,
    Needed,
    arms,
    both,
    may_be_repeated,
)


class Occurrence(NamedTuple):
    """A call of an asynchronous function that no other such call contains.

    Args:
        call: the call itself.
        needed: the condition under which SQL evaluates it; None is always.
        bound: whether it uses a variable of a lambda around it.
    """

    call: Call
    needed: Needed
    bound: bool


def holds_async(root: Node) -> bool:
    """Whether an asynchronous function is called in an expression, sub-queries left aside."""
    return any(is_async_call(node) for node in preorder(root, skip=_is_query))


def holds_async_anywhere(root: Node) -> bool:
    """Whether one is called anywhere in a tree."""
    return any(is_async_call(node) for node in preorder(root))


def own_expressions(operation: QueryOperation) -> list[ResolvedExpression]:
    """The expressions of an operation itself."""
    return [each for each in operation.children() if isinstance(each, ResolvedExpression)]


def occurrences(expression: ResolvedExpression) -> list[Occurrence]:
    """The outermost calls of asynchronous functions in an expression, in the order written."""
    found: list[Occurrence] = []
    around = _around_async(expression)
    stack: list[tuple[Node, Needed, frozenset[str]]] = [(expression, None, frozenset())]
    while stack:
        node, needed, variables = stack.pop()
        if id(node) not in around:
            continue
        if is_async_call(node):
            found.append(Occurrence(node, needed, _uses(node, variables)))
            continue
        if isinstance(node, Lambda):
            variables |= {each.name for each in node.parameters}
        below = list(_arms(node))
        stack.extend((arm, both(needed, when), variables) for arm, when in reversed(below))
    return found


def inner_occurrences(call: Call) -> list[Occurrence]:
    """The calls in the arguments of an asynchronous call; needed where that itself is."""
    found = []
    guarded = isinstance(call.function, GuardedFunction)
    for place, arg in enumerate(call.args):
        needed = call.args[0] if guarded and place else None
        for each in occurrences(arg):
            found.append(each._replace(needed=both(needed, each.needed)))
    return found


def _arms(node: Node) -> Iterator[Arm]:
    if isinstance(node, Call):
        yield from arms(node)
    elif isinstance(node, AggregateCall):
        needed = node.filter if node.filter is None or may_be_repeated(node.filter) else None
        for child in node.children():
            assert isinstance(child, ResolvedExpression)
            yield child, None if child is node.filter else needed
    else:
        for child in node.children():
            if isinstance(child, ResolvedExpression):
                yield child, None


def _around_async(expression: Node) -> set[int]:
    """The nodes that are, or contain, such a call; sub-queries are left aside."""
    found: set[int] = set()

    def step(node: Node, children: list[bool]) -> bool:
        if node.is_query:
            return False
        contains = is_async_call(node) or any(children)
        if contains:
            found.add(id(node))
        return contains

    fold(expression, step)
    return found


def _uses(call: Call, variables: frozenset[str]) -> bool:
    return bool(variables) and any(
        isinstance(node, LambdaVariable) and node.name in variables for node in preorder(call)
    )


def _is_query(node: Node) -> bool:
    return node.is_query


# -- steps of calls --------------------------------------------------------------------------------


def is_async_step(operation: Node) -> bool:
    """Whether the operation does nothing but add columns, each a call of such a function."""
    return (
        isinstance(operation, n.WithColumns)
        and all(is_async_call(column.child) for column in operation.columns)
        and adds_only(operation)
    )


def adds_only(operation: n.WithColumns) -> bool:
    """Whether no column takes the place of another."""
    return len(operation.schema) == len(operation.child.schema) + len(operation.columns)


def is_plain_step(operation: Node) -> bool:
    """Whether such a step's arguments are columns and constants alone."""
    return is_async_step(operation) and all(
        isinstance(arg, FieldReference | Literal)
        for column in _columns(operation)
        for arg in call_of(column).args
    )


def call_of(column: Alias) -> Call:
    """The call that a column of such a step is."""
    assert isinstance(column.child, Call)
    return column.child


def _columns(operation: Node) -> tuple[Alias, ...]:
    assert isinstance(operation, n.WithColumns)
    return operation.columns
