"""Which output column of a step is still the column of a step below: ``df["a"]`` further up."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from viewscribe.expressions.nodes import AggregateCall, FieldReference, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.operations.base import ColumnOrigin, QueryOperation


class Copy(NamedTuple):
    """What a step that does nothing was made of.

    Args:
        original: the step below.
        taken_over: whether Spark no longer finds the columns of ``original`` by its plan id, which
            is that of the step now.
        made: what it became, which lives as long as its identity is a key.
    """

    original: QueryOperation
    taken_over: bool
    made: QueryOperation


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
            same, taken_over, _ = copies[id(same)]
            depth += TAKEN_OVER if taken_over else 1
        if same is target:
            place = _lift(path, index, deduplicated)
            if place is not None:
                found.append((depth, place))
            continue
        for number, child in enumerate(operation.inputs()):
            stack.append((child, (operation, number, path), depth + 1))
    return found


def reaches(root: QueryOperation, target: QueryOperation, copies: Mapping[int, Copy]) -> bool:
    """Whether Spark looks for ``target`` below ``root`` where it finds it: not below a union."""
    stack = [root]
    while stack:
        operation = same = stack.pop()
        while same is not target and id(same) in copies:
            same = copies[id(same)].original
        if same is target:
            return True
        if not (isinstance(operation, n.SetOperation) and operation.kind is n.SetKind.UNION):
            stack.extend(operation.inputs())
    return False


def _lift(path: tuple[Any, ...], index: int, deduplicated: Container[int]) -> int | None:
    """The column's position after the steps of a path, None where one of them lost it."""
    place: int | None = index
    while path and place is not None:
        operation, number, path = path
        same = id(operation) in deduplicated
        place = _first(operation, place) if same else find_position(operation, number, place)
    return place


def find_position(operation: QueryOperation, number: int, index: int) -> int | None:
    """The position in the output of a column of the input of that number."""
    origins = operation.column_origins()
    wanted = ColumnOrigin(number, index)
    return origins.index(wanted) if wanted in origins else None


def _first(operation: n.Aggregate, index: int) -> int | None:
    """The place of a key, or of the first value of another column."""
    firsts = map(strip_alias, operation.aggregates)
    taken = [each.args[0] for each in firsts if isinstance(each, AggregateCall)]
    for place, expression in enumerate((*operation.keys, *taken)):
        if type(expression) is FieldReference and expression.index == index:
            return place
    return None
