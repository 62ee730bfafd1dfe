"""Joins with the nearest rows: as-of joins and nearest-by joins."""

from __future__ import annotations

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.nodes import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.build.nearest import nearest_join
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.errors import refusal
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Handler

_KINDS = {"Inner": n.JoinKind.INNER, "LeftOuter": n.JoinKind.LEFT}


def _as_of(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """The analyzer has made a condition and a distance of the direction and the tolerance."""
    left, right = inputs
    if node.get("matchOperator") is not None and _is_composed(node):
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
    made = nearest_join(left.operation, right.operation, _kind(node), condition, distance)
    return Captured(made, (*left.ids, *right.ids))


def _is_composed(node: PlanNode) -> bool:
    """Whether what is compared is not one value a side: its order is that of sort keys."""
    return any(len(node[name]) != 1 for name in ("leftSortExprs", "rightSortExprs"))


def _nearest_by(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    left, right = inputs
    figure = run.expressions(left, right).read(node["rankingExpression"])
    made = nearest_join(
        left.operation,
        right.operation,
        _kind(node),
        None,
        figure,
        descending=node["direction"].name == "NearestBySimilarity",
        count=int(node["numResults"]),
        forgetful=True,
    )
    return Captured(made, (*left.ids, *right.ids))


def _kind(node: PlanNode) -> n.JoinKind:
    return _KINDS[node["joinType"].name]


HANDLERS: dict[str, Handler] = {"AsOfJoin": _as_of, "NearestByJoin": _nearest_by}
