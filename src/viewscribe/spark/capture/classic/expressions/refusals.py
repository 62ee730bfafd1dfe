"""Expressions that no stored view can hold, each with the way out."""

from __future__ import annotations

from typing import NoReturn

from viewscribe.errors import CaptureError
from viewscribe.expressions.nodes import ResolvedExpression, make_call
from viewscribe.spark.capture.classic.expressions.calls import is_of_catalog, read_catalog_function
from viewscribe.spark.capture.classic.expressions.reader import Expressions, Handler
from viewscribe.spark.capture.classic.plan import PlanNode, line_of, refusal
from viewscribe.spark.capture.session_functions import (
    SCALARS,
    SessionFunction,
    python_function,
    python_table_function,
)
from viewscribe.spark.session_objects import OF_SESSIONS
from viewscribe.types import ArrayType, StructType


def _python(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    try:
        args = [reader.read(each) for each in node.get("children") or ()]
    except CaptureError:
        args = None  # one is refused itself
    name, kind = node.get("name") or "function", node.get("evalType") or 0
    returns = node.extra.get("type")
    types = None if args is None else [each.type for each in args]
    reason, hint = python_function(name, kind, returns, types)
    error = refusal(node, reason, hint=hint)
    if args is None or returns is None or kind not in SCALARS:
        raise error
    if not node.line and reader.step is not None and (line := line_of(reader.step)):
        error.location = f"{node.kind}, at {line}"
    return make_call(SessionFunction(name, returns, error), tuple(args))


def _python_table(reader: Expressions, node: PlanNode) -> NoReturn:
    type_ = node.extra.get("type") or node.get("elementSchema")
    if isinstance(type_, ArrayType):
        type_ = type_.element
    fields = type_.fields if isinstance(type_, StructType) else None
    reason, hint = python_table_function(node.get("name") or "function", fields)
    raise refusal(node, reason, hint=hint)


def _scala(reader: Expressions, node: PlanNode) -> NoReturn:
    name = node.get("udfName") or "function"
    if _is_sample_by(node):
        raise refusal(
            node,
            "sampleBy() keeps its fractions in Scala code of this session",
            hint="record the pipeline, vs.record(…), or compare F.rand(seed) with the fractions",
        )
    raise refusal(
        node,
        f"`{name}` is a function of this session, which no stored view can call",
        hint=f"create it as a permanent function: CREATE FUNCTION {name} AS '<class>' USING JAR …",
    )


def _is_sample_by(node: PlanNode) -> bool:
    """Whether it is the function without a name that takes a stratum and a random number."""
    given: list[PlanNode] = node.get("children") or []
    return not node.get("udfName") and len(given) == 2 and given[1].kind == "Rand"


def _hive(reader: Expressions, node: PlanNode) -> NoReturn:
    raise refusal(
        node,
        f"`{node.get('name')}` is a function of Hive's, whose type is not known here",
        hint="declare it with env.create_function(…), and build the view with the Table API",
    )


def _because(reason: str, hint: str) -> Handler:
    def refuse(reader: Expressions, node: PlanNode) -> NoReturn:
        raise refusal(node, reason, hint=hint)

    return refuse


_OUTSIDE = _because(
    "it runs an object of Java's that SQL cannot name", "use functions of Spark SQL instead"
)

WITHOUT_SQL = {
    "CollectFrequentItems": (
        "SQL has no function for the sketch of freqItems()",
        "use approx_top_k(…), which counts too",
    ),
    "VariableReference": OF_SESSIONS,
}
"""Classes of Spark's own whose way out is known."""


def _invoke(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    if is_of_catalog(node):
        return read_catalog_function(reader, node)
    return _OUTSIDE(reader, node)


HANDLERS: dict[str, Handler] = {
    **{name: _because(*reason) for name, reason in WITHOUT_SQL.items()},
    "PythonUDF": _python,
    "PythonUDAF": _python,
    "PythonUDTF": _python_table,
    "UnresolvedPythonUDTF": _python_table,
    "PythonFuncExpression": _python,
    "ScalaUDF": _scala,
    "ScalaAggregator": _scala,
    "ScalaUDAF": _scala,
    "TypedAggregateExpression": _scala,
    "SimpleTypedAggregateExpression": _scala,
    "ComplexTypedAggregateExpression": _scala,
    "HiveSimpleUDF": _hive,
    "HiveGenericUDF": _hive,
    "HiveUDAFFunction": _hive,
    "HiveGenericUDTF": _hive,
    "Invoke": _invoke,
    "NewInstance": _OUTSIDE,
}
