"""Translates resolved expressions to columns, bottom-up, with a handler for each kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import Node
from viewscribe.spark.aggregates import aggregate_column, over_column
from viewscribe.spark.calls import call_column
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.frames import Cell
from viewscribe.spark.lambdas import higher_order, python_lambda
from viewscribe.spark.literals import literal_column
from viewscribe.spark.types import to_spark
from viewscribe.spark.versions import is_at_least
from viewscribe.types import CharType, VarcharType

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.bridge import Bridge

Variables = Mapping[str, Column]


class Translator:
    """Turns expressions over some columns into Spark's columns.

    Args:
        cells: the columns that positions mean.
        outer: for each enclosing query, the nearest last, the names of its columns.
        query: makes the DataFrame of a sub-query that stands in an expression.
        bridge: what only the JVM offers.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        outer: Sequence[Sequence[str]],
        query: Callable[[QueryOperation], DataFrame],
        bridge: Bridge,
    ) -> None:
        self.cells = cells
        self.outer = outer
        self.query = query
        self.bridge = bridge

    def column(self, expression: Node, variables: Variables | None = None) -> Column:
        """Translates an expression to a column; an alias is left to the caller."""
        made: dict[int, Any] = {}
        known = variables or {}
        stack: list[tuple[Node, bool]] = [(expression, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in made:
                continue
            parts = _parts(node)
            if parts and not expanded:
                stack.append((node, True))
                stack.extend((part, False) for part in parts)
                continue
            made[id(node)] = self._made(node, [made[id(part)] for part in parts], known)
        column: Column = made[id(expression)]
        return column

    def _made(self, node: Node, parts: list[Any], variables: Variables) -> Any:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise NotInterpretableError(
                f"{node.as_summary_string()} cannot stand in an expression for Spark"
            )
        return handler(self, node, parts, variables)

    def field(self, node: e.FieldReference, parts: list[Any], variables: Variables) -> Column:
        """A column of the input."""
        return self.cells[node.index].column

    def outer_field(self, node: e.OuterReference, parts: list[Any], known: Variables) -> Column:
        """A column of the enclosing query."""
        if node.level != 1:
            raise NotInterpretableError(
                f"`{node.name}` belongs to a query {node.level} levels out, and Spark sub-queries "
                "only see the query right around them",
                hint="join the tables instead, or select the column in the query between",
            )
        return F.col(self.outer[-1][node.index]).outer()

    def call(self, node: e.Call, parts: list[Any], variables: Variables) -> Column:
        """A scalar function or an operator."""
        if any(type(arg) is e.Lambda for arg in node.args):
            return higher_order(node.function.name, parts)
        if node.function.kind is FunctionKind.GENERATOR:
            raise NotInterpretableError(
                f"{node.function.name} makes rows and cannot stand inside an expression"
            )
        return call_column(node, parts)

    def aggregate(self, node: e.AggregateCall, parts: list[Any], known: Variables) -> Column:
        """An aggregate or window function with its clauses."""
        return aggregate_column(self.bridge, node, parts)

    def over(self, node: e.Over, parts: list[Any], variables: Variables) -> Column:
        """A function over a window."""
        return over_column(self.bridge, node, parts)

    def function(self, node: e.Lambda, parts: list[Any], variables: Variables) -> Any:
        """A lambda, as a Python function of columns."""
        names = [parameter.name for parameter in node.parameters]

        def body(given: Sequence[Column]) -> Column:
            return self.column(node.body, {**variables, **dict(zip(names, given, strict=True))})

        return python_lambda(len(names), body)

    def scalar_query(self, node: e.ScalarSubquery, parts: list[Any], known: Variables) -> Column:
        """The one value of a query."""
        return self.query(_query(node.query)).scalar()

    def exists(self, node: e.Exists, parts: list[Any], variables: Variables) -> Column:
        """Whether a query has a row."""
        return self.query(_query(node.query)).exists()

    def in_query(self, node: e.InSubquery, parts: list[Any], variables: Variables) -> Column:
        """Whether the operands are a row of a query."""
        if not is_at_least(4, 1):
            raise NotInterpretableError(
                "the DataFrame API of Spark 4.0 has no IN (query)",
                hint="use Spark 4.1, or run the SQL text: spark.sql(table.to_sql())",
            )
        operand: Column = parts[0] if len(parts) == 1 else F.struct(*parts)
        return operand.isin(self.query(_query(node.query)))


def _query(node: Node) -> QueryOperation:
    from viewscribe.operations.base import QueryOperation

    assert isinstance(node, QueryOperation)
    return node


def _parts(node: Node) -> Sequence[Node]:
    """What is translated before the node: neither queries nor the bodies of lambdas."""
    if isinstance(node, e.Lambda | e.ScalarSubquery | e.Exists):
        return ()
    if isinstance(node, e.InSubquery):
        return node.operands
    return node.children()


def _cast(translator: Translator, node: e.Cast, parts: list[Any], variables: Variables) -> Column:
    child: Column = parts[0]
    if isinstance(node.type, CharType | VarcharType):
        target: Any = node.type.ddl.lower()
    else:
        target = to_spark(node.type)
    return child.try_cast(target) if node.lenient else child.cast(target)


def _sort_order(
    translator: Translator, node: e.SortOrder, parts: list[Any], variables: Variables
) -> Column:
    return sort_by(parts[0], node)


def sort_by(column: Column, key: e.SortOrder) -> Column:
    """Returns the column as a sort key with the direction and NULL ordering of ``key``."""
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()


def _variable(
    translator: Translator, node: e.LambdaVariable, parts: list[Any], variables: Variables
) -> Column:
    return variables[node.name]


_HANDLERS: dict[type[Node], Callable[[Translator, Any, list[Any], Variables], Any]] = {
    e.FieldReference: Translator.field,
    e.OuterReference: Translator.outer_field,
    e.Literal: lambda translator, node, parts, variables: literal_column(node),
    e.Call: Translator.call,
    e.AggregateCall: Translator.aggregate,
    e.Cast: _cast,
    e.Alias: lambda translator, node, parts, variables: parts[0],
    e.Star: lambda translator, node, parts, variables: F.lit(1),
    e.SortOrder: _sort_order,
    e.LambdaVariable: _variable,
    e.Lambda: Translator.function,
    e.Over: Translator.over,
    e.ScalarSubquery: Translator.scalar_query,
    e.Exists: Translator.exists,
    e.InSubquery: Translator.in_query,
}
