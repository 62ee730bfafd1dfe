"""One SQL text being read: what names mean, and the reader of each node of sqlglot's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from sqlglot import exp

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import Expression
from viewscribe.spark.capture.sqltext.arguments import is_known
from viewscribe.spark.capture.sqltext.dialect import TypedLiteral


class Names(Protocol):
    """What the reader of the expressions around the text knows."""

    scope: Any
    spelling: Any

    def call(self, name: str, args: list[Any], distinct: bool = False) -> Expression: ...

    def setting(self, name: str) -> str | None: ...

    def text_query(self, text: str) -> Any: ...


class Text:
    """One text being read.

    Args:
        names: what names mean.
        text: the text.
    """

    handlers: ClassVar[dict[type, Callable[[Text, Any], Any]]] = {}

    def __init__(self, names: Names, text: str) -> None:
        self.names = names
        self.text = text
        self.variables: dict[str, Expression] = {}

    def read(self, node: Any) -> Any:
        """The expression of a node."""
        handler = self.handlers.get(type(node))
        if handler is None or not is_known(node):
            raise self.refused(node)
        return handler(self, node)

    def read_all(self, nodes: Any) -> list[Any]:
        """The expressions of several nodes."""
        return [self.read(node) for node in nodes]

    def refused(self, node: Any, why: str = "") -> CaptureError:
        """The error for a part of the text."""
        shown = type(node).__name__ if isinstance(node, TypedLiteral) else _shown(node)
        return CaptureError(
            f"`{shown}` in the SQL text `{self.text[:80]}` is not read{why}",
            location="expression_string",
            hint="write it with functions of pyspark.sql.functions",
        )


def _shown(node: exp.Expression) -> str:
    try:
        return node.sql(dialect="spark")[:60]
    except ValueError:  # a node of our own inside, which sqlglot cannot print
        return type(node).__name__


Handlers = dict[type, Callable[[Text, Any], Any]]
"""How each node is read."""
