"""What matters about an expression when deciding whether it may be written somewhere."""

from __future__ import annotations

from typing import Any

import msgspec

from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    FieldReference,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import LateralJoin


class Features(msgspec.Struct, eq=False, gc=False):
    """What matters about an expression, or about a column once everything is written into it.

    ``refs`` counts the uses of each column, ``outer`` those from within sub-queries; ``function``
    says whether there is a lambda function, ``higher_order`` whether a function that takes one,
    ``correlated`` whether a column of a query around (for a column of a block: whether one would
    be written, and no constant in its place).
    """

    refs: dict[int, int] = msgspec.field(default_factory=dict)
    size: int = 0
    depth: int = 0
    aggregate: bool = False
    window: bool = False
    subquery: bool = False
    volatile: bool = False
    anchored: bool = False
    function: bool = False
    higher_order: bool = False
    correlated: bool = False
    outer: dict[int, int] = msgspec.field(default_factory=dict)


_SUBQUERY_SIZE = 60
_MOST_TERMS = 50_000
"""Terms on a level of an expression, of which some may be the same."""


class TooLongError(Exception):
    """So much is written that the tree is first searched for what is written again and again."""


def features_of(expression: ResolvedExpression) -> Features:
    """The features of an expression by itself; ``refs`` counts the uses of each input column.

    Raises:
        TooLongError: it has so many terms that some of them may be repetitions.
    """
    found = Features()
    refs = found.refs
    level: list[Any] = [expression]
    while level:  # a level of the tree at a time
        found.depth += 1
        found.size += len(level)
        if len(level) > _MOST_TERMS:
            raise TooLongError
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is FieldReference:
                refs[node.index] = refs.get(node.index, 0) + 1
            elif kind is Call:
                if not node.function.deterministic:
                    found.volatile = True
                if node.function.takes_functions:
                    found.higher_order = True
                below += node.args
            elif kind is OuterReference:
                found.correlated = True
            elif kind is not Literal and kind is not LambdaVariable:
                _note(node, found)
                own = node.children()
                if kind is Over:  # its function is no aggregate of groups; its arguments may be
                    own = [*node.call.children(), *node.partition_by, *node.order_by]
                below += [c for c in own if not isinstance(c, QueryOperation)]
        level = below
    for index, count in found.outer.items():
        refs[index] = refs.get(index, 0) + count
    return found


def _note(node: ResolvedExpression, found: Features) -> None:
    if isinstance(node, AggregateCall):
        found.aggregate = True
        found.volatile |= not node.function.deterministic
    elif isinstance(node, Over):
        found.window = True
        found.volatile |= not node.call.function.deterministic
    elif isinstance(node, Lambda):
        found.function = True
    elif isinstance(node, SubqueryExpression):
        found.subquery = True
        found.size += _SUBQUERY_SIZE
        count_outer(node.query, found.outer)


def count_outer(query: Any, refs: dict[int, int]) -> bool:
    """Counts what a sub-query uses of the row around it; says whether it looks further out."""
    stack: list[tuple[Any, int]] = [(query, 1)]
    further = False
    while stack:
        node, level = stack.pop()
        if type(node) is OuterReference:
            if node.level == level:
                refs[node.index] = refs.get(node.index, 0) + 1
            further = further or node.level > level
            continue
        for child in node.children():
            inside = isinstance(node, SubqueryExpression) and child is node.query
            inside = inside or (isinstance(node, LateralJoin) and child is node.right)
            stack.append((child, level + 1 if inside else level))
    return further
