"""A tiny engine for the trees of these tests: rows one by one, no more than needed, calls counted.

It evaluates as SQL may: the branches of CASE and its like only where they are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from viewscribe.expressions.functions.asynchronous.options import GuardedFunction, is_async_call
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    Literal,
    ResolvedExpression,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

Row = tuple[Any, ...]


class Engine:
    """Evaluates trees over rows of one table.

    Args:
        rows: the rows of every source.
        functions: the asynchronous functions, as plain ones.
    """

    def __init__(self, rows: Sequence[Row], functions: dict[str, Callable[..., Any]]) -> None:
        self.table = rows
        self.functions = functions
        self.calls: Counter[tuple[Any, ...]] = Counter()

    def rows(self, operation: QueryOperation) -> Iterator[Row]:
        """The rows of an operation, as somebody asks for them."""
        if isinstance(operation, n.CatalogSource):
            yield from self.table
            return
        (child,) = operation.inputs()
        yield from getattr(self, type(operation).__name__.lower())(operation, self.rows(child))

    def project(self, node: n.Project, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            yield tuple(self.value(each, row) for each in node.expressions)

    def withcolumns(self, node: n.WithColumns, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            made = list(row)
            for place, column in zip(node.places(), node.columns, strict=True):
                made[place : place + 1] = [self.value(column, row)]
            yield tuple(made)

    def filter(self, node: n.Filter, rows: Iterator[Row]) -> Iterator[Row]:
        return (row for row in rows if self.value(node.condition, row) is True)

    def sort(self, node: n.Sort, rows: Iterator[Row]) -> Iterator[Row]:
        def key(row: Row) -> list[Any]:
            values = [self.value(each.child, row) for each in node.keys]
            return [(value is not None, value or 0) for value in values]

        return iter(sorted(rows, key=key))

    def limit(self, node: n.Limit, rows: Iterator[Row]) -> Iterator[Row]:
        for count, row in enumerate(rows, 1):
            yield row
            if count == node.count:
                return

    def aggregate(self, node: n.Aggregate, rows: Iterator[Row]) -> Iterator[Row]:
        groups: dict[Row, list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(self.value(key, row) for key in node.keys), []).append(row)
        return iter(
            [
                (*key, *[self._greatest(each, found) for each in node.aggregates])
                for key, found in groups.items()
            ]
        )

    def _greatest(self, expression: ResolvedExpression, rows: Sequence[Row]) -> Any:
        assert isinstance(expression, Alias)
        call = expression.child
        assert isinstance(call, AggregateCall)
        assert call.function.name == "max"
        values = [self.value(call.args[0], row) for row in rows]
        return max((value for value in values if value is not None), default=None)

    def value(self, node: ResolvedExpression, row: Row) -> Any:
        """The value of an expression for a row."""
        if isinstance(node, FieldReference):
            return row[node.index]
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Alias | Cast):
            return self.value(node.child, row)
        assert isinstance(node, Call)
        if node.function.name in ("if", "case"):
            return self._case(node.args, row)
        args = (self.value(arg, row) for arg in node.args)
        if is_async_call(node):
            return self._called(node, args)
        return _FUNCTIONS[node.function.name](args)

    def _case(self, args: Sequence[ResolvedExpression], row: Row) -> Any:
        for place in range(0, len(args) - 1, 2):
            if self.value(args[place], row) is True:
                return self.value(args[place + 1], row)
        return self.value(args[-1], row) if len(args) % 2 else None

    def _called(self, node: Call, args: Iterator[Any]) -> Any:
        function = node.function
        if isinstance(function, GuardedFunction):
            function = function.called
            if next(args) is not True:
                return None
        values = tuple(args)
        self.calls[function.name, *values] += 1
        return self.functions[function.name](*values)


def _strict(function: Callable[..., Any]) -> Callable[[Iterator[Any]], Any]:
    def of(args: Iterator[Any]) -> Any:
        values = list(args)
        return None if None in values else function(*values)

    return of


def _first_known(args: Iterator[Any]) -> Any:
    return next((value for value in args if value is not None), None)


def _all(args: Iterator[Any]) -> Any:
    unknown = False
    for value in args:
        if value is False:
            return False
        unknown |= value is None
    return None if unknown else True


def _any(args: Iterator[Any]) -> Any:
    unknown = False
    for value in args:
        if value is True:
            return True
        unknown |= value is None
    return None if unknown else False


def _is(wanted: Any, *, negated: bool = False) -> Callable[[Iterator[Any]], Any]:
    return lambda args: (next(args) is wanted) is not negated


_FUNCTIONS: dict[str, Callable[[Iterator[Any]], Any]] = {
    "plus": _strict(lambda a, b: a + b),
    "greater_than": _strict(lambda a, b: a > b),
    "less_than": _strict(lambda a, b: a < b),
    "coalesce": _first_known,
    "and": _all,
    "or": _any,
    "is_null": _is(None),
    "is_not_null": _is(None, negated=True),
    "is_not_true": _is(True, negated=True),
    "is_not_false": _is(False, negated=True),
}
