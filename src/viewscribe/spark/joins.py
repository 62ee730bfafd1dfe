"""Operations over two inputs: joins, lateral joins, set operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.types import Cell, Frame, balance, rename, to_spark

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter

_HOW = {
    n.JoinKind.INNER: "inner",
    n.JoinKind.LEFT: "left",
    n.JoinKind.RIGHT: "right",
    n.JoinKind.FULL: "full",
    n.JoinKind.SEMI: "leftsemi",
    n.JoinKind.ANTI: "leftanti",
    n.JoinKind.CROSS: "cross",
}


def _join(run: Interpreter, node: n.Join, inputs: list[Frame]) -> Frame:
    conditions = () if node.condition is None else (node.condition,)
    left, right = _both_sides(run, *[run.unmistakable(frame, conditions) for frame in inputs])
    condition = _condition(run, node, left, right)
    rows = _join_frames(run, node, (left, right), condition)
    names = (*left.names, *right.names) if node.kind.keeps_right else left.names
    joined = Frame.of(rows, names)
    return _using_columns(node, joined) if node.using else joined


def _both_sides(run: Interpreter, left: Frame, right: Frame) -> tuple[Frame, Frame]:
    """Both carried out, with names that differ."""
    left, right = run.plain(left), run.plain(right)
    if set(left.names) & set(right.names):
        right = rename(right, run.names)
    return left, right


def _condition(run: Interpreter, node: n.Join, left: Frame, right: Frame) -> Column | None:
    if node.using:
        one, other = node.left.schema, node.right.schema
        pairs = [(one.find(name), other.find(name)) for name in node.using]
        equal = [left.cells[a].column == right.cells[b].column for a, b in pairs]
        return balance(equal, lambda a, b: a & b)
    if node.condition is None:
        return None
    return run.translator(left, right).column(node.condition)


def _join_frames(
    run: Interpreter, node: n.Join, sides: tuple[Frame, Frame], condition: Column | None
) -> DataFrame:
    left, right = sides[0].base, sides[1].base
    if condition is None:
        if node.kind is n.JoinKind.CROSS:
            return left.crossJoin(right)
        if node.kind is n.JoinKind.INNER:
            return left.join(right)
        return left.join(right, F.lit(True), _HOW[node.kind])
    if run.is_correlated(node) and run.bridge.classic:
        return run.bridge.join(left, right, condition, _HOW[node.kind])
    return left.join(right, condition, _HOW[node.kind])


def _using_columns(node: n.Join, joined: Frame) -> Frame:
    """Each shared column once, first; a full join takes whichever side has a value."""
    order = n.using_columns(node.left.schema, node.right.schema, node.kind, node.using)
    cells = []
    for place, other in order:
        cell = joined.cells[place]
        if other is not None:
            merged = F.coalesce(cell.column, joined.cells[other].column)
            cell = Cell(merged, None, node.left.schema.names[place], 1, 3)
        cells.append(cell)
    return Frame(joined.base, joined.names, tuple(cells))


def _lateral_join(run: Interpreter, node: n.LateralJoin, inputs: list[Frame]) -> Frame:
    left = run.plain(run.unmistakable(inputs[0], [node.right]))
    with run.within(left.names):
        right = run.plain(run.frame(node.right))
    on = None
    if node.condition is not None:
        on = run.translator(left, right).column(node.condition)
    rows = left.base.lateralJoin(right.base, on, _HOW[node.kind])
    return Frame.of(rows, (*left.names, *right.names))


def union_parts(node: n.SetOperation) -> list[QueryOperation]:
    """What a chain of unions puts together, in order; the chain may be thousands long."""
    parts: list[QueryOperation] = []
    stack: list[QueryOperation] = [node.right, node.left]
    while stack:
        part = stack.pop()
        if _belongs_to(part, node):
            assert isinstance(part, n.SetOperation)
            stack += [part.right, part.left]
        else:
            parts.append(part)
    return parts


def _belongs_to(part: QueryOperation, whole: n.SetOperation) -> bool:
    """Whether a union inside a union gives the same rows when written as one."""
    return (
        isinstance(part, n.SetOperation)
        and part.kind is n.SetKind.UNION
        and (part.all or not whole.all)
        and all(a.type.same_type(b.type) for a, b in zip(part.schema, whole.schema, strict=True))
    )


def _set_operation(run: Interpreter, node: n.SetOperation, inputs: list[Frame]) -> Frame:
    if node.kind is n.SetKind.UNION:
        frames = [run.plain(frame) for frame in inputs]
        if len(frames) > 2:
            parts = zip(frames, union_parts(node), strict=True)
            frames = [run.plain(_widen(frame, part, node)) for frame, part in parts]
        rows = balance([frame.base for frame in frames], lambda a, b: a.union(b))
        names = frames[0].names
        return Frame.of(rows if node.all else rows.distinct(), names)
    left, right = run.plain(inputs[0]), run.plain(inputs[1])
    return Frame.of(_SETS[node.kind, node.all](left.base, right.base), left.names)


def _widen(frame: Frame, part: QueryOperation, whole: n.SetOperation) -> Frame:
    """Brought to the types of the whole union, which a part of it alone might not give."""
    cells = [
        cell if given.type.same_type(wanted.type) else Cell(cell.column.cast(to_spark(wanted.type)))
        for cell, given, wanted in zip(frame.cells, part.schema, whole.schema, strict=True)
    ]
    return Frame(frame.base, frame.names, tuple(cells))


_SETS: dict[tuple[n.SetKind, bool], Callable[[DataFrame, DataFrame], DataFrame]] = {
    (n.SetKind.INTERSECT, False): lambda left, right: left.intersect(right),
    (n.SetKind.INTERSECT, True): lambda left, right: left.intersectAll(right),
    (n.SetKind.EXCEPT, False): lambda left, right: left.subtract(right),
    (n.SetKind.EXCEPT, True): lambda left, right: left.exceptAll(right),
}


HANDLERS: dict[type[QueryOperation], Callable[[Interpreter, Any, list[Frame]], Frame]] = {
    n.Join: _join,
    n.LateralJoin: _lateral_join,
    n.SetOperation: _set_operation,
}
