"""Where rows stand: the parts of a plan of which something reads the order or the partitions.

There the operators are taken as they are written: another order of the inputs of a join, of its
conditions or of the keys of groups, or a hint, puts the rows elsewhere.
"""

from __future__ import annotations

from viewscribe.spark.proof.nodes import Node, Plan

_CUTS = ("GlobalLimit", "LocalLimit", "Offset", "Tail")
_PLACELESS = {
    *("Leaf", "Project", "Filter", "Sort", "Aggregate", "Distinct", "Window", "Generate"),
    *("Expand", "SubqueryAlias", "View", "ResolvedHint", "Join", "Union", "CTERelationDef"),
    *("CTERelationRef", "WithCTE", "UnionLoop", "UnionLoopRef", "Pivot", "Intersect", "Except"),
    *("LateralJoin", "Unpivot"),
    *("Repartition", "RepartitionByExpression", "RebalancePartitions"),
}
"""Operators that give the same rows wherever those of their inputs stand, if they draw nothing."""


def placed_parts(plan: Plan) -> frozenset[int]:
    """The places of all that is below what draws, numbers, samples, or takes the first rows.

    Rows that come in an order that somebody gave stand where it says; of those that are alike in it
    any may be the first, in one query that is run twice as well.
    """
    found: set[int] = set()
    pending = [
        each
        for node in plan.nodes
        if node.columns is not None and _reads_places(plan, node)
        for each in node.references()
    ]
    while pending:
        place = pending.pop()
        if place not in found:
            found.add(place)
            pending += plan.nodes[place].references()
    defined = {
        plan.nodes[place].args[0] for place in found if plan.nodes[place].kind == "CTERelationRef"
    }
    return frozenset(found) if not defined else frozenset(range(len(plan.nodes)))


def _reads_places(plan: Plan, node: Node) -> bool:
    if node.kind in _CUTS:
        return not _is_sorted(plan, node)
    if node.kind not in _PLACELESS:
        return True
    return any(plan.nodes[each].by_chance for each in node.references())


def _is_sorted(plan: Plan, node: Node) -> bool:
    while node.kind in (*_CUTS, "Project", "SubqueryAlias"):
        node = plan.nodes[node.ref("child")]
    return node.kind == "Sort" and bool(node.argument("global") == "true")
