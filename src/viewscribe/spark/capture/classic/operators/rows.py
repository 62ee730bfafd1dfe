"""What keeps, orders or counts rows."""

from __future__ import annotations

import re

from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import ResolvedExpression, SortOrder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.literals import count_of_rows
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.expressions.basics import sort_order
from viewscribe.spark.capture.classic.operators.sources import SESSION
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler
from viewscribe.spark.capture.lowering.duplicates import one_row_of_each
from viewscribe.spark.capture.lowering.partitions import partition
from viewscribe.spark.capture.lowering.samples import sample
from viewscribe.types.identifiers import quote_name


def _filter(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    if _drops_nulls(node, child):
        return Captured(child.operation.copy_with({"include_nulls": False}), child.ids)
    condition = run.expressions(child).read(node["condition"])
    return Captured(n.Filter.of(child.operation, condition), child.ids)


def _drops_nulls(node: PlanNode, child: Captured) -> bool:
    """Whether the filter is what UNPIVOT does with NULLs: its last column is not NULL."""
    condition = node["condition"]
    if not isinstance(child.operation, n.Unpivot) or condition.kind != "IsNotNull":
        return False
    value = condition["child"]
    return (
        value.kind == "Coalesce"
        and len(value["children"]) == 1
        and value["children"][0].extra.get("id") == child.ids[-1]
    )


def _sort(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    reader = run.expressions(child)
    keys = tuple(sort_order(reader, each) for each in node["order"])
    return Captured(n.Sort.of(child.operation, keys, not node["global"]), child.ids)


def _distinct(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    return Captured(n.Distinct.of(child.operation), child.ids)


def _deduplicate(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """``dropDuplicates``: of columns that are not compared, one row's values are taken."""
    (child,) = inputs
    places = {child.places[key.id] for key in node["keys"]}
    if not places:  # all rows are one: distinct() of a DataFrame without columns
        return Captured(n.Limit.of(child.operation, 1), child.ids)
    return Captured(one_row_of_each(child.operation, sorted(places)), child.ids)


def _limit(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    count = _count(run, node, "limitExpr", child)
    return Captured(n.Limit.of(child.operation, count), child.ids)


def _offset(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    count = _count(run, node, "offsetExpr", child)
    return Captured(n.Offset.of(child.operation, count), child.ids)


def _count(run: CaptureRun, node: PlanNode, name: str, child: Captured) -> int:
    found = count_of_rows(run.expressions(child).read(node[name]))
    if found is None:
        raise refusal(node, "the number of rows is computed", hint="use a number")
    return found


def _sample(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    if node["withReplacement"]:
        raise refusal(
            node,
            "a sample that takes rows several times has no form in SQL",
            hint="sample without replacement",
        )
    lower, upper, seed = node["lowerBound"], node["upperBound"], node["seed"]
    drawn = None if seed is None else int(seed)
    made = sample(child.operation, float(lower), float(upper), drawn)
    return Captured(made, child.ids)


_MADE_UP = re.compile(r"__auto_generated_subquery_name|_pyspark_[0-9a-f]{32}$")
"""Names that Spark gives a sub-query, and PySpark a DataFrame in a text: another one each time."""


def _alias(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """A name that the user gave; tables and sub-queries have theirs anyway."""
    (child,) = inputs
    identifier = node["identifier"]
    name, operation = identifier["name"], child.operation
    path = (*(identifier["qualifier"] or ()), name)
    if len(path) == _WITH_CATALOG and not _reads(operation, path):
        # The view of a catalog that is not Spark's own: nothing but the name tells of it.
        return Captured(n.CatalogSource.of(path, operation.schema.fields), child.ids)
    is_own = isinstance(operation, n.CatalogSource) and operation.path[-1] == name
    if is_own or len(path) > 1 or _MADE_UP.match(name):
        return child
    if isinstance(operation, n.SubqueryAlias):
        below = operation.child
        # Of a query both names stay: the inner one may be that of a CTE.
        if operation.name == name or not below.input_fields:
            operation = below
    return Captured(n.SubqueryAlias.of(operation, name), child.ids)


_WITH_CATALOG = 3


def _reads(operation: QueryOperation, path: tuple[str, ...]) -> bool:
    """Whether it is the table of that path, as it is or behind what pads its columns."""
    if path[0].lower() == SESSION:
        return True
    name = quote_name(path).lower()
    for each in preorder(operation):
        if isinstance(each, n.CatalogSource) and quote_name(each.path).lower() == name:
            return True
        if isinstance(each, n.SqlText) and f"{name} " in f"{each.text.lower()} ":
            return True  # as it was, or with options
    return False


def _pass_through(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    return inputs[0]


# -- hints -----------------------------------------------------------------------------------------


def _repartition(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    name = "REPARTITION" if node["shuffle"] else "COALESCE"
    return _read_hint(inputs[0], name, (literal(node["numPartitions"]),))


def _repartition_by(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    reader = run.expressions(child)
    keys = [
        sort_order(reader, each) if each.kind == "SortOrder" else reader.read(each)
        for each in node["partitionExpressions"]
    ]
    by_range = any(isinstance(key, SortOrder) for key in keys)
    bare = [key.child if isinstance(key, SortOrder) else key for key in keys]
    plain = all(
        not isinstance(key, SortOrder) or (not key.descending and key.nulls_first) for key in keys
    )
    if not plain:
        raise refusal(
            node,
            "SQL ranges partitions in ascending order only",
            hint="leave it out: it changes no row",
        )
    number = node.get("optNumPartitions")
    count = () if number is None else (literal(number),)
    name = "REPARTITION_BY_RANGE" if by_range else "REPARTITION"
    return Captured(partition(child.operation, name, count, bare), child.ids)


def _rebalance(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    keys = run.expressions(child).read_all(node["partitionExpressions"])
    number = node.get("optNumPartitions")
    count = () if number is None else (literal(number),)
    return _read_hint(child, "REBALANCE", (*count, *keys))


_STRATEGIES = {
    "BROADCAST": "BROADCAST",
    "SHUFFLE_MERGE": "MERGE",
    "SHUFFLE_HASH": "SHUFFLE_HASH",
    "SHUFFLE_REPLICATE_NL": "SHUFFLE_REPLICATE_NL",
}


def hint_join(child: Captured, hint: object) -> Captured:
    """The input with the strategy of a join hint; ``hint`` is Spark's, or None."""
    strategy = getattr(hint, "fields", {}).get("strategy")
    if strategy is None:
        return child
    name = _STRATEGIES.get(strategy.name)
    return child if name is None else _read_hint(child, name, ())


def _join_hint(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    return hint_join(inputs[0], node["hints"])


def _read_hint(child: Captured, name: str, parameters: tuple[ResolvedExpression, ...]) -> Captured:
    return Captured(n.Hint.of(child.operation, name, parameters), child.ids)


HANDLERS: dict[str, Handler] = {
    "Filter": _filter,
    "Sort": _sort,
    "Distinct": _distinct,
    "Deduplicate": _deduplicate,
    "GlobalLimit": _limit,
    "LimitAll": _pass_through,
    "Offset": _offset,
    "Sample": _sample,
    "SubqueryAlias": _alias,
    "EventTimeWatermark": _pass_through,
    "CollectMetrics": _pass_through,
    "PipeOperator": _pass_through,
    "SQLFunctionNode": _pass_through,
    "Repartition": _repartition,
    "RepartitionByExpression": _repartition_by,
    "RebalancePartitions": _rebalance,
    "ResolvedHint": _join_hint,
}
