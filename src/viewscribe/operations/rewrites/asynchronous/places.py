"""Where calls stand, and what follows: a step of their own, one after the other, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

import msgspec

from viewscribe.expressions.node import Node, holds, preorder
from viewscribe.expressions.nodes import (
    Call,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.expressions.properties import (
    is_correlated,
    refers_outside,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.rewrites.asynchronous.finding import (
    Occurrence,
    inner_occurrences,
    occurrences,
    own_expressions,
)
from viewscribe.operations.rewrites.asynchronous.joins import is_inner, spans


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
