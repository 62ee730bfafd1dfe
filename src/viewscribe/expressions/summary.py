"""Expressions for human eyes: ``greater_than(price, 10)``, in Flink's summary style."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.expressions import nodes as n
from viewscribe.expressions.node import Node, fold

_MOST = 4000


def summarize(expression: n.ResolvedExpression) -> str:
    """The expression as nested function calls; long ones are cut."""
    return fold(expression, _summary)


def _summary(node: Node, children: list[str]) -> str:
    handler = _HANDLERS.get(type(node))
    text = handler(node, children) if handler else f"query({node.as_summary_string()})"
    return text if len(text) <= _MOST else text[:_MOST] + "…"


def _call(node: n.Call, children: list[str]) -> str:
    return f"{node.function.name}({', '.join(children)})"


def _aggregate(node: n.AggregateCall, children: list[str]) -> str:
    count = len(node.args)
    inside = ", ".join(children[:count])
    text = f"{node.function.name}({'DISTINCT ' * node.distinct}{inside})"
    if node.order_by:
        keys = children[len(children) - len(node.order_by) :]
        text += f" WITHIN GROUP ({', '.join(keys)})"
    if node.filter is not None:
        text += f" FILTER ({children[count]})"
    return text + " IGNORE NULLS" * node.ignore_nulls + " RESPECT NULLS" * node.respect_nulls


def _sort(node: n.SortOrder, children: list[str]) -> str:
    text = f"{children[0]} {'DESC' if node.descending else 'ASC'}"
    usual = node.nulls_first is not node.descending
    return text if usual else text + f" NULLS {'FIRST' if node.nulls_first else 'LAST'}"


def _over(node: n.Over, children: list[str]) -> str:
    partition = children[1 : 1 + len(node.partition_by)]
    order = children[1 + len(node.partition_by) :]
    parts = []
    if partition:
        parts.append(f"partition: [{', '.join(partition)}]")
    if order:
        parts.append(f"order: [{', '.join(order)}]")
    if node.frame is not None:
        parts.append(describe_frame(node.frame))
    return f"{children[0]} OVER ({', '.join(parts)})"


def describe_frame(frame: n.Frame) -> str:
    """``ROWS 2 PRECEDING to CURRENT ROW``."""
    return f"{frame.unit} {_describe_bound(frame.start)} to {_describe_bound(frame.end)}"


def _describe_bound(bound: n.FrameBound) -> str:
    return bound.kind if bound.offset is None else f"{bound.offset.value} {bound.kind}"


def _literal(node: n.Literal, children: list[str]) -> str:
    if node.value is None:
        return "NULL"
    value = repr(node.value) if isinstance(node.value, str | bytes | tuple) else str(node.value)
    return value if len(value) <= 80 else value[:77] + "…"


_HANDLERS: dict[type[Node], Callable[[Any, list[str]], str]] = {
    n.FieldReference: lambda node, children: node.name,
    n.OuterReference: lambda node, children: f"outer.{node.name}",
    n.LambdaVariable: lambda node, children: node.name,
    n.Literal: _literal,
    n.Call: _call,
    n.AggregateCall: _aggregate,
    n.Cast: lambda node, children: (
        f"{'try_cast' if node.lenient else 'cast'}({children[0]}, {node.type.ddl})"
    ),
    n.Alias: lambda node, children: f"{children[0]} AS {node.name}",
    n.Star: lambda node, children: "*",
    n.SortOrder: _sort,
    n.Lambda: lambda node, children: f"({', '.join(children[:-1])}) -> {children[-1]}",
    n.Over: _over,
    n.ScalarSubquery: lambda node, children: f"scalar({children[0]})",
    n.Exists: lambda node, children: f"exists({children[0]})",
    n.InSubquery: lambda node, children: f"in_query([{', '.join(children[:-1])}], {children[-1]})",
}


def summarize_unresolved(expression: object) -> str:
    """What the user typed, roughly as it was typed; deep expressions are cut."""
    return _unresolved(expression, 12)


def _column_item(item: Any) -> str:
    if type(item).__name__ == "ColumnRange":
        return f"range_({item.first!r}, {item.last!r})"
    return repr(item)


def _unresolved(expression: Any, depth: int) -> str:
    if isinstance(expression, n.ResolvedExpression):
        return summarize(expression)
    if depth == 0:
        return "…"
    kind = type(expression).__name__
    if kind == "ColumnExpression":
        return ".".join(expression.parts or (expression.column,))
    if kind == "ValueExpression":
        return summarize(expression.resolved)
    if kind in ("CallExpression", "OptionedCall", "NamedCallExpression"):
        inside = ", ".join(_unresolved(arg, depth - 1) for arg in expression.args[:20])
        return f"{expression.function.name}({inside})"
    if kind == "AliasExpression":
        return f"{_unresolved(expression.child, depth - 1)} AS {expression.alias_name}"
    if kind == "StarExpression":
        return ".".join((*expression.qualifier, "*"))
    if kind == "ColumnsExpression":
        name = "without_columns" if expression.others else "with_columns"
        return f"{name}({', '.join(map(_column_item, expression.items))})"
    if kind == "NamesExpression":
        names = ", ".join(expression.names)
        return f"{_unresolved(expression.child, depth - 1)} AS ({names})"
    if kind in _UNRESOLVED:
        return _UNRESOLVED[kind](expression, lambda each: _unresolved(each, depth - 1))
    child = getattr(expression, "child", None)
    inside = "" if child is None else _unresolved(child, depth - 1)
    return f"{kind.removesuffix('Expression').lower()}({inside})"


def _sort_key(key: Any, show: Callable[[Any], str]) -> str:
    text = f"{show(key.child)} {'DESC' if key.descending else 'ASC'}"
    usual = key.nulls_come_first is not key.descending
    return text if usual else text + f" NULLS {'FIRST' if key.nulls_come_first else 'LAST'}"


# By their names, as the classes are made of this module.
_UNRESOLVED: dict[str, Callable[[Any, Callable[[Any], str]], str]] = {
    "SortExpression": _sort_key,
    "CastExpression": lambda node, show: (
        f"{'try_cast' if node.lenient else 'cast'}({show(node.child)}, {node.target.ddl})"
    ),
    "ItemExpression": lambda node, show: f"{show(node.base)}[{_key(node.key, show)}]",
    "OverExpression": lambda node, show: f"{show(node.call)} {node.window!r}",
}


def _key(key: Any, show: Callable[[Any], str]) -> str:
    return repr(key) if isinstance(key, str | int) else show(key)
