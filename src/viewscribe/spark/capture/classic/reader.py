"""Reading an analyzed plan out of the JVM: the one place that touches Spark's internals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic.compiled import compiled_dump
from viewscribe.spark.capture.classic.plan import PlanNode, read_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def analyzed_plan(frame: DataFrame) -> PlanNode:
    """The analyzed plan of a classic DataFrame as plain data.

    Raises:
        CaptureError: the DataFrame is one of Spark Connect, which has no analyzed plan here.
    """
    java: Any = getattr(frame, "_jdf", None)
    if java is None:
        raise CaptureError(
            "a DataFrame of Spark Connect has no analyzed plan in this process",
            hint="capture it by its Connect plan",
        )
    jvm: Any = frame.sparkSession._jvm
    return read_plan(compiled_dump(jvm, java.queryExecution().analyzed()))
