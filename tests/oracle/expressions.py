"""Spark's parsed expressions as expressions of the DSL: one handler for each class of node."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tests.oracle.errors import MissingFunctionError, NotRebuiltError
from tests.oracle.literals import literal, logical_type
from tests.oracle.parsing import SparkNode
from viewscribe import call, col, lit, row
from viewscribe.expressions.dsl import Expression, SortExpression
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.windows import WindowSpec
from viewscribe.types.identifiers import quote_identifier

Variables = Mapping[str, Any]
Handler = Callable[[SparkNode, Variables], Any]


def expression(node: SparkNode, variables: Variables | None = None) -> Any:
    """The expression, with the variables of the lambdas around it."""
    handler = _HANDLERS.get(node.kind)
    if handler is None:
        raise NotRebuiltError(f"no handler for {node.kind}")
    return handler(node, variables or {})


def known_call(name: str, *args: Any) -> Expression:
    """A call of a built-in function.

    Raises:
        MissingFunctionError: the registry has none of that name.
    """
    if find_built_in(name) is None:
        raise MissingFunctionError(name)
    return call(name, *args)


def _all(nodes: list[SparkNode], variables: Variables) -> list[Any]:
    return [expression(node, variables) for node in nodes]


def _calls(name: str) -> Handler:
    """A node whose children are the arguments of one of our functions."""
    return lambda node, variables: known_call(name, *_all(node.children, variables))


# -- names ---------------------------------------------------------------------------------------


def _name(node: SparkNode, variables: Variables) -> Any:
    """A lambda's variable, a name given further left in SELECT, a column, or a function."""
    first, *fields = parts = node.words("nameParts")
    if first not in variables:
        if first.lower() in _WITHOUT_PARENTHESES:
            return known_call(first.lower())
        return col(".".join(map(quote_identifier, parts)))
    found = variables[first]
    for name in fields:
        found = found[name]
    return found


_WITHOUT_PARENTHESES = ("current_date", "current_time", "current_timestamp", "localtime")


def _star(node: SparkNode, variables: Variables) -> Expression:
    target = node.words("target") if node.values.get("target") else []
    return col(".".join([*target, "*"]))


def _alias(node: SparkNode, variables: Variables) -> Expression:
    made: Expression = expression(node.part("child"), variables).alias(node.values["name"])
    return made


# -- calls ---------------------------------------------------------------------------------------


def _function(node: SparkNode, variables: Variables) -> Expression:
    name = node.words("nameParts")[-1].lower()
    args = _all(_in_order(name, node.parts("arguments")), variables)
    made = known_call(name, *args)
    if node.values["isDistinct"]:
        made = made.distinct()
    if "filter" in node.values:
        made = made.filter(expression(node.children[len(args)], variables))
    if node.values.get("ignoreNulls"):
        made = made.ignore_nulls()
    keys = node.parts("orderingWithinGroup")
    return made.within_group(*_all(keys, variables)) if keys else made


def _in_order(name: str, args: list[SparkNode]) -> list[SparkNode]:
    """The arguments by position, where some are given by name."""
    by_name = {arg.values["key"]: arg.part("value") for arg in args if arg.kind == _NAMED}
    positional = [arg for arg in args if arg.kind != _NAMED]
    if not by_name:
        return positional
    definition = find_built_in(name)
    names = definition.parameter_names if definition else ()
    wanted = [each for each in names if each in by_name]
    if len(wanted) < len(by_name) and len(args) > 1:
        raise NotRebuiltError(f"the parameters of {name}: {sorted(by_name)} among {names}")
    return [*positional, *(by_name[each] for each in (wanted or by_name))]


_NAMED = "NamedArgumentExpression"


def _trimmed(name: str) -> Handler:
    """Spark's node has what to trim last, its function and ours first."""
    return lambda node, variables: known_call(name, *reversed(_all(node.children, variables)))


def _aggregate(node: SparkNode, variables: Variables) -> Expression:
    made: Expression = expression(node.part("aggregateFunction"), variables)
    return made


def _picked(name: str) -> Handler:
    """first, last and any_value, for which Spark's grammar has rules of its own."""

    def handler(node: SparkNode, variables: Variables) -> Expression:
        made = known_call(name, expression(node.part("child"), variables))
        return made.ignore_nulls() if node.values["ignoreNulls"] else made

    return handler


def _like(name: str) -> Handler:
    def handler(node: SparkNode, variables: Variables) -> Expression:
        args = _all(node.children, variables)
        escape = node.values["left_out"]
        return known_call(name, *args, *([] if escape == "\\" else [lit(escape)]))

    return handler


def _overlay(node: SparkNode, variables: Variables) -> Expression:
    """Without a length Spark's parser writes -1."""
    *args, length = node.children
    without = length.kind == "Literal" and length.values["value"] == "-1"
    return known_call("overlay", *_all(args if without else node.children, variables))


