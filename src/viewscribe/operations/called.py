"""The user functions that a tree calls."""

from __future__ import annotations

from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import AggregateCall, Call
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SqlText, TableFunction


def user_functions(operation: QueryOperation) -> list[UserFunction]:
    """The user functions in the order they are met, each once."""
    found: dict[UserFunction, None] = {}
    for node in preorder(operation):
        if isinstance(node, Call | AggregateCall | TableFunction):
            function = node.function
            if isinstance(function, UserFunction):
                found[function] = None
        elif isinstance(node, SqlText):
            found.update(dict.fromkeys(node.functions))
    return list(found)


def called_in_text(operation: QueryOperation) -> list[UserFunction]:
    """Those that SQL text in the tree calls."""
    texts = [node for node in preorder(operation) if isinstance(node, SqlText)]
    return list(dict.fromkeys(function for text in texts for function in text.functions))
