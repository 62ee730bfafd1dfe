"""The errors of this way: they name the node of the plan, the Python line, and the way out."""

from __future__ import annotations

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic.plan import PlanNode


def refusal(node: PlanNode, reason: str, *, hint: str | None = None) -> CaptureError:
    """The error for a node that cannot become a part of a view."""
    return CaptureError(reason, location=locate(node), hint=hint)


def locate(node: PlanNode) -> str:
    """The node, and the Python line that made it where that is known."""
    return f"{node.kind}, at {node.line}" if node.line else node.kind
