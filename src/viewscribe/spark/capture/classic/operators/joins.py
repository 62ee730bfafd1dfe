"""Joins and set operations."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import TRUE
from viewscribe.expressions.nodes import (
    Cast,
    FieldReference,
    ResolvedExpression,
    make_call,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.sources import nearest_join
from viewscribe.spark.capture.classic.columns import Captured, Columns
from viewscribe.spark.capture.classic.operators.rows import hint_join
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler, ids_of

# Joins with the nearest rows: as-of joins and nearest-by joins.

_NEAREST_KINDS = {"Inner": n.JoinKind.INNER, "LeftOuter": n.JoinKind.LEFT}


def _as_of(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """The analyzer has made a condition and a distance of the direction and the tolerance."""
    left, right = inputs
    # Whether what is compared is not one value a side: its order is that of sort keys.
    if node.get("matchOperator") is not None and any(
        len(node[name]) != 1 for name in ("leftSortExprs", "rightSortExprs")
    ):
        raise refusal(
            node,
            "an ASOF JOIN that compares several columns at once has no distance",
            hint="compare one column of each side",
        )
    reader = run.expressions(left, right)
    given = [each for each in (node["condition"], node["asOfCondition"]) if each is not None]
    read = reader.read_all(given)
    condition = read[0] if len(read) == 1 else make_call(op.AND, tuple(read))
    distance = reader.read(node["orderExpression"])
    made = nearest_join(left.operation, right.operation, _nearest_kind(node), condition, distance)
    return Captured(made, (*left.ids, *right.ids))


def _nearest_by(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    left, right = inputs
    figure = run.expressions(left, right).read(node["rankingExpression"])
    made = nearest_join(
        left.operation,
        right.operation,
        _nearest_kind(node),
        None,
        figure,
        descending=node["direction"].name == "NearestBySimilarity",
        count=int(node["numResults"]),
        forgetful=True,
    )
    return Captured(made, (*left.ids, *right.ids))


def _nearest_kind(node: PlanNode) -> n.JoinKind:
    return _NEAREST_KINDS[node["joinType"].name]


_KINDS = {
    "Inner": n.JoinKind.INNER,
    "Cross": n.JoinKind.CROSS,
    "LeftOuter": n.JoinKind.LEFT,
    "RightOuter": n.JoinKind.RIGHT,
    "FullOuter": n.JoinKind.FULL,
    "LeftSemi": n.JoinKind.SEMI,
    "LeftAnti": n.JoinKind.ANTI,
}


def _kind(node: PlanNode) -> n.JoinKind:
    name = getattr(node["joinType"], "name", "")
    kind = _KINDS.get(name)
    if kind is None:
        raise refusal(node, f"a join of the kind {name} has no form in SQL")
    return kind


def _join(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    kind, hints = _kind(node), node["hint"]
    left, right = hint_join(inputs[0], hints["leftHint"]), hint_join(inputs[1], hints["rightHint"])
    condition = node["condition"]
    read = None if condition is None else run.expressions(left, right).read(condition)
    if kind is n.JoinKind.CROSS and read is not None:
        kind = n.JoinKind.INNER
    if read is None and kind not in (n.JoinKind.INNER, n.JoinKind.CROSS):
        read = TRUE
    made = n.Join.of(left.operation, right.operation, kind, read)
    ids = left.ids if not kind.keeps_right else (*left.ids, *right.ids)
    return Captured(made, ids)


def _lateral(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (left,) = inputs
    kind = _kind(node)
    right = run.query(node["right"]["plan"], (*run.outer, Columns(left.schema, left.ids)))
    condition = node["condition"]
    if kind is n.JoinKind.INNER and condition is None:
        kind = n.JoinKind.CROSS
    read = None
    if condition is not None:
        read = run.expressions(left, right).read(condition)
    made = n.LateralJoin.of(left.operation, right.operation, kind, read)
    return Captured(made, (*left.ids, *right.ids))


# -- set operations --------------------------------------------------------------------------------


def _union(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """Casts to the common types are added again: the inputs stand as they were written."""
    if node["byName"] or node["allowMissingCol"]:
        raise refusal(node, "a union by name was not resolved")
    bare = [_without_casts(each) for each in inputs]
    made = _unite([each.operation for each in bare])
    if made.schema.fields != _unite([each.operation for each in inputs]).schema.fields:
        made = _unite([each.operation for each in inputs])
    return Captured(made, ids_of(node.output))


def _unite(operations: Sequence[QueryOperation]) -> QueryOperation:
    made = operations[0]
    for each in operations[1:]:
        made = n.SetOperation.of(made, each, n.SetKind.UNION, True)
    return made


def _without_casts(child: Captured) -> Captured:
    """The input without a projection that only casts columns to the types of the others."""
    operation = child.operation
    columns: Sequence[ResolvedExpression]
    if isinstance(operation, n.Project):
        columns = operation.expressions
    elif isinstance(operation, n.WithColumns):
        columns = [*operation.child.schema.references]
        if len(operation.schema) != len(columns):
            return child
        for place, column in zip(operation.places(), operation.columns, strict=True):
            columns[place] = column
    else:
        return child
    below = operation.child.schema
    if len(columns) != len(below):
        return child
    for place, each in enumerate(columns):
        bare = strip_alias(each)
        if type(bare) is Cast and not bare.lenient:
            bare = bare.child
        plain = type(bare) is FieldReference and bare.index == place
        if not plain or n.output_name(each) != below.names[place]:
            return child
    return Captured(operation.child, child.ids)


def _set(kind: n.SetKind) -> Handler:
    def capture(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
        left, right = inputs
        bare = _without_casts(left).operation, _without_casts(right).operation
        made = n.SetOperation.of(bare[0], bare[1], kind, node["isAll"])
        full = n.SetOperation.of(left.operation, right.operation, kind, node["isAll"])
        if made.schema.fields != full.schema.fields:
            made = full
        return Captured(made, ids_of(node.output))

    return capture


HANDLERS: dict[str, Handler] = {
    "AsOfJoin": _as_of,
    "NearestByJoin": _nearest_by,
    "Join": _join,
    "LateralJoin": _lateral,
    "Union": _union,
    "Intersect": _set(n.SetKind.INTERSECT),
    "Except": _set(n.SetKind.EXCEPT),
}
