"""Several operators of the analyzer's that stand for one that a user wrote."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.spark.capture.classic.operators.grouping_sets import grouping_sets
from viewscribe.spark.capture.classic.operators.pivots import pivot
from viewscribe.spark.capture.classic.operators.time_windows import session, sliding, tumbling
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import Fold

FOLDS: dict[str, tuple[Callable[[PlanNode], Fold | None], ...]] = {
    "Aggregate": (grouping_sets,),
    "Project": (pivot, tumbling),
    "Filter": (sliding, session),
}
"""By the topmost operator: what recognizes them."""


def fold_of(node: PlanNode) -> Fold | None:
    """How the operators from this one downwards are captured as one, where they are one."""
    for recognize in FOLDS.get(node.kind, ()):
        found = recognize(node)
        if found is not None:
            return found
    return None
