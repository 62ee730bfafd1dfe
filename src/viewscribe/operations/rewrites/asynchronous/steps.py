"""Moving calls out of expressions into columns of a step below; what is around stays equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from viewscribe.expressions.functions.asynchronous.running_function import GuardedFunction
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    ResolvedExpression,
    alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.finding import (
    Occurrence,
    occurrences,
    own_expressions,
)
from viewscribe.operations.rewrites.asynchronous.guards import Needed, both, either

CALLS = "async"
"""How the columns that hold results are called, with a number."""

ARGUMENTS = "argument"
"""How the columns that hold arguments are called, with a number."""


def fresh_names(operation: QueryOperation, stem: str, count: int) -> list[str]:
    """Names that the operation has no column of."""
    taken = {name.lower() for name in operation.schema.names}
    found: list[str] = []
    number = 1
    while len(found) < count:
        if f"{stem}_{number}" not in taken:
            found.append(f"{stem}_{number}")
        number += 1
    return found


def with_new_columns(
    child: QueryOperation, expressions: Sequence[ResolvedExpression], stem: str
) -> tuple[QueryOperation, list[FieldReference]]:
    """The operation with expressions as columns at its end, and the references to them."""
    if not expressions:
        return child, []
    names = fresh_names(child, stem, len(expressions))
    columns = tuple(
        Alias(each, name, each.type) for each, name in zip(expressions, names, strict=True)
    )
    made = n.WithColumns.of(child, columns)
    width = len(child.schema)
    return made, [made.schema.reference(width + place) for place in range(len(columns))]


def guard(call: Call, needed: Needed) -> Call:
    """The call, made only where it is needed."""
    if needed is None:
        return call
    assert isinstance(call.function, UserFunction)
    if isinstance(call.function, GuardedFunction):
        condition = both(needed, call.args[0])
        assert condition is not None
        return call.copy_with({"args": (condition, *call.args[1:])})
    return Call(GuardedFunction(call.function), (needed, *call.args), call.type)


def unguarded(call: Call) -> Call:
    """The call as it is made where it is always needed."""
    if not isinstance(call.function, GuardedFunction):
        return call
    return call.copy_with({"function": call.function.called, "args": call.args[1:]})


def need_by(call: Call) -> Needed:
    """The condition under which the call is made."""
    return call.args[0] if isinstance(call.function, GuardedFunction) else None


class Moved:
    """Calls that become columns: equal ones become one, needed where any of them is.

    Args:
        found: the calls.
    """

    def __init__(self, found: Iterable[Occurrence]) -> None:
        self._groups: dict[Any, list[Occurrence]] = {}
        for each in found:
            # What is not deterministic is called as often as it is written.
            key = each.call if each.call.function.deterministic else id(each.call)
            self._groups.setdefault(key, []).append(each)
        self.references: dict[int, FieldReference] = {}
        """The column of each call, by the identity of the call."""

    def __bool__(self) -> bool:
        return bool(self._groups)

    def below(
        self, child: QueryOperation, over: Callable[[Call], Call] | None = None
    ) -> QueryOperation:
        """The operation with a column for each call.

        Args:
            child: the operation.
            over: makes the calls refer to its columns, where they do not yet.
        """
        calls = [
            guard(group[0].call, either([each.needed for each in group]))
            for group in self._groups.values()
        ]
        made, references = with_new_columns(child, list(map(over, calls)) if over else calls, CALLS)
        for group, reference in zip(self._groups.values(), references, strict=True):
            for each in group:
                self.references[id(each.call)] = reference
        return made

    def replaced(self, expression: ResolvedExpression) -> ResolvedExpression:
        """The expression with references in the place of the calls."""
        return substitute(expression, lambda node: self.references.get(id(node)))

    def reference_to(self, call: Call) -> FieldReference | None:
        """The column of an equal call."""
        group = self._groups.get(call)
        return None if group is None else self.references[id(group[0].call)]


def substitute(
    expression: ResolvedExpression, find: Callable[[Node], Node | None]
) -> ResolvedExpression:
    """The expression with some nodes replaced, outermost first; sub-queries stay as they are."""
    made: dict[int, Node] = {}
    stack: list[tuple[Node, bool]] = [(expression, False)]
    while stack:
        node, expanded = stack.pop()
        if not expanded:
            found = node if node.is_query else find(node)
            if found is not None or not node.child_fields:
                made[id(node)] = found or node
                continue
            stack.append((node, True))
            stack.extend((child, False) for child in node.children())
            continue
        before = node.children()
        now = [made[id(child)] for child in before]
        changed = any(new is not old for new, old in zip(now, before, strict=True))
        made[id(node)] = node.with_children(now) if changed else node
    result = made[id(expression)]
    assert isinstance(result, ResolvedExpression)
    return result


def hoist(
    operation: QueryOperation,
    wanted: Callable[[ResolvedExpression, Occurrence], bool] | None = None,
) -> QueryOperation:
    """The operation of one input, the calls in its expressions made by a step below it.

    Args:
        operation: has its input first among its children.
        wanted: which calls, from an expression and a call in it; by default all.
    """
    expressions = own_expressions(operation)
    moved = Moved(
        each
        for expression in expressions
        for each in occurrences(expression)
        if not each.bound and (wanted is None or wanted(expression, each))
    )
    if not moved:
        return operation
    child = operation.inputs()[0]
    below = moved.below(child)
    rebuilt = operation.with_children([below, *map(moved.replaced, expressions)])
    return without_columns(rebuilt, operation, len(child.schema), len(below.schema))


def without_columns(
    rebuilt: QueryOperation, before: QueryOperation, width: int, wide: int
) -> QueryOperation:
    """The columns that the operation gave before; those that were put between are dropped."""
    if len(rebuilt.schema) == len(before.schema):
        return rebuilt
    return keep_columns(rebuilt, [*range(width), *range(wide, len(rebuilt.schema))])


def keep_columns(
    operation: QueryOperation, places: Sequence[int], names: Sequence[str] | None = None
) -> QueryOperation:
    """Some columns of an operation, perhaps under other names."""
    found: list[ResolvedExpression] = [operation.schema.reference(place) for place in places]
    if names is not None:
        found = [alias(each, name) for each, name in zip(found, names, strict=True)]
    return n.Project.of(operation, tuple(found))
