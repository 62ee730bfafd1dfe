"""Expressions nested more deeply than protobuf allows, cut into pieces that it takes.

A sum of a hundred columns is a hundred levels deep, and Python's protobuf refuses more than a
hundred messages inside each other. The pieces are put together again when they are read.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from pyspark.sql.connect import proto
from pyspark.sql.connect.column import Column
from pyspark.sql.connect.expressions import Expression, LambdaFunction

_HEIGHT = 15
_MARK = "\0piece "


class Pieces:
    """The pieces by number; each is written with marks where a lower piece belongs."""

    def __init__(self) -> None:
        self._pieces: list[Expression] = []
        self._first: list[int] = []

    def cut(self, step: object) -> Any:
        """The step with marks in the place of what lies deep in its expressions."""
        cutter = _Cutter(self._pieces)
        first = len(self._pieces)
        lone = copy.copy(step)
        for name, value in vars(step).items():
            setattr(lone, name, cutter.value(value))
        self._first += [first] * (len(self._pieces) - first)
        return lone

    def upto(self, mark: str, client: Any) -> Iterator[tuple[str, proto.Expression]]:
        """The piece of a mark, after all those of its step that came before it."""
        number = int(mark.removeprefix(_MARK))
        for each in range(self._first[number], number + 1):
            yield f"{_MARK}{each}", self._pieces[each].to_plan(client)


def is_mark(name: str) -> bool:
    """Whether the name of a column is none, but marks a piece."""
    return name.startswith(_MARK)


class _Mark(Expression):
    """Stands for a piece."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def to_plan(self, session: Any) -> proto.Expression:
        expression = proto.Expression()
        expression.unresolved_attribute.unparsed_identifier = f"{_MARK}{self._number}"
        return expression


class _Cutter:
    def __init__(self, pieces: list[Expression]) -> None:
        self._pieces = pieces
        self._made: dict[int, tuple[Any, int]] = {}

    def value(self, value: Any) -> Any:
        """What a step holds, its expressions cut."""
        if isinstance(value, list | tuple):
            return type(value)(self.value(each) for each in value)
        if isinstance(value, Column):
            return Column(self._cut(value._expr))
        return self._cut(value) if isinstance(value, Expression) else value

    def _cut(self, root: Any) -> Any:
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                self._made[id(node)] = self._rebuilt(node)
            elif id(node) not in self._made:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(list(_children(node))))
        return self._made[id(root)][0]

    def _rebuilt(self, node: Expression) -> tuple[Expression, int]:
        """The expression over cut ones, and how high it is now."""
        if isinstance(node, LambdaFunction):
            return node, 0
        lone = copy.copy(node)
        height = 0
        for name, value in vars(node).items():
            made, below = self._part(value)
            setattr(lone, name, made)
            height = max(height, below)
        return lone, height + 1

    def _part(self, value: Any) -> tuple[Any, int]:
        if isinstance(value, Expression):
            made, height = self._made[id(value)]
            if height < _HEIGHT:
                return made, height
            self._pieces.append(made)
            return _Mark(len(self._pieces) - 1), 0
        if isinstance(value, list | tuple):
            parts = [self._part(each) for each in value]
            heights = [height for _, height in parts]
            return type(value)(made for made, _ in parts), max(heights, default=0)
        return value, 0


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, LambdaFunction):
        return
    for value in vars(node).values() if isinstance(node, Expression) else node:
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, list | tuple):
            yield from _children(value)
