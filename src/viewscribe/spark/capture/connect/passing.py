"""Which output column of a step is still the column of a step below: ``df["a"]`` further up."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple

from viewscribe.expressions.nodes import AggregateCall, FieldReference, unaliased
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

Passing = Callable[[Any, int, int], int | None]
"""From an operation, the number of an input and a column of it to its place in the output."""


class Copy(NamedTuple):
    """What a step that does nothing was made of.

    Args:
        original: the step below.
        taken_over: whether Spark no longer finds the columns of ``original`` by its plan id, which
            is that of the step now.
    """

    original: QueryOperation
    taken_over: bool


TAKEN_OVER = 1_000_000
"""How deep a step lies whose plan id was taken over: it counts where nothing else is found."""


def find_column(
    root: QueryOperation,
    target: QueryOperation,
    index: int,
    deduplicated: Container[int],
    copies: Mapping[int, Copy],
) -> list[tuple[int, int]]:
    """The ways in which a column of ``target`` reaches the output of ``root``.

    Args:
        root: a step.
        target: a step below.
        index: a column of it.
        deduplicated: the ids of groups whose columns are those of their input.
        copies: what steps that do nothing were made of, by the ids of what they became.

    Each is how deep the target lies and the position in the output.
    """
    found: list[tuple[int, int]] = []
    stack: list[tuple[QueryOperation, tuple[Any, ...], int]] = [(root, (), 0)]
    while stack:
        operation, path, depth = stack.pop()
        same = operation
        while same is not target and id(same) in copies:
            same, taken_over = copies[id(same)]
            depth += TAKEN_OVER if taken_over else 1
        if same is target:
            place = _lifted(path, index, deduplicated)
            if place is not None:
                found.append((depth, place))
            continue
        for number, child in enumerate(operation.inputs()):
            stack.append((child, (operation, number, path), depth + 1))
    return found


def reaches(root: QueryOperation, target: QueryOperation) -> bool:
    """Whether Spark looks for ``target`` below ``root`` where it finds it: not below a union."""
    stack = [root]
    while stack:
        operation = stack.pop()
        if operation is target:
            return True
        if not (isinstance(operation, n.SetOperation) and operation.kind is n.SetKind.UNION):
            stack.extend(operation.inputs())
    return False


def _lifted(path: tuple[Any, ...], index: int, deduplicated: Container[int]) -> int | None:
    """The column's position after the steps of a path, None where one of them lost it."""
    place: int | None = index
    while path and place is not None:
        operation, number, path = path
        same = id(operation) in deduplicated
        place = _first(operation, place) if same else passed(operation, number, place)
    return place


def passed(operation: QueryOperation, number: int, index: int) -> int | None:
    """The position in the output of a column of the input of that number."""
    handler = _HANDLERS.get(type(operation))
    return None if handler is None else handler(operation, number, index)


def _same(operation: Any, number: int, index: int) -> int | None:
    return index


def _project(operation: n.Project, number: int, index: int) -> int | None:
    return _among(operation.expressions, index)


def _among(expressions: tuple[Any, ...], index: int) -> int | None:
    for place, expression in enumerate(expressions):
        if type(expression) is FieldReference and expression.index == index:
            return place
    return None


def _with_columns(operation: n.WithColumns, number: int, index: int) -> int | None:
    for column, place in zip(operation.columns, operation.places(), strict=True):
        if place == index:
            return index if _is_column(column, index) else None
    return index


def _is_column(column: Any, index: int) -> bool:
    child = unaliased(column)
    return isinstance(child, FieldReference) and child.index == index and column is child


def _join(operation: n.Join, number: int, index: int) -> int | None:
    if number and not operation.kind.keeps_right:
        return None
    before = len(operation.left.schema) if number else 0
    if not operation.using:
        return index + before
    order = n.using_columns(
        operation.left.schema, operation.right.schema, operation.kind, operation.using
    )
    wanted = (index + before, None)
    return order.index(wanted) if wanted in order else None


