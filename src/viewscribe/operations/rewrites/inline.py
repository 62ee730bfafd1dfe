"""Giving the functions that were used without a name one.

After ``SqlFactory.serializeInlineFunction`` of Flink: the caller decides what an inline function is
called, on the fly. Here it is the tree that changes, so that text, plan document and dependencies
all say the name.
"""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import AggregateCall, Call
from viewscribe.operations.base import QueryOperation

Namer = Callable[[UserFunction], FunctionDefinition]


def with_named_functions(operation: QueryOperation, name: Namer) -> QueryOperation:
    """The tree with every inline function replaced by the registered one.

    Args:
        operation: the tree.
        name: from an inline function to the registered function that stands for it.

    Raises:
        TypeMismatchError: the registered function gives another type.
    """
    known: dict[UserFunction, FunctionDefinition] = {}

    def replace_named(node: Node) -> Node:
        if not isinstance(node, Call | AggregateCall):
            return node
        function = node.function
        if not isinstance(function, UserFunction) or not function.anonymous:
            return node
        if function not in known:
            known[function] = name(function)
        found = known[function].infer(node.args)
        if not found.same_type(node.type):
            raise TypeMismatchError(
                f"{known[function]!r} gives {found.ddl}, and the inline function "
                f"{function.name} {node.type.ddl}",
                hint="register the very function that is used inline",
            )
        return node.copy_with({"function": known[function]})

    made = replace(operation, replace_named)
    assert isinstance(made, QueryOperation)
    return made
