"""ROLLUP, CUBE and GROUPING SETS, which the analyzer writes as an aggregate of repeated rows."""

from __future__ import annotations

from itertools import combinations

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate_select
from viewscribe.spark.capture.classic.columns import NOBODY, Captured
from viewscribe.spark.capture.classic.expressions.reader import Expressions, made_call
from viewscribe.spark.capture.classic.operators.columns import free_name, name_item, pick
from viewscribe.spark.capture.classic.operators.expands import sources_of
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Fold, ids_of

_ID = "spark_grouping_id"
Sets = tuple[tuple[int, ...], ...]


def grouping_sets(node: PlanNode) -> Fold | None:
    """``Aggregate`` over an ``Expand`` whose last column numbers the grouping sets."""
    expand: PlanNode = node["child"]
    grouping: list[PlanNode] = node["groupingExpressions"]
    if expand.kind != "Expand" or not any(_is_id(each) for each in grouping):
        return None
    copies: PlanNode = expand["child"]

    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        return _capture_sets(run, node, inputs[0])

    return Fold([copies["child"]], capture)


def _is_id(node: PlanNode) -> bool:
    return node.kind == "AttributeReference" and bool(node["name"] == _ID)


def _capture_sets(run: CaptureRun, node: PlanNode, child: Captured) -> Captured:
    expand: PlanNode = node["child"]
    grouping: list[PlanNode] = node["groupingExpressions"]
    # Behind the number of the set stands the place of it, where a set is there twice.
    numbered = next(place for place, each in enumerate(grouping) if _is_id(each))
    reader = run.expressions(child)
    made_of = {each.id: each for each in expand["child"]["projectList"]}
    places = {each.id: place for place, each in enumerate(expand["output"])}
    for copied_id, source in sources_of(expand).items():
        column = child.reference(source)
        if column is not None:
            reader.given[copied_id] = column
    keys: list[ResolvedExpression] = []
    for key in grouping[:numbered]:
        place = places[key.id]
        # A key of no set is NULL in every copy; its place is the same as in the input.
        copied = [row[place] for row in expand["projections"] if row[place].kind != "Literal"]
        made = made_of[copied[0].id] if copied else expand["child"]["projectList"][place]
        read = name_item(reader, made)
        keys.append(read)
        reader.given[key.id] = strip_alias(read)
    sets: Sets = tuple(
        tuple(
            place
            for place, key in enumerate(grouping[:numbered])
            if row[places[key.id]].kind != "Literal"
        )
        for row in expand["projections"]
    )
    if not keys and len(sets) == 1:
        return _total_of_some(node, child, reader, grouping[numbered])
    id_ = built_in("grouping_id")
    reader.given[grouping[numbered].id] = AggregateCall(id_, (), id_.infer(()))
    reader.grouping = tuple(map(strip_alias, keys))
    items = [name_item(reader, each) for each in node["aggregateExpressions"]]
    kind, listed = _kind(sets, len(keys))
    found = aggregate_select(
        child.operation, GroupingKeys(_named_keys(keys, items), kind, listed), items
    )
    return Captured(found, [each.id for each in node["aggregateExpressions"]])


def _total_of_some(node: PlanNode, child: Captured, reader: Expressions, id_: PlanNode) -> Captured:
    """GROUPING SETS (()) as groups: a total, but no row where there is none to add up.

    So Spark reads it before 4.2, and later where a setting asks for it.
    """
    reader.given[id_.id] = Literal(0, id_["dataType"])
    items = [name_item(reader, each) for each in node["aggregateExpressions"]]
    every, count_rows = literal(1), built_in("count")
    counted = AggregateCall(count_rows, (every,), count_rows.infer((every,)))
    name = free_name("rows", [n.output_name(each) for each in items])
    total = aggregate_select(child.operation, GroupingKeys([]), [*items, alias(counted, name)])
    *shown, count = total.schema.references
    some = made_call(op.GREATER, (count, literal(0)), node)
    found = Captured(n.Filter.of(total, some), [*ids_of(node["aggregateExpressions"]), NOBODY])
    return pick(found, shown, ids_of(node["aggregateExpressions"]))


def _named_keys(
    keys: list[ResolvedExpression], items: list[ResolvedExpression]
) -> list[ResolvedExpression]:
    """The keys under the names that they have in the output, where they are there."""
    outputs = {strip_alias(item): item for item in items if isinstance(item, Alias)}
    return [outputs.get(strip_alias(key), key) for key in keys]


def _kind(sets: Sets, count: int) -> tuple[n.Grouping, Sets]:
    if sets == tuple(tuple(range(length)) for length in range(count, -1, -1)):
        return n.Grouping.ROLLUP, ()
    every = {subset for length in range(count + 1) for subset in combinations(range(count), length)}
    if len(sets) == len(every) and set(sets) == every:
        return n.Grouping.CUBE, ()
    return n.Grouping.SETS, sets
