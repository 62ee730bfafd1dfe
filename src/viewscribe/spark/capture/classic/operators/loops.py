"""Recursive queries: ``WITH RECURSIVE``.

The analyzer writes one as a ``UnionLoop`` of two queries, the rows to begin with and those that
follow from others; the latter reads a ``UnionLoopRef``, which stands for what the round before
found. Both queries are captured, under the name that the query was written with where it is seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import alias
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.operators.columns import free_name, project
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler, ids_of


def _loop(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    output: list[PlanNode] = node.output
    written, names = _find_names(_reference(node["recursion"], node["id"]), output)
    name = free_name(written or "found", run.names_of_ctes())
    anchor = run.query(node["anchor"], ()).operation
    if anchor.schema.names != tuple(names):
        anchor = _rename(anchor, names)
    before = run.loops
    round_ = n.CteReference.of(name, n.recursive_fields(anchor.schema))
    run.loops = {**before, node["id"]: round_}
    try:
        step = run.query(node["recursion"], ()).operation
    finally:
        run.loops = before
    made: QueryOperation = n.Recursion.of(anchor, step, name, node.get("maxDepth"))
    wanted = [each["name"] for each in output]
    return Captured(made if names == wanted else _rename(made, wanted), ids_of(output))


def _rename(operation: QueryOperation, names: Sequence[str]) -> QueryOperation:
    columns = zip(operation.schema.references, names, strict=True)
    return project(operation, [alias(column, name) for column, name in columns])


def _round(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """What the round before found, by the name of the recursive query."""
    if node.get("accumulated"):
        raise refusal(
            node,
            "a recursive query that reads all rounds before has no form here",
            hint="write it as SQL text, which stays as it is: env.sql_query(…)",
        )
    found = run.loops.get(node["loopId"])
    if found is None:
        raise refusal(node, "a recursive query is read outside of itself")
    if found is not [*run.loops.values()][-1]:
        raise refusal(node, f"`{found.name}` is read within a recursive query of its own step")
    return Captured(found, ids_of(node.output))


def _reference(root: PlanNode, id_: int) -> list[PlanNode]:
    """The operators from the topmost one to the loop's own, nearest last."""
    stack: list[tuple[PlanNode, list[PlanNode]]] = [(root, [])]
    while stack:
        node, above = stack.pop()
        if node.kind == "UnionLoopRef" and node["loopId"] == id_:
            return above
        stack.extend((each, [*above[-1:], node]) for each in inputs_of(node))
    return []


def _find_names(above: list[PlanNode], output: list[PlanNode]) -> tuple[str, list[str]]:
    """The name of the query, and those of its columns, as they were written where that is seen."""
    names = [each["name"] for each in output]
    above = list(above)
    if above and above[-1].kind == "Project":
        listed = above.pop()["projectList"]
        if len(listed) == len(names):
            names = [each["name"] for each in listed]
    written = ""
    if above and above[-1].kind == "SubqueryAlias":
        written = above[-1]["identifier"]["name"]
    if len({name.lower() for name in names}) < len(names):
        names = [f"c{place}" for place in range(1, len(names) + 1)]
    return written, names


HANDLERS: dict[str, Handler] = {"UnionLoop": _loop, "UnionLoopRef": _round}
