"""Projections: as few of them as say the same, for the analyzer adds many.

It computes a window in three projections, pads texts of fixed length in one, and casts the columns
of a view in another. A projection that only picks columns of one below takes its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, holds, preorder, replace
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.columns import NOBODY, Captured
from viewscribe.spark.capture.classic.expressions.reader import Expressions
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Handler
from viewscribe.spark.capture.lowering.row_numbers import row_index

Items = Sequence[ResolvedExpression]


def _project(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    listed: list[PlanNode] = node["projectList"]
    if not listed:
        if not child.schema:
            return child
        return Captured(project(child.operation, [alias(literal(1), "one")]), [NOBODY])
    reader = run.expressions(child)
    items = [name_item(reader, each) for each in listed]
    return pick(child, items, [each.id for each in listed])


def name_item(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """An item of a projection under its name, which may be spelled unlike the column's."""
    return alias(reader.read(node), node["name"])


def pick(child: Captured, items: Items, ids: Sequence[int]) -> Captured:
    """The operation that gives ``items`` of the columns of ``child``."""
    operation, merged = child.operation, list(items)
    if is_identity(merged, operation):
        return Captured(operation, ids)
    while (into := _merge(merged, operation)) is not None:
        operation, merged = into
        if is_identity(merged, operation):
            return Captured(operation, ids)
    return Captured(_with_columns(operation, merged) or project(operation, merged), ids)


def project(operation: QueryOperation, items: Items) -> n.Project:
    """A projection of items that are references or have a name."""
    return n.Project.of(operation, tuple(items))


def is_identity(items: Items, operation: QueryOperation) -> bool:
    """Whether the items are just the columns of the operation."""
    fields = operation.schema.fields
    return len(items) == len(fields) and all(
        type(item) is FieldReference and item.index == place and item.name == fields[place].name
        for place, item in enumerate(items)
    )


def _merge(
    items: Items, operation: QueryOperation
) -> tuple[QueryOperation, list[ResolvedExpression]] | None:
    """The items over what the operation reads, where that is the same and no longer."""
    if not isinstance(operation, n.Project | n.WithColumns):
        return None
    inner = [strip_alias(each) for each in _outputs(operation)]
    renamed = all(type(each) is FieldReference for each in inner)
    if any(
        any(isinstance(node, SubqueryExpression | OuterReference) for node in preorder(item))
        for item in items
    ):
        return None
    if not renamed and not _absorbs(items, operation.schema.names, inner):
        return None
    return operation.child, [_replace_references(item, inner) for item in items]


def _absorbs(items: Items, names: Sequence[str], inner: Items) -> bool:
    """Whether no expression below is repeated, and only names that Spark made up are lost."""
    plain = [_place(item) for item in items]
    used = Counter(place for place in plain if place is not None)
    complex_ = [item for item, place in zip(items, plain, strict=True) if place is None]
    inside: Counter[int] = Counter()
    for item in complex_:
        inside.update(e.index for e in preorder(item) if type(e) is FieldReference)
    if complex_ and not any(_is_made_up(names[place], inner[place]) for place in inside):
        return False
    for place in used.keys() | inside.keys():
        expression, count = inner[place], used[place] + inside[place]
        if type(expression) is FieldReference:
            continue
        if inside[place] and not _is_made_up(names[place], expression):
            return False
        if count > 1 and (not inside[place] or is_special(expression)):
            return False
    windows = any(
        type(inner[place]) is not FieldReference and holds(inner[place], Over) for place in inside
    )
    return not (windows and any(holds(item, Over) for item in complex_))


_MADE_UP = re.compile(r"_we?\d+|_nondeterministic|aggOrder|havingCondition")
"""Names of columns that the analyzer adds."""


def _is_made_up(name: str, expression: ResolvedExpression) -> bool:
    return type(expression) is not FieldReference and _MADE_UP.fullmatch(name) is not None


def _outputs(operation: n.Project | n.WithColumns) -> list[ResolvedExpression]:
    """What each column of the operation is made of."""
    if isinstance(operation, n.Project):
        return list(operation.expressions)
    outputs: list[ResolvedExpression] = list(operation.child.schema.references)
    for place, column in zip(operation.places(), operation.columns, strict=True):
        if place < len(outputs):
            outputs[place] = column
        else:
            outputs.append(column)
    return outputs


def _place(item: ResolvedExpression) -> int | None:
    reference = strip_alias(item)
    return reference.index if type(reference) is FieldReference else None


def _replace_references(
    item: ResolvedExpression, below: Sequence[ResolvedExpression]
) -> ResolvedExpression:
    """The item with references to columns replaced by what these are below."""
    name = n.output_name(item)

    def step(node: Node) -> Node:
        return below[node.index] if type(node) is FieldReference else node

    moved = replace(strip_alias(item), step)
    assert isinstance(moved, ResolvedExpression)
    return alias(moved, name)


def _with_columns(operation: QueryOperation, items: Items) -> n.WithColumns | None:
    """``withColumn`` as it was written: the columns as they are, some replaced, some added."""
    schema = operation.schema
    width, by_name = len(schema), schema.by_name
    if len(items) < width or not width:
        return None
    columns: list[Alias] = []
    for place, item in enumerate(items):
        if type(item) is FieldReference and place < width:
            if item.index != place:
                return None
        elif type(item) is Alias:
            known = by_name.get(item.name.lower())
            if type(item.child) is FieldReference and place < width:
                return None
            if place < width and (known != place or schema.names[place] != item.name):
                return None
            if place >= width and known is not None:
                return None
            columns.append(item)
        else:
            return None
    if len({column.name.lower() for column in columns}) < len(columns):
        return None
    return n.WithColumns.of(operation, tuple(columns))


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """The name, or one made of it that none of the others is."""
    folded = {name.lower() for name in taken}
    chosen, number = wanted, 2
    while chosen.lower() in folded:
        chosen, number = f"{wanted}_{number}", number + 1
    return chosen


def _window(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    reader = run.expressions(child)
    taken = list(child.operation.schema.names)
    columns = []
    for each in node["windowExpressions"]:
        name = free_name(each["name"], taken)
        taken.append(name)
        read = reader.read(each["child"])
        columns.append(Alias(read, name, read.type))
    made = n.WithColumns.of(child.operation, tuple(columns))
    return Captured(made, [*child.ids, *[each.id for each in node["windowExpressions"]]])


def _number_rows(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """``zipWithIndex``: the number of the row before its columns."""
    (child,) = inputs
    index = node["sequenceAttr"]
    items = [alias(row_index(), index["name"]), *child.operation.schema.references]
    made = project(child.operation, items)
    return Captured(made, [index.id, *child.ids])


HANDLERS: dict[str, Handler] = {
    "Project": _project,
    "Window": _window,
    "AttachDistributedSequence": _number_rows,
}
