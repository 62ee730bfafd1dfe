"""Hints on how rows are partitioned go above what leaves rows where they are.

A SELECT applies its hints last: where a filter or a projection is above one, the text that has both
in a SELECT says that the hint is. So does the tree that is written, if it makes no difference.
"""

from __future__ import annotations

from viewscribe.expressions.node import Node, find, holds
from viewscribe.expressions.nodes import FieldReference, strip_alias
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations.base import Notes, QueryOperation, rewrite
from viewscribe.operations.nodes import JOIN_HINTS, Filter, Hint, Project, WithColumns


def with_hints_above(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree with hints above the filters and projections that may as well be below them.

    What several steps read keeps its hint: it is a step of its own in the text.
    """
    if not holds(root, Hint):
        return root
    operations = find(root, QueryOperation)
    places: dict[QueryOperation, set[tuple[QueryOperation, int]]] = {}
    for operation in operations:
        for number, child in enumerate(operation.inputs()):
            places.setdefault(child, set()).add((operation, number))
    shared = {child for child, found in places.items() if len(found) > 1}

    def change(before: Node, node: Node) -> Node:
        if not isinstance(node, Filter | Project | WithColumns):
            return node
        assert isinstance(before, Filter | Project | WithColumns)
        return node if before.child in shared else _below_hint(node)

    return rewrite(root, change, notes, Filter, Project, WithColumns)


def _below_hint(operation: Filter | Project | WithColumns) -> QueryOperation:
    """The operation below all hints that are right below it, as far as it may be."""
    hint = operation.child
    if type(hint) is not Hint or hint.name in JOIN_HINTS:
        return operation
    own = operation.children()[1:]
    if not all(is_deterministic(each) for each in own):
        return operation  # what is drawn depends on the partitions
    below = operation.copy_with({"child": hint.child})
    assert isinstance(below, Filter | Project | WithColumns)
    parameters = [*hint.parameters]
    for number, each in enumerate(parameters):
        if isinstance(each, FieldReference):
            place = _place_above(operation, each)
            if place is None:
                return operation
            parameters[number] = below.schema.reference(place)
    return Hint.of(_below_hint(below), hint.name, tuple(parameters))


def _place_above(operation: Filter | Project | WithColumns, column: FieldReference) -> int | None:
    """Where an input column is among those of the operation, under its name.

    None if it is not, or if another has the name, too.
    """
    if isinstance(operation, Filter):
        return column.index
    if operation.schema.by_name.find_unique(column.name.lower()) < 0:
        return None
    columns = operation.column_expressions()
    for place, each in enumerate(columns):
        inner = strip_alias(each)
        named = operation.schema.names[place] == column.name
        if named and isinstance(inner, FieldReference) and inner.index == column.index:
            return place
    return None
