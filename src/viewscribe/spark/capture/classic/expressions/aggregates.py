"""Aggregate and window functions with their clauses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import TRUE, literal
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    STAR,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    AggregateCall,
    Frame,
    FrameBound,
    Literal,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.windows import fitted_frame
from viewscribe.spark.capture.classic.expressions.basics import sort_order
from viewscribe.spark.capture.classic.expressions.calls import function_called
from viewscribe.spark.capture.classic.expressions.modes import MODED, check_mode
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Given,
    Handler,
    arguments_of,
    function_of,
    without_defaults,
)
from viewscribe.spark.capture.classic.expressions.refusals import HANDLERS as REFUSED
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.lowering.products import collect, multiply
from viewscribe.types import IntegralType
from viewscribe.types.coercion import is_orderable


class Parts(NamedTuple):
    """What a class of Spark's says of a call."""

    args: list[Given]
    order_by: tuple[SortOrder, ...] = ()
    ignore_nulls: bool = False
    function: FunctionDefinition | None = None


def _call(
    reader: Expressions,
    node: PlanNode,
    *,
    distinct: bool = False,
    condition: ResolvedExpression | None = None,
    sorted_by: Sequence[ResolvedExpression] = (),
) -> AggregateCall:
    if node.kind in REFUSED:
        REFUSED[node.kind](reader, node)
    if node.kind in MODED:
        check_mode(node)
    parts = _PARTS.get(node.kind, _plain)(reader, node)
    if distinct and parts.args == [STAR]:
        # A literal counts once; count(DISTINCT *) counts different rows.
        parts = Parts(list(node["children"]))
    if sorted_by and parts.args == list(sorted_by) and node.kind in _RANKS:
        parts = Parts([])
    function = parts.function or function_of(node)
    if function is None and node.kind in REFUSED:
        REFUSED[node.kind](reader, node)
    if function is None:
        raise refusal(
            node,
            f"the aggregate `{node.kind}` has no counterpart in SQL that is known here",
            hint="use an aggregate function of Spark SQL",
        )
    if parts.args == [STAR]:
        args: tuple[ResolvedExpression, ...] = (STAR,)
    else:
        args = reader.arguments(function, parts.args)
    try:
        type_ = function.infer_aggregate(args, [key.child for key in parts.order_by])
    except ValidationError as error:
        raise refusal(node, error.message, hint=error.hint) from error
    return AggregateCall(
        function, args, type_, distinct, condition, parts.order_by, parts.ignore_nulls
    )


