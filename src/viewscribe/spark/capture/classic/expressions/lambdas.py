"""Higher-order functions and their lambdas."""

from __future__ import annotations

import re

from viewscribe.expressions.nodes import Lambda, LambdaVariable, ResolvedExpression
from viewscribe.spark.capture.classic.expressions.reader import Expressions, Handler
from viewscribe.spark.capture.classic.plan import PlanNode

_NUMBERED = re.compile(r"^([a-zA-Z_]*[a-zA-Z])_\d+$")
"""PySpark numbers the variables of its lambdas: ``x_3``."""


def _lambda(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    arguments: list[PlanNode] = node["arguments"]
    parameters = []
    for argument in arguments:
        name = argument["name"]
        numbered = _NUMBERED.match(name)
        wanted = numbered[1] if numbered else name
        chosen, number = wanted, 2
        while chosen in reader.variables.values():
            chosen, number = f"{wanted}_{number}", number + 1
        reader.variables[argument.id] = chosen
        parameters.append(_variable(reader, argument))
    body = reader.read(node["function"])
    for argument in arguments:
        del reader.variables[argument.id]
    return Lambda(tuple(parameters), body, body.type)


def _variable(reader: Expressions, node: PlanNode) -> LambdaVariable:
    type_ = node["dataType"].with_nullability(node["nullable"])
    return LambdaVariable(reader.variables[node.id], type_)


def _aggregate(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    finish = node["finish"]
    args = [node["argument"], node["zero"], node["merge"]]
    same = finish["function"].kind == "NamedLambdaVariable"
    return reader.call("aggregate", args if same else [*args, finish], node)


def _array_sort(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    compare = node["function"]
    names = [each["name"] for each in compare["arguments"]]
    if names == ["left", "right"] and compare["function"].kind == "If" and not compare.line:
        return reader.call("array_sort", [node["argument"]], node)
    return reader.call("array_sort", [node["argument"], compare], node)


HANDLERS: dict[str, Handler] = {
    "LambdaFunction": _lambda,
    "NamedLambdaVariable": _variable,
    "ArrayAggregate": _aggregate,
    "ArraySort": _array_sort,
}
