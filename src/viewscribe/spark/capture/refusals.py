"""What a capture cannot take over: which node, which Python line, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import CaptureError, ViewscribeError


class RefusedPlanError(CaptureError):
    """Everything in a plan that cannot be captured, all at once: ``refusals`` has each."""

    refusals: tuple[CaptureError, ...] = ()


def refusal(
    node: str,
    reason: str,
    *,
    hint: str | None = None,
    origin: object = None,
    code: str | None = None,
) -> CaptureError:
    """The error for a node of a plan.

    Args:
        node: the node's name in Spark's plan.
        reason: one sentence of why there is no view of it.
        hint: the way out.
        origin: the node's or expression's ``common.origin``, which may know the Python line.
        code: stable identifier for machines.
    """
    return CaptureError(reason, code=code, location=locate(node, origin), hint=hint)


def locate(node: str, origin: object = None) -> str:
    """The node, and the Python line that made it where that is known."""
    line = python_line(origin)
    return f"{node}, at {line}" if line else node


def python_line(origin: Any) -> str | None:
    """``file:line`` of the call that made a node, where PySpark noted it."""
    if origin is None or not origin.HasField("python_origin"):
        return None
    site: str = origin.python_origin.call_site
    return site.replace('"', "").strip() or None


def refusal_because(node: str, error: ViewscribeError, origin: object = None) -> CaptureError:
    """The error of building an operation, as one of the plan's node."""
    if isinstance(error, CaptureError):
        return error
    where = locate(node, origin)
    location = f"{where}: {error.location}" if error.location else where
    return CaptureError(error.message, code=error.code, location=location, hint=error.hint)


def all_refused(refusals: Sequence[CaptureError]) -> CaptureError:
    """One error for all of them; the only one stays as it is."""
    if len(refusals) == 1:
        return refusals[0]
    lines = [str(each).replace("\n", "\n  ") for each in refusals]
    listed = "\n".join(f"- {line}" for line in lines)
    error = RefusedPlanError(
        f"{len(refusals)} parts of the DataFrame cannot be captured:\n{listed}"
    )
    error.refusals = tuple(refusals)
    return error
