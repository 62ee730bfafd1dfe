"""Dates, timestamps and intervals: the analyzer gives ``+``, ``-``, ``*`` and ``/`` other names."""

from __future__ import annotations

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import NULL, literal
from viewscribe.expressions.nodes import Cast, Literal, ResolvedExpression
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Given,
    Handler,
    arguments_of,
    made_call,
)
from viewscribe.spark.capture.classic.plan import PlanNode, ids_in
from viewscribe.types import StringType, TimeType


def _operator(name: str, left: str, right: str) -> Handler:
    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        return reader.call(name, [node[left], node[right]], node)

    return read


def _date_add(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``date + INTERVAL days`` is a call of date_add to Spark; so is ``date + 1``."""
    days = node["days"]
    if days.kind == "ExtractANSIIntervalDays":
        return reader.call("plus", [node["startDate"], days["child"]], node)
    if days.kind == "UnaryMinus" and days["child"].kind == "ExtractANSIIntervalDays":
        return reader.call("minus", [node["startDate"], days["child"]["child"]], node)
    return reader.call("date_add", [node["startDate"], days], node)


def _unit(name: str, first: str, second: str) -> Handler:
    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        args: list[Given] = [literal(node["unit"]), node[first], node[second]]
        return reader.call(name, args, node)

    return read


def _unix_timestamp(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    format_ = node["format"]
    plain = format_.kind == "Literal" and format_["value"] == "yyyy-MM-dd HH:mm:ss"
    if plain and node["timeExp"].kind == "CurrentTimestamp":
        return made_call(built_in("unix_timestamp"), (), node)
    given = [node["timeExp"]] if plain else [node["timeExp"], format_]
    return reader.call("unix_timestamp", given, node)


def _replace(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return reader.read(node["replacement"])


def _extract(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``extract`` and ``date_part``: the field is a word."""
    name = node.extra.get("alias") or "extract"
    field = reader.read(node["field"])
    if not (isinstance(field, Literal) and isinstance(field.type, StringType)):
        return _replace(reader, node)
    if ids_in([node["source"]]) != ids_in([node["replacement"]]):
        return _replace(reader, node)
    return reader.call(name, [field, node["source"]], node)


def _try_make_timestamp(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """Among the parameters that Spark tells, the time zone is missing; the node has it."""
    replaced = node["replacement"]
    given: list[Given] = [each for each in node.expressions() if each is not replaced]
    return reader.call("try_make_timestamp", given, node)


def _make_timestamp_from_date_time(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return _of_date_and_time("make_timestamp", reader, node, arguments_of(node))


def _try_make_timestamp_from_date_time(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    given = [each for each in node.expressions() if each is not node["replacement"]]
    return _of_date_and_time("try_make_timestamp", reader, node, given)


def _of_date_and_time(
    name: str, reader: Expressions, node: PlanNode, given: list[PlanNode]
) -> ResolvedExpression:
    """A NULL for the time is written without its type: Spark reads TIME only where it is set."""
    read = [reader.read(each) for each in given]
    return reader.call(name, [NULL if _is_no_time(each) else each for each in read], node)


def _is_no_time(expression: ResolvedExpression) -> bool:
    inner = expression.child if isinstance(expression, Cast) else expression
    typed = isinstance(expression.type, TimeType)
    return typed and isinstance(inner, Literal) and inner.value is None


HANDLERS: dict[str, Handler] = {
    "DateAddInterval": _operator("plus", "start", "interval"),
    "DateAddYMInterval": _operator("plus", "date", "interval"),
    "TimestampAddYMInterval": _operator("plus", "timestamp", "interval"),
    "TimestampAddInterval": _operator("plus", "start", "interval"),
    "TimeAdd": _operator("plus", "start", "interval"),
    "TimeAddInterval": _operator("plus", "time", "interval"),
    "DatetimeSub": _operator("minus", "start", "interval"),
    "SubtractTimestamps": _operator("minus", "left", "right"),
    "SubtractDates": _operator("minus", "left", "right"),
    "SubtractTimes": _operator("minus", "left", "right"),
    "MultiplyInterval": _operator("times", "interval", "num"),
    "MultiplyYMInterval": _operator("times", "interval", "num"),
    "MultiplyDTInterval": _operator("times", "interval", "num"),
    "DivideInterval": _operator("divide", "interval", "num"),
    "DivideYMInterval": _operator("divide", "interval", "num"),
    "DivideDTInterval": _operator("divide", "interval", "num"),
    "DateAdd": _date_add,
    "TimestampAdd": _unit("timestampadd", "quantity", "timestamp"),
    "TimestampDiff": _unit("timestampdiff", "startTimestamp", "endTimestamp"),
    "UnixTimestamp": _unix_timestamp,
    "Extract": _extract,
    "TryMakeTimestamp": _try_make_timestamp,
    "MakeTimestampFromDateTime": _make_timestamp_from_date_time,
    "TryMakeTimestampFromDateTime": _try_make_timestamp_from_date_time,
}
