"""Clauses of calls in SQL text, OVER and FILTER and their kin, and sub-queries."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.dsl import (
    CallExpression,
    OverExpression,
    QueryExpression,
    SortExpression,
    ValueExpression,
    WindowSpec,
)
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.capture.connect.spelling import Clause
from viewscribe.spark.capture.sqltext.reading import Handlers, Text
from viewscribe.spark.capture.sqltext.subqueries import queries_in


def _filtered(text: Text, node: exp.Filter) -> Any:
    call, condition = text.read(node.this), text.read(node.expression.this)
    return _with(text, call.filter(condition), call, "FILTER", condition)


def _ignoring(text: Text, node: exp.IgnoreNulls) -> Any:
    call = text.read(node.this)
    return _with(text, call.ignore_nulls(), call, "IGNORE NULLS")


def _respecting(text: Text, node: exp.RespectNulls) -> Any:
    call = text.read(node.this)
    return _with(text, call.respect_nulls(), call, "RESPECT NULLS")


def _with(text: Text, made: Any, call: Any, kind: str, *parts: Any) -> Any:
    return text.names.spelling.clause(made, Clause(call, kind, parts))


def _ordered(text: Text, node: exp.Ordered) -> SortExpression:
    descending = bool(node.args.get("desc"))
    nulls_first = node.args.get("nulls_first")
    first = not descending if nulls_first is None else bool(nulls_first)
    return SortExpression(text.read(node.this), descending, first)


def _over(text: Text, node: exp.Window) -> Any:
    if node.args.get("over") != "OVER":
        raise text.refused(node)
    if node.args.get("alias") is not None:  # a window that is named elsewhere
        raise text.refused(node)
    window = WindowSpec().partition_by(*text.read_all(node.args.get("partition_by") or []))
    order = node.args.get("order")
    if order is not None:
        window = window.order_by(*text.read_all(order.expressions))
    if node.args.get("spec") is not None:
        window = _framed(text, window, node.args["spec"])
    call = text.read(node.this)
    if not isinstance(call, CallExpression):
        raise text.refused(node)
    made = OverExpression(call, window)
    text.names.spelling.in_text(made)
    return made


def _framed(text: Text, window: WindowSpec, spec: exp.WindowSpec) -> WindowSpec:
    """``ROWS BETWEEN 2 PRECEDING AND CURRENT ROW``; without BETWEEN it ends at the current row.

    The words are as they were typed, in whatever case.
    """
    names = ("start", "start_side", "end", "end_side")
    parts = {name: _upper(spec.args.get(name)) for name in names}
    unit = _upper(spec.args["kind"])
    if unit not in ("ROWS", "RANGE") or spec.args.get("exclude") is not None:
        raise text.refused(spec)
    start = _bound(text, spec, parts["start"], parts["start_side"], "PRECEDING")
    end = 0 if parts["end"] is None else _bound(text, spec, parts["end"], parts["end_side"], None)
    if unit == "ROWS":
        return window.rows_between(start, end)
    return window.range_between(start, end)


def _upper(part: Any) -> Any:
    return part.upper() if isinstance(part, str) else part


def _bound(text: Text, spec: exp.WindowSpec, value: Any, side: Any, unlimited: Any) -> Any:
    """An offset as the DSL has it: None without limit, 0 the current row, less before it."""
    if value == "CURRENT ROW":
        return 0
    if value == "UNBOUNDED":
        if side != (unlimited or "FOLLOWING"):
            raise text.refused(spec)
        return None
    read = text.read(value)
    found = read.resolved if isinstance(read, ValueExpression) else None
    if not isinstance(found, Literal) or found.value is None or side is None:
        raise text.refused(spec)
    return Literal(-found.value, found.type) if side == "PRECEDING" else found


def _within_group(text: Text, node: exp.WithinGroup) -> Any:
    if not isinstance(node.expression, exp.Order):
        raise text.refused(node)
    keys = text.read_all(node.expression.expressions)
    call = text.read(node.this)
    return _with(text, call.within_group(*keys), call, "WITHIN GROUP", *keys)


# -- sub-queries ----------------------------------------------------------------------------------


def query(text: Text, node: Any) -> Any:
    """The text of the only sub-query: which of several a node means is not told."""
    found = queries_in(text.text)
    if len(found) != 1:
        raise text.refused(node, ": it has more than one sub-query")
    try:
        return text.names.text_query(found[0])
    except ViewscribeError as error:
        raise text.refused(node, f": {error.message}") from error


def _scalar(text: Text, node: exp.Subquery) -> Any:
    return QueryExpression("scalar", query(text, node), ())


def _exists(text: Text, node: exp.Exists) -> Any:
    return QueryExpression("exists", query(text, node), ())


HANDLERS: Handlers = {
    exp.Filter: _filtered,
    exp.IgnoreNulls: _ignoring,
    exp.RespectNulls: _respecting,
    exp.Ordered: _ordered,
    exp.Window: _over,
    exp.WithinGroup: _within_group,
    exp.Subquery: _scalar,
    exp.Exists: _exists,
}