def _lateral(operation: n.LateralJoin, number: int, index: int) -> int | None:
    return index + (len(operation.left.schema) if number else 0)


def _aggregate(operation: n.Aggregate, number: int, index: int) -> int | None:
    return _among(operation.keys, index)


def _first(operation: n.Aggregate, index: int) -> int | None:
    """The place of a key, or of the first value of another column."""
    firsts = map(unaliased, operation.aggregates)
    taken = [each.args[0] for each in firsts if isinstance(each, AggregateCall)]
    return _among((*operation.keys, *taken), index)


def _set(operation: n.SetOperation, number: int, index: int) -> int | None:
    if operation.kind is n.SetKind.UNION:  # its columns are new ones to Spark
        return None
    return index if number == 0 else None


def _unpivot(operation: n.Unpivot, number: int, index: int) -> int | None:
    turned = {column.index for column in operation.columns}
    if index in turned:
        return None
    return index - sum(place < index for place in turned)


_SAME: tuple[type[QueryOperation], ...] = (
    n.Filter,
    n.Distinct,
    n.Sort,
    n.Limit,
    n.Offset,
    n.Sample,
    n.SubqueryAlias,
    n.Hint,
    n.Generate,
    n.TimeWindow,
)

_HANDLERS: dict[type[QueryOperation], Passing] = {
    **dict.fromkeys(_SAME, _same),
    n.Project: _project,
    n.WithColumns: _with_columns,
    n.Join: _join,
    n.LateralJoin: _lateral,
    n.Aggregate: _aggregate,
    n.SetOperation: _set,
    n.Unpivot: _unpivot,
}


Origin = tuple[tuple[int, ...], int, int]
"""The sides of joins on the way down, the step that makes a column, and its place there."""


def origin(operation: QueryOperation, index: int) -> Origin:
    """Where a column of the output is made: columns of one origin are one and the same to Spark.

    The sides are a part of it, for Spark takes the columns of a DataFrame that is joined with
    itself for different ones.
    """
    sides: list[int] = []
    while True:
        below = _ORIGINS.get(type(operation), _made_here)(operation, index)
        if below is None:
            return tuple(sides), id(operation), index
        number, index = below
        inputs = operation.inputs()
        if len(inputs) > 1:
            sides.append(number)
        operation = inputs[number]


def _made_here(operation: Any, index: int) -> tuple[int, int] | None:
    return None


def _of_input(operation: Any, index: int) -> tuple[int, int] | None:
    return (0, index) if index < len(operation.inputs()[0].schema) else None


def _of_expressions(expressions: tuple[Any, ...], index: int) -> tuple[int, int] | None:
    expression = expressions[index] if index < len(expressions) else None
    return (0, expression.index) if type(expression) is FieldReference else None


def _of_unchanged(operation: n.WithColumns, index: int) -> tuple[int, int] | None:
    return None if index in operation.places() else (0, index)


def _of_side(operation: n.Join | n.LateralJoin, index: int) -> tuple[int, int] | None:
    left = operation.left.schema
    if isinstance(operation, n.Join) and operation.using:
        order = n.using_columns(left, operation.right.schema, operation.kind, operation.using)
        index, other = order[index]
        if other is not None:
            return None
    return (0, index) if index < len(left) else (1, index - len(left))


_ORIGINS: dict[type[QueryOperation], Callable[[Any, int], tuple[int, int] | None]] = {
    **dict.fromkeys(_SAME, _of_input),
    n.Project: lambda operation, index: _of_expressions(operation.expressions, index),
    n.Aggregate: lambda operation, index: _of_expressions(operation.keys, index),
    n.WithColumns: _of_unchanged,
    n.Join: _of_side,
    n.LateralJoin: _of_side,
}
"""From an operation and a column of it to the input that it is of, and its place there."""
