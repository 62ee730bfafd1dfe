"""Resolved expressions: every node knows its type, and columns are referenced by position.

The design follows the resolved expressions of the FLIP-393 document, extended by what Spark adds:
lambdas, sub-queries and windows. Columns are identified by position instead of name, so renaming
a column elsewhere in the pipeline never changes what an expression means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.printing import expression_to_sql
from viewscribe.types import BOOLEAN, VOID, LogicalType

if TYPE_CHECKING:
    from viewscribe.expressions.functions.definition import FunctionDefinition


class ResolvedExpression(Node, frozen=True, eq=False):
    """An expression whose type is known."""

    if TYPE_CHECKING:

        @property
        def type(self) -> LogicalType: ...

    def as_summary_string(self) -> str:
        """Returns a readable summary; ``as_serializable_string`` gives the SQL text."""
        from viewscribe.expressions.summary import summarize

        return summarize(self)

    def as_serializable_string(self) -> str:
        """Returns the expression as SQL text that parses back to the same expression.

        Raises:
            NotSerializableError: SQL text cannot express it exactly.
        """
        return expression_to_sql(self)


class FieldReference(ResolvedExpression, frozen=True, eq=False):
    """An input column by position; in a join, positions run through both inputs, left first."""

    index: int
    name: str
    type: LogicalType


class OuterReference(ResolvedExpression, frozen=True, eq=False):
    """A column of an enclosing query, ``level`` queries out (1 is the nearest enclosing query).

    ``asked`` is its table and the name that it was asked for by, which Spark's names of columns
    show; it is no part of what the node is.
    """

    level: int
    index: int
    name: str
    type: LogicalType
    asked: tuple[str, ...] = ()


class Literal(ResolvedExpression, frozen=True, eq=False):
    """A constant. ``literals.py`` says how each type holds its value."""

    value: Any
    type: LogicalType

    def attributes(self) -> tuple[Any, ...]:
        # repr tells 1 from True, 0.0 from -0.0, 1.0 from 1.00, and lets NaN equal itself.
        return (repr(self.value), self.type)


class Call(ResolvedExpression, frozen=True, eq=False):
    """A scalar, generator or table function applied to arguments; operators are calls too."""

    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("args",)


def make_call(function: FunctionDefinition, args: tuple[ResolvedExpression, ...]) -> Call:
    """Builds a call of a scalar function or generator, with its type inferred.

    Raises:
        ArityError, TypeMismatchError: the arguments do not fit the function.
    """
    return Call(function, args, function.infer(args))


class AggregateCall(ResolvedExpression, frozen=True, eq=False):
    """An aggregate or window function with its clauses.

    ``distinct`` is ``f(DISTINCT …)``, ``filter`` is ``FILTER (WHERE …)``, ``order_by`` is
    ``WITHIN GROUP (ORDER BY …)``, ``ignore_nulls`` is ``IGNORE NULLS``, ``respect_nulls`` is
    ``RESPECT NULLS`` for a function that skips NULLs by default.
    """

    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    type: LogicalType
    distinct: bool = False
    filter: ResolvedExpression | None = None
    order_by: tuple[SortOrder, ...] = ()
    ignore_nulls: bool = False
    respect_nulls: bool = False

    child_fields: ClassVar[tuple[str, ...]] = ("args", "filter", "order_by")


class Cast(ResolvedExpression, frozen=True, eq=False):
    """CAST, or TRY_CAST where ``lenient``."""

    child: ResolvedExpression
    type: LogicalType
    lenient: bool = False

    child_fields: ClassVar[tuple[str, ...]] = ("child",)


class Alias(ResolvedExpression, frozen=True, eq=False):
    """An expression under a name."""

    child: ResolvedExpression
    name: str
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("child",)


class Star(ResolvedExpression, frozen=True, eq=False):
    """The ``*`` of ``count(*)``; a star that means columns is expanded when it is resolved."""

    type: LogicalType = VOID.not_null()


STAR = Star()


class SortOrder(ResolvedExpression, frozen=True, eq=False):
    """A sort key with its direction and NULL ordering."""

    child: ResolvedExpression
    descending: bool
    nulls_first: bool
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("child",)


class LambdaVariable(ResolvedExpression, frozen=True, eq=False):
    """A parameter of a lambda."""

    name: str
    type: LogicalType


class Lambda(ResolvedExpression, frozen=True, eq=False):
    """``(x, y) -> body``, an argument of a higher-order function."""

    parameters: tuple[LambdaVariable, ...]
    body: ResolvedExpression
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("parameters", "body")


class FrameBound(msgspec.Struct, frozen=True):
    """One end of a window frame.

    ``kind`` is ``UNBOUNDED PRECEDING``, ``PRECEDING``, ``CURRENT ROW``, ``FOLLOWING`` or
    ``UNBOUNDED FOLLOWING``; ``offset`` belongs to PRECEDING and FOLLOWING.
    """

    kind: str
    offset: Literal | None = None


UNBOUNDED_PRECEDING = FrameBound("UNBOUNDED PRECEDING")
CURRENT_ROW = FrameBound("CURRENT ROW")
UNBOUNDED_FOLLOWING = FrameBound("UNBOUNDED FOLLOWING")


class Frame(msgspec.Struct, frozen=True):
    """The rows a window function sees: ``unit`` is ROWS or RANGE."""

    unit: str
    start: FrameBound
    end: FrameBound


class Over(ResolvedExpression, frozen=True, eq=False):
    """An aggregate or window function over a window."""

    call: AggregateCall
    partition_by: tuple[ResolvedExpression, ...]
    order_by: tuple[SortOrder, ...]
    frame: Frame | None
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("call", "partition_by", "order_by")


class SubqueryExpression(ResolvedExpression, frozen=True, eq=False):
    """Base of the expressions that contain a query. ``query`` is a ``QueryOperation``."""

    inner_fields: ClassVar[tuple[str, ...]] = ("query",)

    if TYPE_CHECKING:

        @property
        def query(self) -> Node: ...


class ScalarSubquery(SubqueryExpression, frozen=True, eq=False):
    """A scalar sub-query: the value of a query of one column and at most one row."""

    query: Node
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("query",)


class Exists(SubqueryExpression, frozen=True, eq=False):
    """EXISTS: whether a query returns any row."""

    query: Node
    type: LogicalType = BOOLEAN.not_null()

    child_fields: ClassVar[tuple[str, ...]] = ("query",)


class InSubquery(SubqueryExpression, frozen=True, eq=False):
    """IN (query): whether the operands equal a row of a query."""

    operands: tuple[ResolvedExpression, ...]
    query: Node
    type: LogicalType

    child_fields: ClassVar[tuple[str, ...]] = ("operands", "query")


AnyCall = Call | AggregateCall
"""A call of a function, whatever kind it is."""


def strip_alias(expression: ResolvedExpression) -> ResolvedExpression:
    """Returns the expression without its alias."""
    while type(expression) is Alias:
        expression = expression.child
    return expression


def alias(expression: ResolvedExpression, name: str) -> ResolvedExpression:
    """Returns the expression aliased to ``name``; a reference of that name stays as it is."""
    if type(expression) is Alias:
        expression = expression.child
    if type(expression) is FieldReference and expression.name == name:
        return expression
    return Alias(expression, name, expression.type)


# Expressions over other columns than before; what their sub-queries look at moves along.

_N = TypeVar("_N", bound=Node)
Move = Callable[[FieldReference], Node]


def with_columns(expression: _N, move: Move) -> _N:
    """The expression with every column of its row replaced, those in sub-queries included."""
    done: dict[int, Node] = {}
    for node in postorder(expression, skip=lambda node: node.is_query):
        if isinstance(node, FieldReference):
            done[id(node)] = move(node)
            continue
        old = node.children()
        new = [done.get(id(child), child) for child in old]
        if isinstance(node, SubqueryExpression):
            new[-1] = with_outer_columns(node.query, move)
        same = all(one is other for one, other in zip(new, old, strict=True))
        done[id(node)] = node if same else node.with_children(new)
    return done[id(expression)]  # type: ignore[return-value]


def with_outer_columns(query: _N, move: Move) -> _N:
    """The query with every column of the row around it replaced, however deep it is used."""
    done: dict[tuple[int, int], Node] = {}
    stack: list[tuple[Node, int]] = [(query, 0)]
    while stack:
        node, inside = stack[-1]
        below = [] if (id(node), inside) in done else _below(node, inside)
        missing = [each for each in below if (id(each[0]), each[1]) not in done]
        if missing:
            stack += missing
            continue
        stack.pop()
        if (id(node), inside) not in done:
            new = [done[id(child), level] for child, level in below]
            done[id(node), inside] = _move(node, inside, new, move)
    return done[id(query), 0]  # type: ignore[return-value]


def _below(node: Node, inside: int) -> list[tuple[Node, int]]:
    """The children, and how many queries each is inside of."""
    inner = [getattr(node, name) for name in node.inner_fields]
    return [(child, inside + any(child is each for each in inner)) for child in node.children()]


def _move(node: Node, inside: int, new: list[Node], move: Move) -> Node:
    if isinstance(node, OuterReference):
        if node.level != inside + 1:
            return node
        found = move(FieldReference(node.index, node.name, node.type))
        return with_columns(
            found, lambda each: OuterReference(node.level, each.index, each.name, each.type)
        )
    if all(one is other for one, other in zip(new, node.children(), strict=True)):
        return node
    return node.with_children(new)
