"""Properties of expressions and trees: foldable, deterministic, monotone, and the columns they use.

Type inference, rewrites, the folding of operations into blocks and verification all ask here.
Nothing here recurses, so deep trees cost no more than shallow ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from viewscribe.expressions.functions.casts import is_up_cast
from viewscribe.expressions.node import IS_RANDOM, Node, holds, is_query, marks_in, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.expressions.nodes import Literal as LiteralNode
from viewscribe.types import (
    BooleanType,
    DateType,
    IntegralType,
    NumericType,
    StringType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.policy import IN_FORCE as COERCION

if TYPE_CHECKING:
    from viewscribe.expressions.functions.definition import FunctionDefinition


# The arguments of a CASE that grows branch by branch.

_FEW = 32
_LOCK = Lock()


class Branches(Sequence[Any]):
    """Arguments that each longer CASE shares with the one before it, and sees more of.

    Args:
        items: the arguments, and behind them those of longer ones.
        width: how many of them these are.
    """

    __slots__ = ("_items", "_width")

    def __init__(self, items: list[Any], width: int) -> None:
        self._items = items
        self._width = width

    def __len__(self) -> int:
        return self._width

    def __iter__(self) -> Iterator[Any]:
        return islice(self._items, self._width)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple([self._items[each] for each in range(self._width)[place]])
        return self._items[range(self._width)[place]]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def grow(self, more: tuple[Any, ...]) -> Branches:
        """Returns these arguments and further ones."""
        with _LOCK:
            if len(self._items) == self._width:
                self._items += more
                return Branches(self._items, self._width + len(more))
        return Branches([*self, *more], self._width + len(more))


def add_branch(args: Sequence[Any], more: tuple[Any, ...]) -> Sequence[Any]:
    """Returns the arguments with further ones; where they are many, without a copy of them."""
    if isinstance(args, tuple):
        if len(args) < _FEW:
            return args + more
        args = Branches([*args], len(args))
    assert isinstance(args, Branches)
    return args.grow(more)


Direction = Literal["increasing", "decreasing"]

_REMEMBERED = 1_000


def functions_of(root: Node) -> Iterator[FunctionDefinition]:
    """Yields the function of every call in the tree, sub-queries included, outermost first."""
    for node in preorder(root):
        function = getattr(node, "function", None)
        if function is not None:
            yield function


def is_deterministic(root: Node) -> bool:
    """Whether the tree, sub-queries included, gives the same result each time."""
    return not marks_in(root) & IS_RANDOM


def is_foldable(expression: ResolvedExpression) -> bool:
    """Whether the expression is a constant: deterministic and independent of the row."""
    if type(expression) is LiteralNode:
        return True
    return all(
        type(node) in (LiteralNode, Cast) or (type(node) is Call and node.function.foldable)
        for node in preorder(expression)
    )


def is_correlated(query: Node) -> bool:
    """Whether a query, or a query nested in it, has outer references."""
    return holds(query, OuterReference)


def is_special(expression: Node) -> bool:
    """Whether the expression may be neither repeated nor moved.

    This holds for window functions, sub-queries and non-deterministic expressions.
    """
    for node in preorder(expression, skip=is_query):
        if isinstance(node, Over | SubqueryExpression):
            return True
        if isinstance(node, Call | AggregateCall) and not node.function.deterministic:
            return True
    return False


class References(msgspec.Struct, frozen=True):
    """The columns, functions and queries that an expression uses.

    Args:
        columns: the positions of columns of the input.
        outer: columns of enclosing queries, as (how many queries out, position); input columns that
        its sub-queries use count among ``columns``.
        functions: the functions called, without those in sub-queries.
        queries: the sub-queries.
    """

    columns: frozenset[int]
    outer: frozenset[tuple[int, int]]
    functions: frozenset[FunctionDefinition]
    queries: tuple[Node, ...]


@lru_cache(maxsize=_REMEMBERED)
def references_of(expression: ResolvedExpression) -> References:
    """Returns the columns, outer columns, functions and sub-queries that an expression uses."""
    columns: set[int] = set()
    outer: set[tuple[int, int]] = set()
    functions: set[FunctionDefinition] = set()
    queries: list[Node] = []
    for node in preorder(expression, skip=is_query):
        kind = type(node)
        if kind is FieldReference:
            columns.add(node.index)  # type: ignore[attr-defined]
        elif kind is OuterReference:
            outer.add((node.level, node.index))  # type: ignore[attr-defined]
        elif isinstance(node, Call | AggregateCall):
            functions.add(node.function)
        elif isinstance(node, SubqueryExpression):
            queries.append(node.query)
            for level, index in outer_references(node.query):
                if level == 1:
                    columns.add(index)
                else:
                    outer.add((level - 1, index))
    return References(frozenset(columns), frozenset(outer), frozenset(functions), tuple(queries))


def outer_references(query: Node) -> set[tuple[int, int]]:
    """Yields the outer references of a query: how many queries out, and the position."""
    return set(_outer_references(query))


def refers_outside(query: Node) -> bool:
    """Whether a query uses columns of an enclosing query."""
    return next(_outer_references(query), None) is not None


def _outer_references(query: Node) -> Iterator[tuple[int, int]]:
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[Node, int]] = [(query, 0)]
    while stack:
        node, inside = stack.pop()
        if type(node) is OuterReference:
            if node.level > inside:
                yield node.level - inside, node.index
            continue
        if node.child_fields:
            if (id(node), inside) in seen:
                continue
            seen.add((id(node), inside))
        if not node.inner_fields:
            stack += [(child, inside) for child in node.children()]
            continue
        inner = [getattr(node, name) for name in node.inner_fields]
        for child in node.children():
            stack.append((child, inside + any(child is each for each in inner)))


class Monotone(msgspec.Struct, frozen=True):
    """In which column an expression is monotone, and in which direction."""

    column: int
    direction: Direction


def monotonicity(expression: ResolvedExpression) -> Monotone | None:
    """Returns the column that the expression grows or shrinks with, or None if none is known.

    Monotone, not strictly: different values may give equal results.
    """
    turned = False
    node = expression
    while type(node) is not FieldReference:
        if type(node) is Alias or (type(node) is Cast and _keeps_order(node)):
            node = node.child
        elif type(node) is Call and _follows_first(node):
            turned ^= node.function.monotone == "decreasing"
            node = node.args[0]
        else:
            return None
    return Monotone(node.index, "decreasing" if turned else "increasing")


def _follows_first(call: Call) -> bool:
    if not call.function.monotone or not call.args or not all(map(is_foldable, call.args[1:])):
        return False
    if isinstance(call.args[0].type, StringType):  # read as something else, which sorts otherwise
        return False
    # With ANSI off, integers wrap around on overflow.
    return COERCION.get().ansi or not isinstance(call.type, IntegralType)


_ORDERED_ALIKE = (
    (BooleanType, NumericType),
    (DateType, TimestampType),
    (DateType, TimestampNtzType),
    (TimestampNtzType, DateType),
)


def _keeps_order(cast: Cast) -> bool:
    source, target = cast.child.type, cast.type
    if cast.lenient:  # what does not fit becomes NULL, in the middle of everything
        return False
    if isinstance(source, NumericType) and isinstance(target, NumericType):
        return is_up_cast(source, target)
    if source.same_type(target):
        return True
    return any(isinstance(source, a) and isinstance(target, b) for a, b in _ORDERED_ALIKE)
