"""Calls of functions that catalogs have themselves: ``lake.system.bucket(16, id)``.

The plan holds the class of the function; ``CatalogFunctions.java`` tells the names that it may have
been called by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from viewscribe.expressions.functions.of_catalogs import catalog_function, iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.spark.capture.classic.errors import refusal
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.spark.capture.classic.expressions.reader import Expressions, Given, Handler

_OF_ICEBERG = "org.apache.iceberg.spark.functions."


def is_of_catalog(node: PlanNode) -> bool:
    """Whether it calls a function that a catalog has itself."""
    return "called" in node.extra


def read_catalog_function(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """The call by the name that the catalog has the function under.

    Raises:
        CaptureError: it has none of three parts, or more than one.
    """
    args: list[Given] = list(node["arguments" if "arguments" in node.args else "children"])
    function, returns = function_called(node), node.extra["type"]
    call = reader.call(function, args, node)
    if not call.type.same_type(returns):
        raise refusal(
            node,
            f"{function!r} gives {returns.ddl} here, and is known to give {call.type.ddl}",
            hint="cast its arguments to the types that it is documented for",
        )
    return call


def function_called(node: PlanNode) -> UserFunction:
    """The function by the name that the catalog has it under.

    Raises:
        CaptureError: it has none of three parts, or more than one.
    """
    path = _name_of(node)
    known = iceberg_function(path) if node.extra["class"].startswith(_OF_ICEBERG) else None
    return known or catalog_function(
        path,
        node.extra["type"],
        deterministic=node.extra["deterministic"],
        aggregate=node.kind == "V2Aggregator",
    )


def _name_of(node: PlanNode) -> tuple[str, ...]:
    names = [tuple(each) for each in node.extra["called"]]
    if len(names) > 1:
        shown = " and ".join(map(quote_name, names))
        _refuse(node, f"the plan does not say which of {shown} is called", quote_name(names[0]))
    if not names:
        _refuse(node, f"no catalog tells the name of {node.extra['class']}", "lake.tools.f")
    if len(names[0]) != 3:
        raise refusal(
            node,
            f"the function {quote_name(names[0])} has a name of {len(names[0])} parts",
            hint="call functions of namespaces that lie in no other one",
        )
    return names[0]


def _refuse(node: PlanNode, reason: str, name: str) -> NoReturn:
    raise refusal(
        node,
        f"it calls a function that a catalog has itself, and {reason}",
        hint=f'write the call with its full name in SQL: F.expr("{name}(…)")',
    )


HANDLERS: dict[str, Handler] = {"ApplyFunctionExpression": read_catalog_function}
