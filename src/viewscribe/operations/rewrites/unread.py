"""Leaving out columns of what no text can say, where nothing reads them: Spark does so, too."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import accumulate

from viewscribe.expressions.node import IS_GENERATOR, IS_STEP, Node, find, marks_in, postorder
from viewscribe.expressions.nodes import (
    Exists,
    FieldReference,
    ResolvedExpression,
    strip_alias,
    with_columns,
)
from viewscribe.expressions.properties import references_of
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation, rewrite
from viewscribe.operations.nodes import Pivot, Project, WithColumns

# Leaving out the steps of which no text says anything.


def without_idle_steps(operation: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree without projections that change nothing.

    Those are the ones that give all columns of their input as they are, those that only choose what
    a pivot uses, which a text does by itself, and what is selected only to ask whether it is there.
    """
    if not any(_without(node) is not node for node in find(operation, *_MAY_BE_IDLE)):
        return operation

    return rewrite(operation, lambda _, node: _without(node), notes, *_MAY_BE_IDLE)


_MAY_BE_IDLE: frozenset[type[Node]] = frozenset((Project, WithColumns, Exists, Pivot))


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


_CHANGES_ROWS = IS_GENERATOR | IS_STEP
_COMPUTES = (n.Project, n.WithColumns)
_MAKES = (*_COMPUTES, n.Aggregate)
_HANDS_ON = (n.Generate, n.Join, n.TimeWindow)


def without_unread(root: QueryOperation, marks: int, notes: Notes | None = None) -> QueryOperation:
    """The tree without the columns that depend on nodes with one of ``marks`` and nobody reads.

    The columns of the root are read, and so is what decides which rows there are: conditions, keys,
    and all columns of rows that are compared, which those of UNION ALL are not. Queries within
    expressions stay as they are.
    """
    return _Pruning(root, marks, notes).made if marks_in(root) & marks else root


