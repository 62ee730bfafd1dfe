"""Spark's parsed queries as pipelines of the Table API: one handler for each class of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.errors import MissingFunctionError, NotRebuiltError
from tests.oracle.expressions import expression, known_call, sort_key
from tests.oracle.parsing import SparkNode
from viewscribe import TableEnvironment, col
from viewscribe.expressions.dsl import (
    AliasExpression,
    CallExpression,
    ColumnExpression,
    StarExpression,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.table_api.table import Table

Handler = Callable[["Rebuilder", SparkNode], Table]


class Rebuilder:
    """Makes a pipeline of each parsed query.

    Args:
        env: where the pipelines belong.
    """

    def __init__(self, env: TableEnvironment) -> None:
        self.env = env

    def table(self, node: SparkNode) -> Table:
        """The pipeline."""
        handler = _HANDLERS.get(node.kind)
        if handler is None:
            raise NotRebuiltError(f"no handler for {node.kind}")
        return handler(self, node)

    def child(self, node: SparkNode) -> Table:
        """The pipeline below a node of one input."""
        return self.table(node.children[0])

    def one_row(self) -> Table:
        """What a query without FROM reads: one row, in one partition."""
        return self.env.from_function("range", 0, 1, 1, 1)


def _named(items: list[Any]) -> list[Any]:
    """The items of a SELECT, each with a name; what has none gets one from its place."""
    return [
        item if _has_name(item) else item.alias(_field(item) or f"c{place}")
        for place, item in enumerate(items, start=1)
    ]


def _field(item: Any) -> str | None:
    """Spark calls ``a.b`` b."""
    return item.parts[-1] if isinstance(item, ColumnExpression) and item.parts else None


def _has_name(item: Any) -> bool:
    """Whether the item needs no name; a generator names its columns itself."""
    if isinstance(item, CallExpression):
        return item.function.kind is FunctionKind.GENERATOR
    if isinstance(item, ColumnExpression):
        return item.parts is None
    return isinstance(item, AliasExpression | StarExpression)


def _select(rebuilder: Rebuilder, node: SparkNode) -> Table:
    child = rebuilder.child(node)
    known = {name.lower() for name in child.schema.names}
    items: list[Any] = []
    aliases: dict[str, Any] = {}
    for part in node.values["projectList"]:
        item = expression(part, aliases)
        items.append(item)
        # Names given in SELECT can be used further right in it; the DSL repeats what they mean.
        if isinstance(item, AliasExpression) and item.alias_name.lower() not in known:
            aliases[item.alias_name] = item.child
    return child.select(*_named(items))


def _filter(rebuilder: Rebuilder, node: SparkNode) -> Table:
    return rebuilder.child(node).filter(expression(node.values["condition"]))


def _sort(rebuilder: Rebuilder, node: SparkNode) -> Table:
    keys = [sort_key(key, {}) for key in node.values["order"]]
    return rebuilder.child(node).order_by(*keys)


def _limit(rebuilder: Rebuilder, node: SparkNode) -> Table:
    count = int(node.values["limitExpr"].values["value"])
    return rebuilder.table(node.children[0].children[0]).limit(count)


def _union(rebuilder: Rebuilder, node: SparkNode) -> Table:
    first, *others = [rebuilder.table(child) for child in node.children]
    for other in others:
        first = first.union_all(other)
    return first


def _named_table(rebuilder: Rebuilder, node: SparkNode) -> Table:
    return rebuilder.child(node).alias(node.values["identifier"]["name"])


def _values(rebuilder: Rebuilder, node: SparkNode) -> Table:
    names = node.words("names")
    rows = [[expression(cell) for cell in cells] for cells in node.values["rows"]]
    return rebuilder.env.from_values([dict(zip(names, row, strict=True)) for row in rows])


def _grouped(rebuilder: Rebuilder, node: SparkNode) -> Table:
    keys, items = node.values["groupingExpressions"], node.values["aggregateExpressions"]
    child = rebuilder.child(node)
    if len(keys) == 1 and keys[0].kind in ("Cube", "Rollup"):
        grouping = child.cube if keys[0].kind == "Cube" else child.rollup
        grouped = grouping(*[expression(key) for key in keys[0].children])
    else:
        grouped = _windowed(child, keys).group_by(*map(_key, keys))
    return grouped.select(*_named([expression(item) for item in items]))


_WINDOWS = ("window", "session_window")


def _windowed(table: Table, keys: list[SparkNode]) -> Table:
    """The time windows that are grouped by are columns of their own in the Table API."""
    for key in keys:
        if _is_window(key):
            time, *durations = [expression(arg) for arg in key.parts("arguments")]
            table = _WINDOW_METHODS[_name(key), len(durations)](table, time, *durations)
    return table


_WINDOW_METHODS: dict[tuple[str, int], Callable[..., Table]] = {
    ("window", 1): Table.tumble,
    ("window", 2): Table.hop,
    ("session_window", 1): Table.session,
}


def _key(node: SparkNode) -> Any:
    return col(_name(node)) if _is_window(node) else expression(node)


def _is_window(node: SparkNode) -> bool:
    return node.kind == "UnresolvedFunction" and _name(node) in _WINDOWS


def _name(node: SparkNode) -> str:
    return node.words("nameParts")[-1].lower()


def _table_function(rebuilder: Rebuilder, node: SparkNode) -> Table:
    name = node.words("name")[-1].lower()
    definition = find_built_in(name)
    if definition is None:
        raise MissingFunctionError(name)
    args = [_given(arg) for arg in node.values["functionArgs"]]
    if definition.kind is FunctionKind.TABLE:
        return rebuilder.env.from_function(name, *args)
    source = rebuilder.one_row()
    outer = name.endswith("_outer")
    made = source.generate(known_call(name.removesuffix("_outer"), *args), outer=outer)
    return made.drop_columns(*source.schema.names)


def _given(node: SparkNode) -> Any:
    return expression(node.part("value") if node.kind == "NamedArgumentExpression" else node)


_HANDLERS: dict[str, Handler] = {
    "OneRowRelation": lambda rebuilder, node: rebuilder.one_row(),
    "Project": _select,
    "Aggregate": _grouped,
    "Filter": _filter,
    "Sort": _sort,
    "GlobalLimit": _limit,
    "Union": _union,
    "SubqueryAlias": _named_table,
    "UnresolvedInlineTable": _values,
    "UnresolvedTableValuedFunction": _table_function,
}
