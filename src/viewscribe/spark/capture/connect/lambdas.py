"""The functions that higher-order functions are given, and their parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.expressions.dsl import Expression, ItemExpression, ValueExpression
from viewscribe.expressions.literals import literal

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader


def lambda_function(reader: Reader, message: Any, whole: Message) -> Callable[..., Any]:
    """A Python function over expressions, whose body is read when it is called."""
    names = ["_".join(argument.name_parts) for argument in message.arguments]
    around = reader.variables

    def body(*given: Expression) -> Any:
        before = reader.variables
        reader.variables = {**around, **dict(zip(names, given, strict=True))}
        try:
            return reader.read(message.function)
        finally:
            reader.variables = before

    body.__signature__ = _signature(names)  # type: ignore[attr-defined]
    return body


def variable(reader: Reader, message: Any, whole: Message) -> Expression:
    """A parameter of a function around, or a field of it."""
    first, *fields = message.name_parts
    found = reader.variables[first]
    for name in fields:
        found = ItemExpression(found, ValueExpression(literal(name)))
    return found


def _signature(names: list[str]) -> inspect.Signature:
    """Parameters as the user called them: PySpark adds a number to each."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    plain = [re.sub(r"_\d+$", "", name) for name in names]
    if len(set(plain)) < len(plain):
        plain = names
    return inspect.Signature([inspect.Parameter(name, kind) for name in plain])


HANDLERS = {
    "lambda_function": lambda_function,
    "unresolved_named_lambda_variable": variable,
}