class _Pruning:
    """Which columns depend on marked nodes, what is read of the inputs, and the steps anew.

    Args:
        root: the tree.
        marks: the bits of the nodes.
        notes: what stands beside a step is noted beside what became of it, too.
    """

    def __init__(self, root: QueryOperation, marks: int, notes: Notes | None) -> None:
        self._marks = marks
        self._dependent: dict[int, set[int]] = {}
        self._read: dict[int, set[int]] = {}
        self._kept: dict[int, list[int]] = {}
        self._new: dict[int, QueryOperation] = {}
        found = postorder(root, skip=lambda node: not node.is_query)
        steps = [each for each in found if isinstance(each, QueryOperation)]
        for step in steps:
            self._dependent[id(step)] = {*self._find_dependent(step)}
            self._read[id(step)] = set()
        self._read[id(root)] = {*range(len(root.schema))}
        for step in reversed(steps):
            self._note_reads(step)
        for step in steps:
            new = self._new[id(step)] = self._made_anew(step)
            if notes is not None and new is not step:
                notes.carry(step, new)
        self.made = self._new[id(root)]

    def _find_dependent(self, step: QueryOperation) -> Iterator[int]:
        """The places of the columns that depend on marked nodes."""
        below = self._dependent_below(step)
        if isinstance(step, _MAKES):
            for place, each in enumerate(step.column_expressions()):
                if marks_in(each) & self._marks or references_of(each).columns & below:
                    yield place
        elif _is_union_all(step):
            yield from (place for each in step.inputs() for place in self._dependent[id(each)])
        elif _hands_on(step):
            starts = _starts(step)
            for place, origin in enumerate(step.column_origins()):
                if origin and starts[origin.number] + origin.place in below:
                    yield place

    def _dependent_below(self, step: QueryOperation) -> set[int]:
        """The same of the inputs, side by side."""
        pairs = zip(_starts(step), step.inputs(), strict=True)
        return {start + each for start, one in pairs for each in self._dependent[id(one)]}

    def _note_reads(self, step: QueryOperation) -> None:
        """Notes what the step reads of its inputs."""
        named = {*self._reads(step)}
        for start, each in zip(_starts(step), step.inputs(), strict=True):
            width = len(each.schema)
            self._read[id(each)] |= {p - start for p in named if start <= p < start + width}

    def _reads(self, step: QueryOperation) -> Iterator[int]:
        starts, origins = _starts(step), step.column_origins()
        if isinstance(step, _MAKES):
            columns = step.column_expressions()
            yield from _columns_in(columns[place] for place in self._left(step))
        elif isinstance(step, n.Pivot):
            yield from _columns_in(_expressions(step))
        elif _is_union_all(step):
            yield from (start + place for start in starts for place in self._left(step))
        elif _hands_on(step):
            yield from _columns_in(_expressions(step))
            if isinstance(step, n.Join):
                yield from (step.left.schema.find(name) for name in step.using)
                yield from (starts[1] + step.right.schema.find(name) for name in step.using)
            for place in self._left(step):
                origin = origins[place]
                if origin is not None:
                    yield starts[origin.number] + origin.place
        else:
            yield from range(sum(len(each.schema) for each in step.inputs()))

    def _left(self, step: QueryOperation) -> list[int]:
        """The places of the columns that are read, or depend on no marked node."""
        unread = self._dependent[id(step)] - self._read[id(step)]
        if isinstance(step, _MAKES):
            columns = step.column_expressions()
            unread = {each for each in unread if not marks_in(columns[each]) & _CHANGES_ROWS}
        if isinstance(step, n.Aggregate):  # keys decide which rows there are
            unread = {each for each in unread if each >= len(step.keys)}
        if len(unread) == len(step.schema) and not _hands_on(step):
            return [*range(len(step.schema))]  # there are no rows without columns
        return [each for each in range(len(step.schema)) if each not in unread]

    def _made_anew(self, step: QueryOperation) -> QueryOperation:
        places = self._places_below(step)
        inputs = step.inputs()
        same = all(self._new[id(each)] is each for each in inputs)

        def move(column: FieldReference) -> FieldReference:
            return FieldReference(places[column.index], column.name, column.type)

        self._kept[id(step)] = kept = self._kept_of(step, places)
        if same and len(kept) == len(step.schema):
            return step
        if isinstance(step, _COMPUTES):
            columns = step.column_expressions()
            made = tuple(with_columns(columns[place], move) for place in kept)
            return n.Project.of(self._new[id(inputs[0])], made)
        if isinstance(step, n.Aggregate):
            left = [place - len(step.keys) for place in kept[len(step.keys) :]]
            step = step.copy_with({"aggregates": tuple(step.aggregates[each] for each in left)})
        elif _is_union_all(step):
            return step.with_children([self._narrowed(each, kept) for each in inputs])
        return step.with_children(
            [
                self._new[id(each)] if each.is_query else with_columns(each, move)
                for each in step.children()
            ]
        )

    def _narrowed(self, step: QueryOperation, places: list[int]) -> QueryOperation:
        """What became of a step, with those columns alone: other steps may read more of it."""
        new, kept = self._new[id(step)], self._kept[id(step)]
        if kept == places:
            return new
        return n.Project.of(new, tuple(new.schema.reference(kept.index(each)) for each in places))

    def _places_below(self, step: QueryOperation) -> dict[int, int]:
        """Where the columns of the inputs are now, side by side, by where they were."""
        pairs = zip(_starts(step), step.inputs(), strict=True)
        before = [start + place for start, each in pairs for place in self._kept[id(each)]]
        return {place: now for now, place in enumerate(before)}

    def _kept_of(self, step: QueryOperation, below: Container[int]) -> list[int]:
        """The places of the columns that are there now: other steps may read more of an input."""
        if not _hands_on(step):
            return self._left(step)
        starts = _starts(step)
        return [
            place
            for place, origin in enumerate(step.column_origins())
            if origin is None or starts[origin.number] + origin.place in below
        ]


def _hands_on(step: QueryOperation) -> bool:
    """Whether columns of the inputs become its own, and it looks at those alone that it names."""
    return (step.keeps_columns and not step.compares_rows) or isinstance(step, _HANDS_ON)


def _is_union_all(step: QueryOperation) -> bool:
    return isinstance(step, n.SetOperation) and step.kind is n.SetKind.UNION and step.all


def _starts(step: QueryOperation) -> list[int]:
    """Where the columns of each input begin, side by side."""
    return [*accumulate((len(each.schema) for each in step.inputs()), initial=0)][:-1]


def _expressions(step: QueryOperation) -> list[ResolvedExpression]:
    return [each for each in step.children() if isinstance(each, ResolvedExpression)]


def _columns_in(expressions: Iterable[ResolvedExpression]) -> Iterator[int]:
    for each in expressions:
        yield from references_of(each).columns
