"""Trees that are changed in one place, as a wrong printer or reader would change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import Node, postorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Literal,
    OuterReference,
    SortOrder,
    Star,
)
from viewscribe.operations.base import JoinKind, QueryOperation
from viewscribe.operations.nodes import Distinct, Filter, Join, Limit, Offset, SetOperation, Sort
from viewscribe.serializer.plan_document import from_plan, to_plan


@st.composite
def changed(draw: st.DrawFn, tree: QueryOperation) -> QueryOperation | None:
    """The tree with one thing changed; None where what was drawn cannot be changed."""
    places = list(postorder(tree))
    old = draw(st.sampled_from(places))
    options = list(_changes(old, places))
    if not options:
        return None
    new = draw(st.sampled_from(options))
    try:
        other = replace(tree, lambda node: new if node == old else node)
        assert isinstance(other, QueryOperation)
        made = from_plan(to_plan(other))  # which checks every reference
    except (ViewscribeError, AssertionError, IndexError, AttributeError):
        return None  # it is no tree any more
    same = [each.type for each in made.schema] == [each.type for each in tree.schema]
    return made if same and made.schema.names == tree.schema.names else None


def _changes(node: Node, places: list[Node]) -> Iterator[Node]:
    for kind, change in _CHANGES.items():
        if isinstance(node, kind):
            yield from change(node, places)


def _other_column(node: FieldReference, places: list[Node]) -> Iterator[Node]:
    for other in places:
        if isinstance(other, FieldReference) and other.type == node.type and other != node:
            yield Alias(other, node.name, other.type)


def _other_outer(node: OuterReference, places: list[Node]) -> Iterator[Node]:
    for other in places:
        if isinstance(other, OuterReference | FieldReference) and other.type == node.type:
            yield other


def _turned(node: Call, places: list[Node]) -> Iterator[Node]:
    if len(node.args) == 2 and node.args[0].type == node.args[1].type:
        yield Call(node.function, node.args[::-1], node.type)
    for argument in node.args:
        if argument.type == node.type:
            yield argument


def _other_number(node: Literal, places: list[Node]) -> Iterator[Node]:
    if type(node.value) is int:
        yield Literal(node.value + 1, node.type)


def _other_order(node: SortOrder, places: list[Node]) -> Iterator[Node]:
    yield node.copy_with({"descending": not node.descending})
    yield node.copy_with({"nulls_first": not node.nulls_first})


def _of_different(node: AggregateCall, places: list[Node]) -> Iterator[Node]:
    if node.args and not node.order_by and not isinstance(node.args[0], Star):
        yield node.copy_with({"distinct": not node.distinct})


def _left_out(node: Node, places: list[Node]) -> Iterator[Node]:
    assert isinstance(node, QueryOperation)
    yield node.inputs()[0]


def _other_count(node: Limit | Offset, places: list[Node]) -> Iterator[Node]:
    yield node.copy_with({"count": node.count + 1})


def _other_join(node: Join, places: list[Node]) -> Iterator[Node]:
    for kind in JoinKind:
        if kind is not node.kind and kind.keeps_right == node.kind.keeps_right:
            yield node.copy_with({"kind": kind})


def _other_set(node: SetOperation, places: list[Node]) -> Iterator[Node]:
    yield node.copy_with({"all": not node.all})
    yield SetOperation.of(node.right, node.left, node.kind, node.all)


_CHANGES: dict[type[Node], Callable[..., Iterator[Node]]] = {
    FieldReference: _other_column,
    OuterReference: _other_outer,
    Call: _turned,
    Literal: _other_number,
    SortOrder: _other_order,
    AggregateCall: _of_different,
    Filter: _left_out,
    Sort: _left_out,
    Distinct: _left_out,
    Limit: _other_count,
    Offset: _other_count,
    Join: _other_join,
    SetOperation: _other_set,
}
