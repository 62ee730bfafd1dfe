"""What an expression in SQL text depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.lineage.influence import (
    ColumnId,
    Influence,
    Origins,
    add,
    composed,
)
from viewscribe.catalog_store.lineage.sql_scopes import (
    Relation,
    Scope,
    UnknownLineageError,
    spelled,
)
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.definition import FunctionKind

if TYPE_CHECKING:
    from viewscribe.catalog_store.lineage.sql_text import QueryReader

I = Influence  # noqa: E741
Part = tuple[Any, Influence]
Handler = Callable[[Any], Iterable[Part]]


class ExpressionReader:
    """Reads the expressions of one SELECT.

    Args:
        queries: reads sub-queries.
        scope: the columns of FROM and around.
        steps: the CTEs that sub-queries can read.
        aliases: the columns of the SELECT that its other clauses can name.
        columns_first: whether columns of FROM come before aliases; None where a name that is both
            has no meaning that is sure.
    """

    def __init__(
        self,
        queries: QueryReader,
        scope: Scope,
        steps: dict[str, Relation],
        aliases: Mapping[str, Origins] | None = None,
        columns_first: bool | None = True,
    ) -> None:
        self.queries = queries
        self.scope = scope
        self.steps = steps
        self.aliases = {name.lower(): each for name, each in (aliases or {}).items()}
        self.columns_first = columns_first

    def seeing(
        self, aliases: Mapping[str, Origins], *, columns_first: bool | None
    ) -> ExpressionReader:
        """A reader of the same SELECT that sees aliases too."""
        return ExpressionReader(self.queries, self.scope, self.steps, aliases, columns_first)

    def origins(self, root: Any, how: Influence) -> Origins:
        """What an expression depends on, having ``how`` on something else."""
        from sqlglot import exp

        into: dict[ColumnId, Influence] = {}
        stack: list[Part] = [(root, how)]
        while stack:
            node, influence = stack.pop()
            if isinstance(node, exp.Column):
                add(into, self._column(node), influence)
            elif isinstance(node, exp.Query):
                self._subquery(node, influence, into, values=True)
            elif isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
                self._subquery(node.this, influence, into, values=False)
            else:
                stack += [(child, composed(influence, step)) for child, step in _parts(node)]
        self.queries.mentioned.update(into)
        return into

    def generated(self, call: Any) -> Origins:
        """What the rows of a generator in LATERAL VIEW are made of."""
        into: dict[ColumnId, Influence] = {}
        for argument in call.iter_expressions():
            add(into, self.origins(argument, I.TRANSFORMATION), I.TRANSFORMATION)
        return into

    def _subquery(
        self, node: Any, how: Influence, into: dict[ColumnId, Influence], *, values: bool
    ) -> None:
        found = self.queries.query(node, self.steps, self.scope)
        add(into, found.rows, composed(how, I.CONDITIONAL))
        for origins in found.origins if values else ():
            add(into, origins, how)

    def _column(self, node: Any) -> Origins:
        parts = [part.name for part in node.parts]
        column = self.scope.find(parts)
        alias = self.aliases.get(parts[0].lower()) if len(parts) == 1 else None
        if alias is not None and (column is None or self.columns_first is False):
            return alias
        if alias is not None and self.columns_first is None and alias != column:
            raise UnknownLineageError(f"`{parts[0]}` is a column and an alias")
        around = self.scope.outer
        while column is None and around is not None:
            column, around = around.find(parts), around.outer
        if column is None:
            raise UnknownLineageError(f"no column `{'.'.join(parts)}` is known")
        return column


def _parts(node: Any) -> Iterable[Part]:
    kind = type(node)
    handler = _handlers().get(kind)
    if handler is not None:
        return handler(node)
    return _all(node.iter_expressions(), _step_of(node))


def _all(nodes: Iterable[Any], step: Influence) -> list[Part]:
    return [(each, step) for each in nodes if each is not None]


def _step_of(node: Any) -> Influence:
    from sqlglot import exp

    if isinstance(node, exp.Paren | exp.Ordered | exp.Alias):
        return I.IDENTITY
    if isinstance(node, exp.UDTF | exp.Explode | exp.Lateral | exp.Unnest):
        raise UnknownLineageError(f"no rule for {spelled(node)} here")
    if isinstance(node, _taken_from_a_row()):
        return I.TRANSFORMATION
    if isinstance(node, exp.AggFunc):
        return I.AGGREGATION
    if isinstance(node, exp.Anonymous):
        return _step_of_function(node)
    return I.TRANSFORMATION


def _step_of_function(node: Any) -> Influence:
    from viewscribe.expressions.functions.registry import built_in

    try:
        kind = built_in(node.name.lower()).kind
    except ViewscribeError:
        return I.TRANSFORMATION  # a function of users
    if kind in (FunctionKind.GENERATOR, FunctionKind.TABLE):
        raise UnknownLineageError(f"no rule for {spelled(node)} here")
    return I.AGGREGATION if kind is FunctionKind.AGGREGATE else I.TRANSFORMATION


def _case(node: Any) -> Iterable[Part]:
    yield from _all([node.this], I.CONDITIONAL)
    for branch in node.args["ifs"]:
        yield branch.this, I.CONDITIONAL
        yield branch.args["true"], I.TRANSFORMATION
    yield from _all([node.args.get("default")], I.TRANSFORMATION)


def _if(node: Any) -> Iterable[Part]:
    yield node.this, I.CONDITIONAL
    yield from _all([node.args.get("true"), node.args.get("false")], I.TRANSFORMATION)


def _filter(node: Any) -> Iterable[Part]:
    yield node.this, I.IDENTITY
    yield node.expression, I.CONDITIONAL


def _within_group(node: Any) -> Iterable[Part]:
    from sqlglot import exp

    yield node.this, I.IDENTITY
    ordered = node.this.find(exp.Column) is not None
    yield from _all(node.expression.expressions, I.SORT if ordered else I.AGGREGATION)


def _window(node: Any) -> Iterable[Part]:
    known = {"this", "partition_by", "order", "spec", "over", "first"}
    if any(value and name not in known for name, value in node.args.items()):
        raise UnknownLineageError(f"no rule for {spelled(node)}")
    if node.args.get("over") not in (None, "OVER"):
        raise UnknownLineageError(f"no rule for {spelled(node)}")
    yield node.this, I.IDENTITY
    yield from _all(node.args.get("partition_by") or (), I.WINDOW)
    order = node.args.get("order")
    yield from _all(order.expressions if order else (), I.WINDOW)


def _in(node: Any) -> Iterable[Part]:
    return _all([node.this, *node.expressions, node.args.get("query")], I.TRANSFORMATION)


def _nothing(node: Any) -> Iterable[Part]:
    return ()


@cache
def _handlers() -> dict[type, Handler]:
    from sqlglot import exp

    return {
        exp.Case: _case,
        exp.DataType: _nothing,
        exp.Filter: _filter,
        exp.Identifier: _nothing,
        exp.If: _if,
        exp.In: _in,
        exp.Literal: _nothing,
        exp.Star: _nothing,
        exp.Var: _nothing,
        exp.Window: _window,
        exp.WithinGroup: _within_group,
    }


@cache
def _taken_from_a_row() -> tuple[type, ...]:
    """Window functions that give a value of some row as it is, which sqlglot calls aggregates."""
    from sqlglot import exp

    return (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
