"""Pivots, which the analyzer writes as two aggregates and a projection."""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.errors import refusal
from viewscribe.spark.capture.classic.expressions.literals import captured_literal
from viewscribe.spark.capture.classic.operators.columns import free_name, name_item, pick
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Fold


def pivot(node: PlanNode) -> Fold | None:
    """``Project`` of the values of ``PivotFirst``, which takes a value of each group apart."""
    upper: PlanNode = node["child"]
    if upper.kind != "Aggregate" or upper["child"].kind != "Aggregate":
        return None
    firsts = {
        each.id: first
        for each in upper["aggregateExpressions"]
        if (first := _first(each)) is not None
    }
    if not firsts:
        return None
    lower: PlanNode = upper["child"]

    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        return _capture_pivot(run, node, firsts, inputs[0])

    return Fold([lower["child"]], capture)


def _first(node: PlanNode) -> PlanNode | None:
    call = node["child"] if node.kind == "Alias" else node
    if call.kind != "AggregateExpression" or call["aggregateFunction"].kind != "PivotFirst":
        return None
    found: PlanNode = call["aggregateFunction"]
    return found


def _capture_pivot(
    run: CaptureRun, node: PlanNode, firsts: dict[int, PlanNode], child: Captured
) -> Captured:
    lower: PlanNode = node["child"]["child"]
    listed: list[PlanNode] = lower["aggregateExpressions"]
    values_of = {first["valueColumn"].id: id_ for id_, first in firsts.items()}
    aggregates = [each for each in listed if each.id in values_of]
    *keys, column = (each for each in listed if each.id not in values_of)
    below = _with_columns(run, child, [*keys, column])
    reader = run.expressions(child)
    calls = [name_item(reader, each) for each in aggregates]
    literals = [
        captured_literal(value, next(iter(firsts.values()))["pivotColumn"]["dataType"])
        for value in next(iter(firsts.values()))["pivotColumnValues"]
    ]
    if not literals:
        return _without_values(node, below, keys)
    names = [f"v{place}" for place in range(1, len(literals) + 1)]
    short = [f"a{place}" for place in range(1, len(calls) + 1)]
    wanted = _choose_names(node, [values_of[each.id] for each in aggregates], len(literals))
    names, short = _names(wanted, len(calls)) or (names, short)
    schema = below.operation.schema
    made = n.Pivot.of(
        below.operation,
        tuple(schema.reference(below.places[each.id]) for each in keys),
        schema.reference(below.places[column.id]),
        tuple(literals),
        tuple(names),
        tuple(alias(_countable(call), name) for call, name in zip(calls, short, strict=True)),
    )
    return _pick(node, made, keys, [values_of[each.id] for each in aggregates], len(literals))


def _without_values(node: PlanNode, below: Captured, keys: list[PlanNode]) -> Captured:
    """A pivot over a column that held no value when Spark looked: its groups are all there is.

    Raises:
        CaptureError: not even groups are there.
    """
    if not keys:
        raise refusal(
            node,
            "the pivot has neither groups nor values, and so no columns",
            hint='name the values: .pivot("column", ["a", "b"])',
        )
    schema = below.operation.schema
    groups = tuple(schema.reference(below.places[each.id]) for each in keys)
    return _pick(node, n.Aggregate.of(below.operation, groups, ()), keys, [], 0)


def _countable(call: ResolvedExpression) -> ResolvedExpression:
    """The aggregate; PIVOT takes no ``count(*)``, but ``count(1)``, which is the same."""
    bare = strip_alias(call)
    if isinstance(bare, AggregateCall) and bare.args == (STAR,):
        return bare.copy_with({"args": (literal(1),)})
    return bare


def _with_columns(run: CaptureRun, child: Captured, nodes: list[PlanNode]) -> Captured:
    """The input with what the keys compute as columns: a pivot groups by columns."""
    computed = [each for each in nodes if each.id not in child.places]
    if not computed:
        return child
    reader = run.expressions(child)
    taken = list(child.operation.schema.names)
    items: list[ResolvedExpression] = [*child.operation.schema.references]
    for each in computed:
        name = free_name(each["name"].strip("_") or "key", taken)
        taken.append(name)
        items.append(alias(strip_alias(name_item(reader, each)), name))
    made: QueryOperation = n.Project.of(child.operation, tuple(items))
    return Captured(made, (*child.ids, *[each.id for each in computed]))


def _item(node: PlanNode) -> tuple[int, int] | None:
    """Which ``PivotFirst`` an item is of, and which value."""
    item = node["child"] if node.kind == "Alias" else node
    if item.kind != "GetArrayItem" or item["child"].kind != "AttributeReference":
        return None
    return item["child"].id, int(item["ordinal"]["value"])


def _choose_names(node: PlanNode, ids: list[int], values: int) -> dict[tuple[int, int], str]:
    """The names that the columns shall have, by aggregate and value."""
    found = {}
    for each in node["projectList"]:
        item = _item(each)
        if item is not None and item[0] in ids:
            found[ids.index(item[0]), item[1]] = each["name"]
    return found


def _names(wanted: dict[tuple[int, int], str], count: int) -> tuple[list[str], list[str]] | None:
    """Names of the values and aggregates of which the names of the columns are made, if any."""
    values = sorted({value for _, value in wanted})
    if values != list(range(len(values))) or len(wanted) != count * len(values):
        return None
    if count == 1:
        return [wanted[0, value] for value in values], ["value"]
    first = wanted[0, 0]
    for cut in range(1, len(first)):
        if first[cut] != "_":
            continue
        prefix = first[: cut + 1]
        if not all(wanted[place, 0].startswith(prefix) for place in range(count)):
            continue
        short = [wanted[place, 0][len(prefix) :] for place in range(count)]
        names = [wanted[0, value].removesuffix(f"_{short[0]}") for value in values]
        made = {
            (place, value): f"{names[value]}_{short[place]}"
            for place in range(count)
            for value in values
        }
        if made == wanted and len(set(short)) == count and all(short):
            return names, short
    return None


def _pick(
    node: PlanNode, made: QueryOperation, keys: list[PlanNode], ids: list[int], values: int
) -> Captured:
    """The projection over the pivot, which is none where the names came out as they shall."""
    schema = made.schema
    places: dict[Any, int] = {each.id: place for place, each in enumerate(keys)}
    for value in range(values):
        for place, id_ in enumerate(ids):
            places[id_, value] = len(keys) + value * len(ids) + place
    items: list[ResolvedExpression] = []
    for each in node["projectList"]:
        item = each["child"] if each.kind == "Alias" else each
        found = places.get(_item(each) or item.extra.get("id"))
        if found is None:
            raise refusal(node, "the values of this pivot are used in a way that is not known here")
        items.append(
            alias(FieldReference(found, schema.names[found], schema[found].type), each["name"])
        )
    # Nothing refers to the pivot's own columns but these items.
    return pick(
        Captured(made, [-2] * len(schema)), items, [each.id for each in node["projectList"]]
    )
