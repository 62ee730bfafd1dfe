"""The errors for expressions that no view can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.dsl import CallExpression, Expression
from viewscribe.expressions.resolve import resolve
from viewscribe.spark.capture.connect.exclusions import REFUSED_EXPRESSIONS
from viewscribe.spark.capture.connect.types import logical_type
from viewscribe.spark.capture.refusals import python_line, refusal
from viewscribe.spark.capture.session_functions import SessionFunction
from viewscribe.spark.capture.user_functions import (
    SCALARS,
    python_function,
    python_table_function,
)
from viewscribe.types import Field, StructType
from viewscribe.types.session_types import session_schema

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader


def unknown_expression(kind: str, message: Message) -> CaptureError:
    """The error for an expression that cannot be captured."""
    known = f"an expression of the kind {kind} is not known"
    reason, hint = REFUSED_EXPRESSIONS.get(kind, (known, None))
    return refusal(kind or "expression", reason, hint=hint, origin=message.common.origin)


def python_call(reader: Reader, called: Any, whole: Message) -> Expression:
    """The call of a Python function, which is refused in the end where something reads it.

    Raises:
        CaptureError: it gives no value for each row, or one of a type that is not known here.
    """
    name, kind = called.function_name, called.python_udf.eval_type
    args = returns = types = None
    try:
        returns = logical_type(called.python_udf.output_type)
        args = reader.read_all(called.arguments)
        types = [resolve(each, reader.scope.schema).type for each in args]
    except ViewscribeError:
        pass  # a type that is not known here, or an argument that is refused itself
    reason, hint = python_function(name, kind, returns, types)
    origin = whole.common.origin
    if not python_line(origin):
        origin = reader.walk.program.relations[reader.walk.current].common.origin
    error = refusal(f"user function {name}", reason, hint=hint, origin=origin)
    if args is None or returns is None or kind not in SCALARS:
        raise error
    made = CallExpression(SessionFunction(name, returns, error), args)
    return reader.spelling.call(made, name, args, False)


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
