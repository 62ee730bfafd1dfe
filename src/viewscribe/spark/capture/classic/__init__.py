"""An existing classic DataFrame as our operations, from the plan that Spark analyzed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.errors import CaptureError, DataTypeError
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.capture import Capture
from viewscribe.spark.capture.classic.reader import analyzed_plan
from viewscribe.spark.session import captured_settings
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOCAL_ROWS = 1_000
"""How many rows of local data may stand in a view, unless one says otherwise."""


def capture_classic(frame: DataFrame, *, local_rows: int = LOCAL_ROWS) -> QueryOperation:
    """The operations of a classic DataFrame.

    Args:
        frame: a DataFrame of a classic session.
        local_rows: how many rows of local data may stand in a view.

    Raises:
        CaptureError: a part of the plan cannot become a view: names the node, the Python line
            where PySpark noted it, and the way out.
    """
    try:
        plan = analyzed_plan(frame)
    except DataTypeError as error:
        raise CaptureError(error.message, location="type", hint=error.hint) from error
    partitions = _partitions(frame.sparkSession)
    with coercion(coercion_of(captured_settings(frame.sparkSession))):
        return Capture(local_rows=local_rows, partitions=partitions).run(plan)


def _partitions(session: SparkSession) -> int:
    """Into how many partitions the session divides a range by itself."""
    given = session.conf.get("spark.sql.leafNodeDefaultParallelism", None)
    return session.sparkContext.defaultParallelism if given is None else int(given)


__all__ = ["LOCAL_ROWS", "capture_classic"]
