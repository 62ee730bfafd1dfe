"""Finding the calls of asynchronous functions, and when each of them is needed.

What ``RemoteCalcCallFinder`` of the FLIP-400 document is asked for, for all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from viewscribe.expressions.functions.asynchronous.options import GuardedFunction, is_async_call
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.builtin.conditional import CASE
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, fold, holds, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Lambda,
    LambdaVariable,
    Literal,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.guards import (
    Arm,
    Needed,
    arms,
    both,
    either,
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


# Moving calls out of expressions into columns of a step below; what is around stays equal.

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


# The rules for projections, and those for the steps that only make calls.


def split_project(operation: QueryOperation) -> QueryOperation:
    """SPLIT_PROJECT: a projection that does more than make calls gets them from a step below.

    ``concat(f(x), y)`` becomes ``concat(async_1, y)`` over ``f(x) AS async_1``.
    """
    return operation if is_async_step(operation) else hoist(operation)


def split_projection_rex_field(operation: QueryOperation) -> QueryOperation:
    """SPLIT_PROJECTION_REX_FIELD: a call whose field a projection takes, in a step below.

    ``f(x).name`` becomes ``async_1.name`` over ``f(x) AS async_1``.
    """
    return hoist(operation, is_taken_apart)


def is_taken_apart(expression: ResolvedExpression, occurrence: Occurrence) -> bool:
    """Whether a field of the call's result is taken somewhere in the expression."""
    return any(
        isinstance(node, Call) and node.function is op.GET_FIELD and node.args[0] is occurrence.call
        for node in preorder(expression)
    )


def merge_projections(operation: QueryOperation) -> QueryOperation:
    """A projection of a projection that only picks columns picks them itself."""
    assert isinstance(operation, n.Project)
    below = operation.child
    if not isinstance(below, n.Project):
        return operation
    picked = [strip_alias(each) for each in below.expressions]
    if not all(isinstance(each, FieldReference) for each in picked):
        return operation
    if any(holds(each, SubqueryExpression) for each in operation.expressions):
        return operation  # which may refer to the columns by their places

    def step(node: Node) -> Node | None:
        if not isinstance(node, FieldReference):
            return None
        return picked[node.index]

    return n.Project.of(
        below.child,
        tuple(alias(substitute(e, step), n.output_name(e)) for e in operation.expressions),
    )


def nested_split(operation: QueryOperation) -> QueryOperation:
    """NESTED_SPLIT: a call in the arguments of another, in a step before it.

    ``f(g(x))`` becomes ``f(async_1)`` over ``g(x) AS async_1``.
    """
    if not is_async_step(operation):
        return operation
    assert isinstance(operation, n.WithColumns)
    child, calls = operation.child, [call_of(column) for column in operation.columns]
    inner = [each for call in calls for each in inner_occurrences(call) if not each.bound]
    if not inner:
        return operation
    # A call that is also an argument of another is made once, where either needs it.
    known = {each.call for each in inner}
    outer = [Occurrence(unguarded(call), need_by(call), bound=False) for call in calls]
    moved = Moved(inner + [each for each in outer if each.call in known])
    below = moved.below(child)
    values = [moved.reference_to(unguarded(call)) or moved.replaced(call) for call in calls]
    return _in_place_of(operation, below, values)


def expand_project(operation: QueryOperation) -> QueryOperation:
    """EXPAND_PROJECT: arguments that are computed, by a step below the calls.

    ``f(x.name)`` becomes ``f(argument_1)`` over ``x.name AS argument_1``. Those of a call that is
    not needed for all rows are computed only where it is.
    """
    if not is_async_step(operation) or is_plain_step(operation):
        return operation
    assert isinstance(operation, n.WithColumns)
    calls = [call_of(column) for column in operation.columns]
    if any(is_async_call(node) for call in calls for arg in call.args for node in preorder(arg)):
        return operation  # which are split first
    wanted: dict[ResolvedExpression, None] = {}
    for call in calls:
        wanted.update((arg, None) for arg in _arguments(call) if not _is_plain(arg))
    below, references = with_new_columns(operation.child, list(wanted), ARGUMENTS)
    known = dict(zip(wanted, references, strict=True))
    values: list[ResolvedExpression] = [
        call.copy_with({"args": tuple(known.get(arg, arg) for arg in _arguments(call))})
        for call in calls
    ]
    return _in_place_of(operation, below, values)


def _arguments(call: Call) -> list[ResolvedExpression]:
    """The arguments; of a call that is not always needed, as CASE without ELSE."""
    if not isinstance(call.function, GuardedFunction):
        return list(call.args)
    needed, *args = call.args
    return [
        needed,
        *[arg if _is_plain(arg) else make_call(CASE, (needed, arg)) for arg in args],
    ]


def _is_plain(arg: ResolvedExpression) -> bool:
    return isinstance(arg, FieldReference | Literal)


def _in_place_of(
    step: n.WithColumns, below: QueryOperation, values: list[ResolvedExpression]
) -> QueryOperation:
    """The columns of a step, some now columns below, the others still calls above that."""
    calls = [value for value in values if isinstance(value, Call)]
    made, references = with_new_columns(below, calls, CALLS)
    found = iter(references)
    places = [
        next(found).index if isinstance(value, Call) else value.index
        for value in values
        if isinstance(value, Call | FieldReference)
    ]
    width = len(step.child.schema)
    return keep_columns(made, [*range(width), *places], step.schema.names)
