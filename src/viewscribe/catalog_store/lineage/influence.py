"""How one column influences another, in the terms of OpenLineage's column lineage facet.

See https://openlineage.io/docs/spec/facets/dataset-facets/column_lineage_facet. An influence is
direct if values end up in the result. It is indirect if they determine which rows there are, their
order or group, or which of several values is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntFlag
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, preorder
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store.lineage.operations import Tracer


class Influence(IntFlag):
    """Kinds of influence; a column may have several on another."""

    IDENTITY = 1
    TRANSFORMATION = 2
    AGGREGATION = 4
    JOIN = 8
    GROUP_BY = 16
    FILTER = 32
    SORT = 64
    WINDOW = 128
    CONDITIONAL = 256
    ROWS = 512
    """Only the number of input rows, as in ``count(*)``."""


DIRECT = Influence.IDENTITY | Influence.TRANSFORMATION | Influence.AGGREGATION
INDIRECT = ~DIRECT


@cache
def parts(influence: Influence) -> tuple[Influence, ...]:
    """Returns the single kinds that an influence has, in their order."""
    return tuple(each for each in Influence if each & influence)


class ColumnId(NamedTuple):
    """A column of a table or view, by its full path; ``column`` None stands for its rows."""

    path: tuple[str, ...]
    column: str | None

    def __str__(self) -> str:
        if self.column is None:
            return f"{quote_name(self.path)} (rows)"
        return quote_name((*self.path, self.column))


Origins = Mapping[ColumnId, Influence]
"""The columns that something depends on, with their influence."""

NOTHING: Origins = {}


@cache
def compose(step: Influence, below: Influence) -> Influence:
    """Composes the influence ``below`` on a value with the influence ``step`` of that value.

    Of several direct influences the strongest counts. An indirect step makes everything below it
    indirect; an indirect influence is unchanged by a direct step.
    """
    if step & INDIRECT:
        return step
    direct = below & DIRECT
    if direct and step is Influence.AGGREGATION:
        direct = Influence.AGGREGATION
    elif direct & Influence.IDENTITY and step is Influence.TRANSFORMATION:
        direct = (direct & ~Influence.IDENTITY) | Influence.TRANSFORMATION
    return direct | (below & INDIRECT)


def add(into: dict[ColumnId, Influence], origins: Origins, step: Influence) -> None:
    """Add to ``into`` what ``origins`` have on what ``step`` makes of them."""
    for column, below in origins.items():
        influence = compose(step, below)
        found = into.get(column)
        into[column] = influence if found is None else found | influence


def merge(*several: Origins) -> Origins:
    """All origins together."""
    full = [each for each in several if each]
    if len(full) <= 1:
        return full[0] if full else NOTHING
    into = dict(full[0])
    for each in full[1:]:
        add(into, each, Influence.IDENTITY)
    return into


def kinds(influence: Influence) -> Iterator[tuple[str, str]]:
    """The kinds as OpenLineage writes them: ``("DIRECT", "IDENTITY")``; ROWS has no word there."""
    for each in parts(influence):
        if each is not Influence.ROWS:
            yield ("DIRECT" if each & DIRECT else "INDIRECT"), str(each.name)


# What an expression depends on, node by node, each with the influence it has on the value.
#
# One walk from the outside in: a node says which of its children have which influence, and how that
# composes with the influence of the node itself. Nothing recurses but queries inside queries.

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
