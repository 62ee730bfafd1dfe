"""Handler tables by operation, complete by construction.

After adding an operation, the tests name the tables that lack a handler for it. At run time, a
missing handler is an error that names the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

H = TypeVar("H")


class HandlerTable(dict[type[Any], H]):
    """A table of handlers, one for each operation.

    Args:
        purpose: what the table is for: ``the lineage``.
        handlers: by the operation's class.
        without: the operations left out on purpose, each with the reason.
        error: the error raised for an unknown operation.
    """

    known: ClassVar[list[HandlerTable[Any]]] = []
    """All tables of the modules that are imported."""

    def __init__(
        self,
        purpose: str,
        handlers: Mapping[type[Any], H] | None = None,
        *,
        without: Mapping[type[QueryOperation], str] | None = None,
        error: type[ViewscribeError] = NotSerializableError,
    ) -> None:
        super().__init__(handlers or {})
        self.purpose = purpose
        self.without = without or {}
        self._error = error
        HandlerTable.known.append(self)

    def __missing__(self, kind: type[Any]) -> H:
        raise self._error(
            f"{self.purpose} of the operation {kind.__name__} is not known",
            hint=self.without.get(kind, f"{kind.__name__} lacks a handler: see {self.purpose}"),
        )

    def lacking(self, kinds: Iterable[type[QueryOperation]]) -> list[type[QueryOperation]]:
        """Returns the operations that the table neither handles nor leaves out on purpose."""
        return [each for each in kinds if each not in self and each not in self.without]


# Readable summaries of operations: an indented tree, one line for each node.

_DEEPEST_INDENT = 60
_LONG = 1_000
"""Lines after which a step that stands there already is not written with all below it again."""


def summarize(root: QueryOperation) -> str:
    """Returns the tree, last step first; steps below the 60th level are not indented further."""
    lines: list[str] = []
    written: set[int] = set()
    stack: list[tuple[QueryOperation, int]] = [(root, 0)]
    while stack:
        operation, level = stack.pop()
        line = "  " * min(level, _DEEPEST_INDENT) + summary_line(operation)
        if len(lines) > _LONG and id(operation) in written and operation.input_fields:
            lines.append(f"{line}, as above")
            continue
        lines.append(line)
        written.add(id(operation))
        stack.extend((child, level + 1) for child in reversed(operation.inputs()))
    return "\n".join(lines)


def summary_line(operation: QueryOperation) -> str:
    """Returns the line of one operation, without its inputs."""
    parts = _DETAILS[type(operation)](operation)
    shown = ", ".join(f"{name}: {value}" for name, value in parts.items() if value is not None)
    return f"{type(operation).__name__}({shown})"


def _list(expressions: Sequence[ResolvedExpression], most: int = 40) -> str:
    shown = ", ".join(expression.as_summary_string() for expression in expressions[:most])
    return f"[{shown}{', …' if len(expressions) > most else ''}]"


def _names(names: Sequence[str]) -> str:
    return f"[{', '.join(names)}]"


def _condition(condition: Node | None) -> str | None:
    return None if condition is None else condition.as_summary_string()


def _aggregate(node: n.Aggregate) -> dict[str, Any]:
    simple = node.grouping is n.Grouping.SIMPLE
    return {
        "keys": _list(node.keys),
        "aggregates": _list(node.aggregates),
        "grouping": None if simple else node.grouping.value,
        "sets": node.sets or None,
    }


def _join(node: n.Join) -> dict[str, Any]:
    return {
        "kind": node.kind.name.lower(),
        "condition": _condition(node.condition),
        "using": _names(node.using) if node.using else None,
    }


_DETAILS: HandlerTable[Callable[[Any], dict[str, Any]]] = HandlerTable(
    "the summary",
    {
        n.CatalogSource: lambda node: {
            "table": ".".join(node.path),
            "as_of": node.as_of,
            "columns": _names(node.schema.names),
        },
        n.Values: lambda node: {
            "rows": len(node.values) // max(len(node.fields), 1),
            "columns": _names(node.schema.names),
        },
        n.OneRow: lambda node: {},
        n.TableFunction: lambda node: {
            "function": node.function.name,
            "args": _list(node.args) if node.args else None,
            "columns": _names(node.schema.names),
        },
        n.Process: lambda node: {
            "function": repr(node.function),
            "tables": _names(node.tables) if node.tables else None,
            "partition_by": _names(node.partition_by) if node.partition_by else None,
            "order_by": _list(node.order) if node.order else None,
            **dict(
                zip(node.arguments, [each.as_summary_string() for each in node.args], strict=True)
            ),
            "on_time": _names(node.on_time) if node.on_time else None,
            "uid": node.uid,
            "columns": _names(node.schema.names),
        },
        n.Recursion: lambda node: {
            "name": node.name,
            "max_level": node.max_level,
            "columns": _names(node.schema.names),
        },
        n.WithCte: lambda node: {"name": node.name, "columns": _names(node.schema.names)},
        n.CteReference: lambda node: {"name": node.name, "columns": _names(node.schema.names)},
        n.SqlText: lambda node: {"text": repr(node.text), "columns": _names(node.schema.names)},
        n.Project: lambda node: {"columns": _list(node.expressions)},
        n.WithColumns: lambda node: {"columns": _list(node.columns)},
        n.Filter: lambda node: {"condition": _condition(node.condition)},
        n.Aggregate: _aggregate,
        n.Distinct: lambda node: {},
        n.Join: _join,
        n.LateralJoin: lambda node: {
            "kind": node.kind.name.lower(),
            "condition": _condition(node.condition),
        },
        n.SetOperation: lambda node: {"kind": node.kind.value.lower(), "all": node.all},
        n.Sort: lambda node: {
            "keys": _list(node.keys),
            **({"within_partitions": "true"} if node.within_partitions else {}),
        },
        n.Limit: lambda node: {"count": node.count},
        n.Offset: lambda node: {"count": node.count},
        n.Sample: lambda node: {"percent": node.percent, "seed": node.seed},
        n.SubqueryAlias: lambda node: {"name": node.name},
        n.Generate: lambda node: {
            "call": node.call.as_summary_string(),
            "outer": node.outer or None,
            "columns": _names(node.names),
        },
        n.Pivot: lambda node: {
            "keys": _list(node.keys),
            "column": node.column.name,
            "values": _list(node.values),
            "aggregates": _list(node.aggregates),
        },
        n.Unpivot: lambda node: {
            "columns": _list(node.columns),
            "name": node.name_column,
            "value": node.value_column,
            "nulls": "included" if node.include_nulls else "left out",
        },
        n.TimeWindow: lambda node: {"call": node.call.as_summary_string(), "name": node.name},
        n.Hint: lambda node: {
            "name": node.name,
            "parameters": _list(node.parameters) if node.parameters else None,
        },
    },
)
