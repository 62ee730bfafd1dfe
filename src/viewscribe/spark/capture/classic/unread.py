"""Columns of Python functions that a later step drops: Spark does not compute them either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from viewscribe.spark.capture.classic.plan import PlanNode, ids_in, inputs_of, is_operator, nodes_in

_FUNCTION = "PythonUDF"
_HANDED_ON = frozenset(
    [
        "Filter",
        "GlobalLimit",
        "Join",
        "Offset",
        "Repartition",
        "ResolvedHint",
        "Sort",
        "SubqueryAlias",
        "Window",
    ]
)
"""Operators that give the columns of what they read, and look at those that they name."""


def leave_out_unread(root: PlanNode) -> PlanNode:
    """The plan, changed in place, without columns of Python functions that nothing reads.

    None as what is wanted of an operator stands for all of its columns.
    """
    operators = [*_operators(root)]
    if not any(_holds_function(each) for each in operators):
        return root
    readers = Counter(id(child) for each in operators for child in inputs_of(each))
    made = _made_by_functions(operators)
    pending: list[tuple[PlanNode, frozenset[int] | None]] = [(root, None)]
    while pending:
        node, wanted = pending.pop()
        if node.kind == "Project" and wanted is not None:
            _leave_out(node, made - wanted)
        for child in inputs_of(node):
            alone = readers[id(child)] == 1
            pending.append((child, _wanted_below(node, wanted) if alone else None))
    return root


def _wanted_below(node: PlanNode, wanted: frozenset[int] | None) -> frozenset[int] | None:
    if node.kind in ("Project", "Aggregate"):
        return _read(node)
    if node.kind not in _HANDED_ON or wanted is None:
        return None
    return wanted | _read(node)


def _leave_out(project: PlanNode, unread: frozenset[int]) -> None:
    kept = [each for each in project["projectList"] if each.extra.get("id") not in unread]
    if kept:
        project.args["projectList"] = kept
        if "output" in project.extra:
            project.extra["output"] = [each for each in project.output if each.id not in unread]


def _made_by_functions(operators: Iterable[PlanNode]) -> frozenset[int]:
    """The ids of the columns that depend on a Python function, from the inputs on."""
    found: set[int] = set()
    for operator in reversed([*operators]):
        for item in operator.get("projectList") or ():
            if _holds_function(item) or ids_in([item]) & found:
                found.add(item.id)
    return frozenset(found)


def _read(node: PlanNode) -> frozenset[int]:
    """The ids of the columns that an operator's own expressions name."""
    return frozenset(ids_in(_own(node)))


def _holds_function(node: PlanNode) -> bool:
    nodes = [node] if not is_operator(node) else _own(node)
    return any(each.kind == _FUNCTION for each in nodes_in(*nodes))


def _own(operator: PlanNode) -> list[PlanNode]:
    return [each for each in operator.expressions() if not is_operator(each)]


def _operators(root: PlanNode) -> Iterator[PlanNode]:
    """The operators of a plan, each before those that it reads."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            pending += inputs_of(node)
