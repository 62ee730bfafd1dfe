"""What an expression depends on, node by node, each with the influence it has on the value.

One walk from the outside in: a node says which of its children have which influence, and how that
composes with the influence of the node itself. Nothing recurses but queries inside queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.lineage.influence import (
    ColumnId,
    Influence,
    Origins,
    add,
    compose,
)
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, preorder

if TYPE_CHECKING:
    from viewscribe.catalog_store.lineage.operations import Tracer

Columns = Sequence[Origins]
"""For each column of an input, what it depends on."""

Part = tuple[Node, Influence]
"""A child, and the influence of its value on that of its parent."""

I = Influence  # noqa: E741


class Scope:
    """What an expression sees: the columns of its input, and those of the queries around it."""

    __slots__ = ("columns", "outer", "tracer")

    def __init__(self, tracer: Tracer, columns: Columns, outer: tuple[Columns, ...]) -> None:
        self.tracer = tracer
        self.columns = columns
        self.outer = outer

    def origins(self, expressions: Iterable[Node], how: Influence = I.IDENTITY) -> Origins:
        """What the values of the expressions depend on, having ``how`` on something else."""
        into: dict[ColumnId, Influence] = {}
        stack: list[Part] = [(each, how) for each in expressions]
        seen: set[tuple[int, Influence]] = set()
        while stack:
            part = stack.pop()
            node, influence = part
            if (id(node), influence) in seen:
                continue
            seen.add((id(node), influence))
            kind = type(node)
            if kind is e.FieldReference:
                add(into, self.columns[node.index], influence)  # type: ignore[attr-defined]
            elif kind is e.OuterReference:
                level, index = node.level, node.index  # type: ignore[attr-defined]
                add(into, self.outer[level - 1][index], influence)
            elif isinstance(node, e.SubqueryExpression):
                stack += self._subquery(node, influence, into)
            else:
                for child, step in _PARTS[kind](node):
                    stack.append((child, compose(influence, step)))
        self.tracer.mentioned.update(into)
        return into

    def _subquery(
        self, node: e.SubqueryExpression, how: Influence, into: dict[ColumnId, Influence]
    ) -> Sequence[Part]:
        """Add what the query gives; its rows decide as a condition does. Gives the operands."""
        lines = self.tracer.trace(node.query, (self.columns, *self.outer))
        add(into, lines.rows, compose(how, I.CONDITIONAL))
        if isinstance(node, e.Exists):
            return ()
        compared = isinstance(node, e.InSubquery)
        step = compose(how, I.TRANSFORMATION) if compared else how
        for column in lines.columns:
            add(into, column, step)
        return [(each, step) for each in getattr(node, "operands", ())]


def _call(node: e.Call) -> Iterable[Part]:
    if isinstance(node.function, UserFunction):
        return _all(node.args, I.TRANSFORMATION)
    conditional = _CONDITIONAL.get(node.function.built_in_name)
    if conditional is None:
        return _all(node.args, I.TRANSFORMATION)
    return conditional(node.args)


def _case(args: Sequence[Node]) -> Iterable[Part]:
    paired = len(args) // 2 * 2
    for place, each in enumerate(args):
        condition = place < paired and place % 2 == 0
        yield each, I.CONDITIONAL if condition else I.TRANSFORMATION


def _if(args: Sequence[Node]) -> Iterable[Part]:
    for place, each in enumerate(args):
        yield each, I.TRANSFORMATION if place else I.CONDITIONAL


_CONDITIONAL: dict[str, Callable[[Sequence[Node]], Iterable[Part]]] = {"case": _case, "if": _if}
"""Functions whose arguments are in part conditions."""


def _aggregate(node: e.AggregateCall) -> Iterable[Part]:
    looks = node.function.kind is FunctionKind.WINDOW
    step = I.TRANSFORMATION if looks else I.AGGREGATION
    yield from _all(node.args, step)
    if node.filter is not None:
        yield node.filter, I.CONDITIONAL
    # mode() WITHIN GROUP (ORDER BY x) takes its values from the order.
    ordered = any(type(each) is e.FieldReference for arg in node.args for each in preorder(arg))
    yield from _all(node.order_by, I.SORT if ordered else step)


def _over(node: e.Over) -> Iterable[Part]:
    yield node.call, I.IDENTITY
    yield from _all(node.partition_by, I.WINDOW)
    yield from _all(node.order_by, I.WINDOW)


def _all(nodes: Iterable[Node], step: Influence) -> list[Part]:
    return [(each, step) for each in nodes]


def _none(node: Node) -> Iterable[Part]:
    return ()


_PARTS: dict[type[Node], Callable[[Any], Iterable[Part]]] = {
    e.Literal: _none,
    e.Star: _none,
    e.LambdaVariable: _none,
    e.Alias: lambda node: [(node.child, I.IDENTITY)],
    e.SortOrder: lambda node: [(node.child, I.IDENTITY)],
    e.Cast: lambda node: [(node.child, I.TRANSFORMATION)],
    e.Lambda: lambda node: [(node.body, I.TRANSFORMATION)],
    e.Call: _call,
    e.AggregateCall: _aggregate,
    e.Over: _over,
}