def _aggregate(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    if node["aggregateFunction"].kind == "Product":
        return _multiply(_factors(reader, node))
    return _make_aggregate(reader, node)


def _make_aggregate(reader: Expressions, node: PlanNode) -> AggregateCall:
    condition = node["filter"]
    return _call(
        reader,
        node["aggregateFunction"],
        distinct=node["isDistinct"],
        condition=None if condition is None else reader.read(condition),
    )


def _factors(reader: Expressions, node: PlanNode) -> AggregateCall:
    """What a product multiplies: Spark casts it to DOUBLE before."""
    condition, child = node["filter"], reader.read(node["aggregateFunction"]["child"])
    plain = collect(ValueExpression(child))
    found = resolve(plain, Schema(()))
    assert isinstance(found, AggregateCall)
    read = None if condition is None else reader.read(condition)
    return found.copy_with({"distinct": node["isDistinct"], "filter": read})


def _multiply(factors: ResolvedExpression) -> ResolvedExpression:
    return resolve(multiply(ValueExpression(factors)), Schema(()))


# -- what the arguments are ------------------------------------------------------------------------


def _plain(reader: Expressions, node: PlanNode) -> Parts:
    return Parts(list(arguments_of(node)))


def _count(reader: Expressions, node: PlanNode) -> Parts:
    children: list[PlanNode] = node["children"]
    if len(children) == 1 and children[0].kind == "Literal" and children[0]["value"] is not None:
        return Parts([STAR])
    return Parts(list(children))


def _read_picked(reader: Expressions, node: PlanNode) -> Parts:
    return Parts([node["child"]], ignore_nulls=node["ignoreNulls"])


def _collect(reader: Expressions, node: PlanNode) -> Parts:
    if node.get("ignoreNulls") is False:
        raise refusal(node, "collecting NULLs, too, has no form here", hint="use collect_list")
    return Parts([node["child"]])


def _approximate_count(reader: Expressions, node: PlanNode) -> Parts:
    deviation = node["relativeSD"]
    given: list[Given] = [node["child"]]
    return Parts(given if deviation == 0.05 else [*given, literal(float(deviation))])


def _percentile_of_sorted(reader: Expressions, node: PlanNode) -> Parts:
    """``percentile_cont`` and ``percentile_disc``, whose classes name the parts otherwise."""
    value, percentage = node.expressions()
    key, descending = reader.read(value), bool(node["reverse"])
    order = SortOrder(key, descending, not descending, key.type)
    return Parts([percentage], order_by=(order,))


def _mode(reader: Expressions, node: PlanNode) -> Parts:
    reverse = node["reverseOpt"]
    if reverse is None:
        return Parts([node["child"]])
    key = reader.read(node["child"])
    if reverse and not is_orderable(key.type):  # Spark sorts maps by itself, but in no ORDER BY
        return Parts([node["child"], TRUE])
    return Parts([], order_by=(SortOrder(key, not reverse, reverse, key.type),))


def _joined_texts(reader: Expressions, node: PlanNode) -> Parts:
    orders = tuple([sort_order(reader, each) for each in node["orderExpressions"]])
    delimiter = node["delimiter"]
    silent = delimiter.kind == "Literal" and delimiter["value"] is None
    given: list[Given] = [node["child"]] if silent else [node["child"], delimiter]
    return Parts(given, order_by=orders)


def _shift(reader: Expressions, node: PlanNode) -> Parts:
    """``lag`` and ``lead``; to Spark ``lag`` shifts by a negative number."""
    args = [node["input"], node["offset"] if node.kind == "Lead" else node["inputOffset"]]
    args.append(node["default"])
    return Parts(list(without_defaults(node.kind, args)), ignore_nulls=node["ignoreNulls"])


def _nth(reader: Expressions, node: PlanNode) -> Parts:
    return Parts([node["input"], node["offset"]], ignore_nulls=node["ignoreNulls"])


def _read_rank(reader: Expressions, node: PlanNode) -> Parts:
    """The sort keys of the window, unless somebody wrote other arguments."""
    return Parts(list(reader.read_all(node["children"])))


def _extreme_by(reader: Expressions, node: PlanNode) -> Parts:
    function = built_in("min_by" if node["reverse"] else "max_by")
    return Parts([node["valueExpr"], node["orderingExpr"], node["kExpr"]], function=function)


def _of_catalog(reader: Expressions, node: PlanNode) -> Parts:
    return Parts(list(node["children"]), function=function_called(node))


_RANKS = ("Rank", "DenseRank", "PercentRank")


def _tiles(reader: Expressions, node: PlanNode) -> Parts:
    return Parts([node["buckets"]])


_PARTS: dict[str, Callable[[Expressions, PlanNode], Parts]] = {
    "Count": _count,
    "First": _read_picked,
    "Last": _read_picked,
    "AnyValue": _read_picked,
    "CollectList": _collect,
    "CollectSet": _collect,
    "CollectUnion": _collect,
    "HyperLogLogPlusPlus": _approximate_count,
    "PercentileCont": _percentile_of_sorted,
    "PercentileDisc": _percentile_of_sorted,
    "Mode": _mode,
    "ListAgg": _joined_texts,
    "MaxMinByK": _extreme_by,
    "Lag": _shift,
    "Lead": _shift,
    "NthValue": _nth,
    "NTile": _tiles,
    "Rank": _read_rank,
    "DenseRank": _read_rank,
    "PercentRank": _read_rank,
    "V2Aggregator": _of_catalog,
}


# -- windows ---------------------------------------------------------------------------------------


def _over(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    function: PlanNode = node["windowFunction"]
    if function.kind == "AggregateExpression" and function["aggregateFunction"].kind == "Product":
        return _multiply(_window(reader, node, _factors(reader, function)))
    return _window(reader, node)


def _window(reader: Expressions, node: PlanNode, call: AggregateCall | None = None) -> Over:
    """The call over the window of the node; of the node's own function where none is given."""
    function: PlanNode = node["windowFunction"]
    specification: PlanNode = node["windowSpec"]
    order_by = tuple([sort_order(reader, each) for each in specification["orderSpec"]])
    if call is None and function.kind == "AggregateExpression":
        call = _make_aggregate(reader, function)
    elif call is None:
        call = _call(reader, function, sorted_by=[key.child for key in order_by])
    partition_by = reader.read_all(specification["partitionSpec"])
    frame = None
    if call.function.kind is not FunctionKind.WINDOW or function.kind == "NthValue":
        frame = _frame(reader, specification["frameSpecification"], order_by)
    return Over(call, partition_by, order_by, frame, call.type)


def _frame(reader: Expressions, node: PlanNode, order_by: tuple[SortOrder, ...]) -> Frame | None:
    """The frame, or None for the one that a window has by itself."""
    if node.kind != "SpecifiedWindowFrame":
        return None
    unit = "ROWS" if node["frameType"].name == "RowFrame" else "RANGE"
    frame = Frame(unit, _read_bound(reader, node["lower"]), _read_bound(reader, node["upper"]))
    if frame.start == UNBOUNDED_PRECEDING:
        if order_by and (unit, frame.end) == ("RANGE", CURRENT_ROW):
            return None
        if not order_by and frame.end == UNBOUNDED_FOLLOWING:
            return None
    try:
        return fitted_frame(frame, order_by)
    except ValidationError as error:
        raise refusal(node, error.message, hint=error.hint) from error


_ENDS = {
    "UnboundedPreceding": UNBOUNDED_PRECEDING,
    "UnboundedFollowing": UNBOUNDED_FOLLOWING,
    "CurrentRow": CURRENT_ROW,
}


def _read_bound(reader: Expressions, node: PlanNode) -> FrameBound:
    end = _ENDS.get(node.kind)
    if end is not None:
        return end
    kind = "FOLLOWING"
    while node.kind in ("Cast", "UnaryMinus"):
        if node.kind == "UnaryMinus":
            kind = "PRECEDING" if kind == "FOLLOWING" else "FOLLOWING"
        node = node["child"]
    offset = reader.read(node)
    if not isinstance(offset, Literal) or offset.value is None:
        raise refusal(node, "the offset of a window frame is a constant", hint="use a number")
    if bool(offset.value < type(offset.value)(0)):
        kind = "PRECEDING" if kind == "FOLLOWING" else "FOLLOWING"
        offset = literal(-offset.value, offset.type)
    return (
        CURRENT_ROW
        if (isinstance(offset.type, IntegralType) and offset.value == 0)
        else FrameBound(kind, offset)
    )


HANDLERS: dict[str, Handler] = {
    "AggregateExpression": _aggregate,
    "WindowExpression": _over,
}
