"""Expressions over other columns than before; what their sub-queries look at moves along."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import FieldReference, OuterReference, SubqueryExpression

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
