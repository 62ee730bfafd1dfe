"""Reading an analyzed plan out of the JVM: the one place that touches Spark's internals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic.plan import PlanNode, read_plan
from viewscribe.spark.classic import Py4JJavaError
from viewscribe.spark.janino import NotCompiledError, java_object, unpack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def analyzed_plan(frame: DataFrame, *, with_columns: bool = False) -> PlanNode:
    """The analyzed plan of a classic DataFrame as plain data.

    Args:
        frame: the DataFrame.
        with_columns: whether every operator says its columns, those too whose columns follow from
            what they read.

    Raises:
        CaptureError: the DataFrame is one of Spark Connect, which has no analyzed plan here, or
            the driver compiles nothing, or Spark cannot write the plan down.
    """
    java: Any = getattr(frame, "_jdf", None)
    if java is None:
        raise CaptureError(
            "a DataFrame of Spark Connect has no analyzed plan in this process",
            hint="capture it by its Connect plan",
        )
    jvm: Any = frame.sparkSession._jvm
    try:
        writer = java_object(jvm, __package__, "PlanDump")
        return read_plan(unpack(writer.write(java, with_columns)))
    except NotCompiledError as error:
        raise CaptureError(
            f"the driver does not let one read its plans: {error}",
            hint="record the pipeline instead, vs.record(pipeline, spark), or use Spark Connect",
        ) from error
    except Py4JJavaError as error:
        raise _unwritable(error) from error


def _unwritable(error: Py4JJavaError) -> CaptureError:
    """What is wrong with a plan that Spark's own classes cannot write down."""
    said = str(error.java_exception.getMessage() or error.java_exception.toString())
    if "StringType(null)" in said:
        return CaptureError(
            "strings of different collations meet, and the result has none: Spark has no name for "
            "such a type",
            location="type",
            hint="say which one is meant: F.collate(column, 'UNICODE')",
        )
    return CaptureError(f"Spark cannot write down the plan: {said.splitlines()[0]}")