def _substring(node: SparkNode, variables: Variables) -> Expression:
    """Without a length Spark's parser writes the largest INT."""
    *args, length = node.children
    without = length.kind == "Literal" and length.values["value"] == str(2**31 - 1)
    return known_call("substring", *_all(args if without else node.children, variables))


def _case(node: SparkNode, variables: Variables) -> Expression:
    return known_call("case", *_all(node.children, variables))


def _cast(node: SparkNode, variables: Variables) -> Expression:
    child = expression(node.part("child"), variables)
    type_ = logical_type(node.values["dataType"])
    lenient = node.values["left_out"] == "TRY"
    made: Expression = child.try_cast(type_) if lenient else child.cast(type_)
    return made


def _collate(node: SparkNode, variables: Variables) -> Expression:
    name = node.part("collation").words("collationName")[-1]
    return known_call("collate", expression(node.part("child"), variables), lit(name))


def _struct(node: SparkNode, variables: Variables) -> Expression:
    names, values = node.children[::2], _all(node.children[1::2], variables)
    pairs = zip(names, values, strict=True)
    return row(*[value.alias(name.values["value"]) for name, value in pairs])


def _item(node: SparkNode, variables: Variables) -> Expression:
    base, key = _all(node.children, variables)
    made: Expression = base[key]
    return made


def _lambda(node: SparkNode, variables: Variables) -> Callable[..., Any]:
    names = [parameter.words("nameParts")[0] for parameter in node.parts("arguments")]

    def body(*given: Any) -> Any:
        inner = {**variables, **dict(zip(names, given, strict=True))}
        return expression(node.part("function"), inner)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return body


# -- order and windows ---------------------------------------------------------------------------


def sort_key(node: SparkNode, variables: Variables) -> SortExpression:
    """A sort key with its direction and the place of NULLs."""
    descending = node.values["direction"]["object"].endswith(".Descending$")
    nulls_first = node.values["nullOrdering"]["object"].endswith(".NullsFirst$")
    return SortExpression(expression(node.part("child"), variables), descending, nulls_first)


def _over(node: SparkNode, variables: Variables) -> Expression:
    spec = node.part("windowSpec")
    if spec.part("frameSpecification").kind != "UnspecifiedFrame":
        raise NotRebuiltError("a window frame")
    window = WindowSpec().partition_by(*_all(spec.parts("partitionSpec"), variables))
    window = window.order_by(*_all(spec.parts("orderSpec"), variables))
    made: Expression = expression(node.part("windowFunction"), variables).over(window)
    return made


_HANDLERS: dict[str, Handler] = {
    "Literal": lambda node, variables: literal(node),
    "UnresolvedAttribute": _name,
    "UnresolvedNamedLambdaVariable": _name,
    "UnresolvedStar": _star,
    "UnresolvedAlias": lambda node, variables: expression(node.part("child"), variables),
    "Alias": _alias,
    "UnresolvedFunction": _function,
    "UnresolvedExtractValue": _item,
    "AggregateExpression": _aggregate,
    "First": _picked("first"),
    "Last": _picked("last"),
    "AnyValue": _picked("any_value"),
    "Like": _like("like"),
    "ILike": _like("ilike"),
    "RLike": _calls("rlike"),
    "Overlay": _overlay,
    "Substring": _substring,
    "StringTrim": _trimmed("trim"),
    "StringTrimLeft": _trimmed("ltrim"),
    "StringTrimRight": _trimmed("rtrim"),
    "StringLocate": _calls("locate"),
    "CaseWhen": _case,
    "Cast": _cast,
    "Collate": _collate,
    "CreateNamedStruct": _struct,
    "LambdaFunction": _lambda,
    "SortOrder": sort_key,
    "WindowExpression": _over,
    "Add": _calls("plus"),
    "Subtract": _calls("minus"),
    "Multiply": _calls("times"),
    "Divide": _calls("divide"),
    "IntegralDivide": _calls("div"),
    "Remainder": _calls("mod"),
    "UnaryMinus": _calls("negative"),
    "EqualTo": _calls("equals"),
    "EqualNullSafe": _calls("equal_null"),
    "LessThan": _calls("less_than"),
    "LessThanOrEqual": _calls("less_than_or_equal"),
    "GreaterThan": _calls("greater_than"),
    "GreaterThanOrEqual": _calls("greater_than_or_equal"),
    "And": _calls("and"),
    "Or": _calls("or"),
    "Not": _calls("not"),
    "In": _calls("in"),
    "IsNull": _calls("is_null"),
    "IsNotNull": _calls("is_not_null"),
    "BitwiseAnd": _calls("bitwise_and"),
    "BitwiseOr": _calls("bitwise_or"),
    "BitwiseXor": _calls("bitwise_xor"),
    "BitwiseNot": _calls("bitwise_not"),
    "ShiftLeft": _calls("shiftleft"),
    "ShiftRight": _calls("shiftright"),
    "ShiftRightUnsigned": _calls("shiftrightunsigned"),
}
