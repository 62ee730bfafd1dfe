"""What ``explain`` says: how each call is made and why, and the tree that is run."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.expressions.functions.asynchronous.options import AsyncSettings
from viewscribe.expressions.functions.asynchronous.running_function import (
    Manner,
    RunningFunction,
    is_async_call,
)
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.asynchronous.places import Fate, Placed
from viewscribe.operations.rewrites.asynchronous.schedule import Schedule, author_of
from viewscribe.operations.summary import summarize, summary_line

_MOST = 100

Manners = Mapping[FunctionIdentifier, set[Manner]]


def explain(plan: Schedule, settings: AsyncSettings) -> str:
    """The calls with what becomes of them, then the tree that is run."""
    lines: list[str] = []
    manners = _manners(plan.operation)
    for each in plan.calls:
        lines += _of_call(each, settings, manners)
    if plan.refused:
        return "\n".join(lines)
    return "\n".join([*lines, *([""] if lines else []), summarize(plan.operation)])


def _of_call(each: Placed, settings: AsyncSettings, manners: Manners) -> list[str]:
    identifier = author_of(each.call).identifier
    lines = [
        f"{_cut(each.call.as_summary_string())} in {_cut(summary_line(each.operation))}",
        f"  {each.fate.value}: {each.why}",
    ]
    if each.hint is not None:
        lines.append(f"  {each.hint}")
    if each.needed is not None:
        lines.append(f"  only where {_cut(each.needed.as_summary_string())}")
    if each.fate is Fate.HOISTED:
        order = _order(manners.get(identifier, set()))
        lines.append(f"  {settings.of(identifier)}; results {order}")
    elif each.fate is Fate.IN_PLACE:
        lines.append("  one call after the other, perhaps more than one a row")
    return lines


def _manners(root: QueryOperation) -> dict[FunctionIdentifier, set[Manner]]:
    """In which ways each function is called in the tree that is run."""
    found: dict[FunctionIdentifier, set[Manner]] = {}
    for node in preorder(root):
        if is_async_call(node) and isinstance(node.function, RunningFunction):
            function = node.function
            found.setdefault(function.author.identifier, set()).add(function.manner)
    return found


def _order(manners: set[Manner]) -> str:
    if Manner.UNORDERED not in manners:
        return "in the order of the rows"
    if Manner.ORDERED not in manners:
        return "as they are ready"
    return "as they are ready where the rows have no order, else in that"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[:_MOST] + "…"
