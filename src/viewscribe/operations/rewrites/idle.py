"""Leaving out the steps of which no text says anything."""

from __future__ import annotations

from viewscribe.expressions.node import Node, find
from viewscribe.expressions.nodes import Exists, FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.relocation import with_columns
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Pivot, Project, WithColumns
from viewscribe.operations.notes import Notes, rewrite


def without_idle_steps(operation: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree without projections that change nothing.

    Those are the ones that give all columns of their input as they are, those that only choose what
    a pivot uses, which a text does by itself, and what is selected only to ask whether it is there.
    """
    if not _has_idle_steps(operation):
        return operation

    return rewrite(operation, lambda _, node: _without(node), notes, *_MAY_BE_IDLE)


_MAY_BE_IDLE: frozenset[type[Node]] = frozenset((Project, WithColumns, Exists, Pivot))


def _has_idle_steps(operation: QueryOperation) -> bool:
    """Whether there is one: most trees have none, and looking is cheaper than making anew."""
    return any(_without(node) is not node for node in find(operation, *_MAY_BE_IDLE))


def is_idle(node: Node) -> bool:
    """Whether no text says anything of the node, or of the projection right below it."""
    return type(node) in _MAY_BE_IDLE and _without(node) is not node


def _without(node: Node) -> Node:
    if type(node) is Project:
        return node.child if _gives_all(node) else node
    if type(node) is WithColumns:
        return node.child if _changes_nothing(node) else node
    if isinstance(node, Exists) and isinstance(node.query, Project):
        return Exists(node.query.child)
    if isinstance(node, Pivot) and isinstance(node.child, Project):
        return _over_all(node, node.child)
    return node


def _gives_all(project: Project) -> bool:
    """Whether it gives the columns of its input as they are."""
    below = project.child.schema
    if project.dropped or len(project.schema) != len(below):
        return False
    for place, column in enumerate(project.expressions):
        if type(column) is not FieldReference or column.index != place:
            return False
    return project.expressions == below.references


def _changes_nothing(operation: WithColumns) -> bool:
    for column in operation.columns:  # most compute something, which is seen at once
        if type(strip_alias(column)) is not FieldReference:
            return False
    return all(
        _is_itself(column, place, operation.child.schema)
        for place, column in zip(operation.places(), operation.columns, strict=True)
    )


def _is_itself(column: ResolvedExpression, place: int, below: Schema) -> bool:
    inner = strip_alias(column)
    if not isinstance(inner, FieldReference) or inner.index != place:
        return False
    return place < len(below) and getattr(column, "name", None) == below[place].name


def _over_all(pivot: Pivot, chosen: Project) -> Pivot:
    """The pivot over the input of a projection that only chooses columns."""
    references = [strip_alias(each) for each in chosen.expressions]
    if not all(isinstance(each, FieldReference) for each in references):
        return pivot
    below = chosen.child.schema.names
    keys = [*pivot.keys, pivot.column]
    if any(key.name != below[references[key.index].index] for key in keys):  # type: ignore[attr-defined]
        return pivot

    def move(column: FieldReference) -> FieldReference:
        return chosen.child.schema.reference(references[column.index].index)  # type: ignore[attr-defined]

    return Pivot.of(
        chosen.child,
        tuple(map(move, pivot.keys)),
        move(pivot.column),
        pivot.values,
        pivot.value_names,
        tuple(with_columns(each, move) for each in pivot.aggregates),
    )
