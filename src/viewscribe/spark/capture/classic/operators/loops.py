"""Recursive queries, which become the SQL text that says them: ``WITH RECURSIVE``.

The analyzer writes one as a ``UnionLoop`` of two queries, the rows to begin with and those that
follow from others; the latter reads a ``UnionLoopRef``, which stands for what the round before
found. Both queries are captured, and printed around a name of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import alias
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.called import user_functions
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic.capture import Capture, Handler, ids_of
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.errors import refused
from viewscribe.spark.capture.classic.operators.columns import free_name, projected
from viewscribe.spark.capture.classic.operators.sources import fields_of
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_identifier

_IN_PARENTHESES = (n.Sort, n.Limit, n.Offset, n.SetOperation, n.SqlText)
"""A query with one of these may end in clauses that would be those of the whole union."""


def _loop(run: Capture, node: PlanNode, inputs: list[Captured]) -> Captured:
    output: list[PlanNode] = node.output
    found = _reference(node["recursion"], node["id"])
    written, names = _written(found, output)
    first = run.query(node["anchor"], ()).operation
    name, next_ = _named(run, node, written, names, first)
    level = node.get("maxDepth")
    limited = "" if level is None else f" MAX RECURSION LEVEL {level}"
    columns = ", ".join(map(quote_identifier, names))
    text = (
        f"WITH RECURSIVE {quote_identifier(name)}({columns}){limited} AS (\n"
        f"{_part(run, first)}\n  UNION ALL\n{_part(run, next_)}\n)\n"
        f"SELECT {columns} FROM {quote_identifier(name)}"
    )
    fields = _renamed(fields_of(output), names)
    read = dict.fromkeys([path for each in (first, next_) for path in _tables(each)])
    called = dict.fromkeys([f for each in (first, next_) for f in user_functions(each)])
    made: QueryOperation = n.SqlText.of(
        text, fields, tuple(path for path in read if len(path) > 1), tuple(called)
    )
    if [field.name for field in fields] != [each["name"] for each in output]:
        references = zip(made.schema.references, output, strict=True)
        made = projected(made, [alias(column, each["name"]) for column, each in references])
    return Captured(made, ids_of(output))


def _named(
    run: Capture, node: PlanNode, wanted: str, names: Sequence[str], first: QueryOperation
) -> tuple[str, QueryOperation]:
    """A name for the query that no step of the two queries takes for itself, and the second."""
    before: dict[int, tuple[str, tuple[str, ...]]] = run.loops
    taken: list[str] = []
    while True:
        name = free_name(wanted or "found", taken)
        run.loops = {**before, node["id"]: (name, tuple(names))}
        try:
            found = run.query(node["recursion"], ()).operation
        finally:
            run.loops = before
        step = f"{quote_identifier(name)} AS (\n"
        if step not in to_sql(found, target=run.target) + to_sql(first, target=run.target):
            return name, found
        taken.append(name)


def _round(run: Capture, node: PlanNode, inputs: list[Captured]) -> Captured:
    """What the round before found, by the name of the recursive query."""
    if node.get("accumulated"):
        raise refused(
            node,
            "a recursive query that reads all rounds before has no form here",
            hint="write it as SQL text, which stays as it is: env.sql_query(…)",
        )
    found = run.loops.get(node["loopId"])
    if found is None:
        raise refused(node, "a recursive query is read outside of itself")
    name, names = found
    fields = _renamed(fields_of(node.output), names)
    return Captured(n.CatalogSource.of((name,), fields), ids_of(node.output))


def _renamed(fields: Sequence[Field], names: Sequence[str]) -> tuple[Field, ...]:
    return tuple(Field(name, field.type) for name, field in zip(names, fields, strict=True))


def _reference(root: PlanNode, id_: int) -> list[PlanNode]:
    """The operators from the topmost one to the loop's own, nearest last."""
    stack: list[tuple[PlanNode, list[PlanNode]]] = [(root, [])]
    while stack:
        node, above = stack.pop()
        if node.kind == "UnionLoopRef" and node["loopId"] == id_:
            return above
        stack.extend((each, [*above[-1:], node]) for each in inputs_of(node))
    return []


def _written(above: list[PlanNode], output: list[PlanNode]) -> tuple[str, list[str]]:
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


def _part(run: Capture, operation: QueryOperation) -> str:
    text = to_sql(operation, target=run.target).rstrip("\n")
    ends = any(isinstance(node, _IN_PARENTHESES) for node in preorder(operation))
    return (
        f"  (\n{_indented(text, 4)}\n  )" if ends or text.startswith("WITH ") else _indented(text)
    )


def _indented(text: str, blanks: int = 2) -> str:
    """The text moved to the right, unless a line break may be one of a literal."""
    lines = text.split("\n")
    broken = any(line.count(quote) % 2 for line in lines for quote in "'`\"")
    return text if broken or "\\" in text else "\n".join(" " * blanks + line for line in lines)


def _tables(operation: QueryOperation) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for node in preorder(operation):
        if isinstance(node, n.CatalogSource):
            found.append(node.path)
        elif isinstance(node, n.SqlText):
            found += node.dependencies
    return found


HANDLERS: dict[str, Handler] = {"UnionLoop": _loop, "UnionLoopRef": _round}
