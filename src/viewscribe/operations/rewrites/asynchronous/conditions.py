"""The rules for conditions: what needs no call is tested first, what needs one after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

import msgspec

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.node import Node, holds, preorder, replace
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import (
    is_correlated,
    is_special,
    references_of,
    refers_outside,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.rewrites.asynchronous.finding import (
    Moved,
    Occurrence,
    hoist,
    holds_async,
    inner_occurrences,
    is_taken_apart,
    keep_columns,
    occurrences,
    own_expressions,
    substitute,
)


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


# The rule for joins: a call of one side is made on that side, one of both after the join.

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


# Where calls stand, and what follows: a step of their own, one after the other, or a refusal.


class Fate(Enum):
    """What becomes of a call: a step of its own, a call at its place, or an error."""

    HOISTED = "asynchronous"
    IN_PLACE = "synchronous"
    REFUSED = "refused"


class Placed(msgspec.Struct, frozen=True):
    """A call, where it stands, and what becomes of it.

    Args:
        call: the call.
        operation: the operation in whose expressions it stands.
        fate: what becomes of it.
        why: the reason, as a half sentence.
        hint: what to write instead, where it is refused.
        needed: the condition under which it is made; None is for every row.
    """

    call: Call
    operation: QueryOperation
    fate: Fate
    why: str
    hint: str | None = None
    needed: ResolvedExpression | None = None


def correlate(root: Node) -> frozenset[int]:
    """The identities of all operations in sub-queries that refer to the row around them.

    Spark takes those apart itself, and steps of calls that are not deterministic are in its way.
    """
    found: set[int] = set()
    for node in preorder(root):
        query = None
        if isinstance(node, SubqueryExpression):
            query = node.query
        elif isinstance(node, n.LateralJoin):
            query = node.right
        if query is not None and refers_outside(query):
            found.update(id(each) for each in preorder(query) if each.is_query)
    return frozenset(found)


def placed_calls(root: QueryOperation) -> Iterator[Placed]:
    """Every call of an asynchronous function in a tree, in the order the operations are met."""
    inside = correlate(root)
    for operation in preorder(root):
        if not isinstance(operation, QueryOperation):
            continue
        for expression in own_expressions(operation):
            for each in _all_occurrences(expression):
                yield _place(operation, expression, each, id(operation) in inside)


def _all_occurrences(expression: ResolvedExpression) -> Iterator[Occurrence]:
    pending = occurrences(expression)
    while pending:
        each, *pending = pending
        yield each
        below = [
            inner._replace(bound=inner.bound or each.bound, needed=inner.needed or each.needed)
            for inner in inner_occurrences(each.call)
        ]
        pending = below + pending


def _place(
    operation: QueryOperation, expression: ResolvedExpression, each: Occurrence, inside: bool
) -> Placed:
    if each.bound:
        return Placed(
            each.call,
            operation,
            Fate.REFUSED,
            "it uses the variable of a lambda, and Spark calls no Python function there",
            "explode the array, call the function for each row, and collect the results again",
        )
    if isinstance(operation, n.Join | n.LateralJoin):
        return _in_join(operation, each)
    if inside:
        return Placed(each.call, operation, Fate.IN_PLACE, _CORRELATED)
    why = _WHY.get(type(operation))
    if why is None:
        return Placed(
            each.call,
            operation,
            Fate.REFUSED,
            f"{type(operation).__name__} has no rows that a step could be made of",
            "select the call from a table: env.from_values(…).select(call(…))",
        )
    if isinstance(operation, n.Aggregate) and holds(expression, SubqueryExpression):
        return Placed(each.call, operation, Fate.IN_PLACE, "a sub-query stands beside it")
    return Placed(each.call, operation, Fate.HOISTED, why(operation), needed=each.needed)


_CORRELATED = "it stands in a sub-query that refers to the row around it, which Spark takes apart"


def _in_join(operation: n.Join | n.LateralJoin, each: Occurrence) -> Placed:
    assert operation.condition is not None
    if is_correlated(operation.condition):
        return Placed(each.call, operation, Fate.IN_PLACE, _CORRELATED)
    if not spans(operation, each):
        why = "each row of its side of the join is asked once, before the join"
        return Placed(each.call, operation, Fate.HOISTED, why)
    if is_inner(operation):
        why = "the condition needs both sides of an inner join, and is tested after it"
        return Placed(each.call, operation, Fate.HOISTED, why)
    return Placed(
        each.call,
        operation,
        Fate.REFUSED,
        f"the condition of a {operation.kind.name.lower()} join needs it with columns of both "
        "sides, and Spark calls no Python function there",
        "call the function in a step before the join, or make the join an inner one",
    )


_NO_CALLS = "no expression of it sees the rows of a table"
_NAMES = "it names columns, and computes nothing"

WITHOUT_STEPS: Mapping[type[QueryOperation], str] = {
    n.CatalogSource: _NO_CALLS,
    n.Distinct: _NO_CALLS,
    n.Hint: _NAMES,
    n.OneRow: _NO_CALLS,
    n.Process: "what it is called with are constants, and columns by name",
    n.Recursion: _NO_CALLS,
    n.CteReference: _NO_CALLS,
    n.WithCte: _NO_CALLS,
    n.Sample: _NO_CALLS,
    n.SetOperation: _NO_CALLS,
    n.SqlText: _NO_CALLS,
    n.SubqueryAlias: _NO_CALLS,
    n.TableFunction: _NO_CALLS,
    n.Unpivot: _NAMES,
    n.Values: _NO_CALLS,
}
"""Operations out of whose expressions no asynchronous call is moved."""

_WHY: HandlerTable[Callable[[QueryOperation], str]] = HandlerTable(
    "the step of asynchronous calls",
    {
        n.Filter: lambda node: "the condition is tested after a step of calls",
        n.Project: lambda node: "the projection is computed after a step of calls",
        n.WithColumns: lambda node: "the columns are computed after a step of calls",
        n.Sort: lambda node: "the rows are sorted after a step of calls",
        n.Aggregate: lambda node: (
            "the calls for rows are made before the groups, others after them"
        ),
        n.Pivot: lambda node: "the calls are made before the groups",
        n.Generate: lambda node: "the rows are generated after a step of calls",
        n.TimeWindow: lambda node: "the windows are found after a step of calls",
    },
    without={
        **WITHOUT_STEPS,
        n.Join: "either side of it may have the step",
        n.LateralJoin: "either side of it may have the step",
        n.Limit: _NO_CALLS,
        n.Offset: _NO_CALLS,
    },
)
"""Why a call may be moved out of the expressions of an operation."""
