"""The errors for expressions that no view can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.spark.capture.connect.exclusions import REFUSED_EXPRESSIONS
from viewscribe.spark.capture.connect.types import logical_type
from viewscribe.spark.capture.refusals import refusal
from viewscribe.spark.capture.user_functions import python_function, python_table_function
from viewscribe.types import Field, StructType
from viewscribe.types.session_types import session_schema

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader


def unknown_expression(reader: Reader, kind: str, message: Message) -> CaptureError:
    """The error for an expression that cannot be captured."""
    known = f"an expression of the kind {kind} is not known"
    reason, hint = REFUSED_EXPRESSIONS.get(kind, (known, None))
    node = kind or "expression"
    if kind == "common_inline_user_defined_function":
        called = message.common_inline_user_defined_function
        node = f"user function {called.function_name}"
        reason, hint = _user_function(reader, called)
    return refusal(node, reason, hint=hint, origin=message.common.origin)


def _user_function(reader: Reader, called: Any) -> tuple[str, str]:
    returns = parameters = None
    try:
        returns = logical_type(called.python_udf.output_type)
        parameters = [reader.type_of(each) for each in called.arguments]
    except ViewscribeError:
        pass  # a type that is not known here, or an argument that is refused itself
    return python_function(called.function_name, called.python_udf.eval_type, returns, parameters)


def table_function(called: Any) -> tuple[str, str]:
    """Why a view cannot call a Python table function, and the way out."""
    columns = None
    if called.python_udtf.HasField("return_type"):
        columns = _columns(called.python_udtf.return_type)
    return python_table_function(called.function_name, columns)


def _columns(message: Any) -> Sequence[Field] | None:
    try:
        if message.WhichOneof("kind") == "unparsed":
            return session_schema(message.unparsed.data_type_string)
        made = logical_type(message)
    except ViewscribeError:
        return None  # a type that is not known here
    return made.fields if isinstance(made, StructType) else None
