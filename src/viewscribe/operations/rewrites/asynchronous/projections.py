"""The rules for projections, and those for the steps that only make calls."""

from __future__ import annotations

from viewscribe.expressions.functions.asynchronous.running_function import (
    GuardedFunction,
    is_async_call,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.builtin.conditional import CASE
from viewscribe.expressions.node import Node, holds, preorder
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.finding import (
    Occurrence,
    call_of,
    inner_occurrences,
    is_async_step,
    is_plain_step,
)
from viewscribe.operations.rewrites.asynchronous.steps import (
    ARGUMENTS,
    CALLS,
    Moved,
    hoist,
    keep_columns,
    need_by,
    substitute,
    unguarded,
    with_new_columns,
)


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
