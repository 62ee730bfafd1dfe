"""An existing classic DataFrame as our operations, from the plan that Spark analyzed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, DataTypeError
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.serializer.targets import session_target
from viewscribe.spark.capture.classic.capture import Capture, WholeCapture
from viewscribe.spark.capture.classic.plan import analyzed_plan
from viewscribe.spark.capture.session_functions import without_session_functions
from viewscribe.spark.capture.sources import SessionSources
from viewscribe.spark.session import captured_settings
from viewscribe.types.identifiers import SETTING, zone
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOCAL_ROWS = 1_000
"""How many rows of local data may stand in a view, unless one says otherwise."""


def capture_classic(
    frame: DataFrame,
    *,
    local_rows: int = LOCAL_ROWS,
    partial: bool = False,
    notes: Notes | None = None,
) -> QueryOperation:
    """The operations of a classic DataFrame.

    Args:
        frame: a DataFrame of a classic session.
        local_rows: how many rows of local data may stand in a view.
        partial: tell everything at once that cannot be captured.
        notes: takes the Python line of each step, as far as PySpark notes them: it does for the
            columns and functions of a step, not for the step itself.

    Raises:
        CaptureError: a part of the plan cannot become a view: names the node, the Python line
            where PySpark noted it, and the way out; with ``partial`` all such parts.
    """
    try:
        plan = analyzed_plan(frame)
    except DataTypeError as error:
        raise CaptureError(error.message, location="type", hint=error.hint) from error
    java: Any = frame.sparkSession
    partitions = java._jsparkSession.leafNodeDefaultParallelism
    settings = captured_settings(frame.sparkSession)
    with coercion(coercion_of(settings)), zone(settings[SETTING]):
        try:
            target = session_target(frame.sparkSession.version)
            run = Capture(
                local_rows=local_rows,
                partitions=partitions,
                notes=notes,
                target=target,
                query_schema=SessionSources(frame.sparkSession).query_schema,
            )
            return without_session_functions(run.run(plan), notes)
        except CaptureError:
            if partial:
                whole = WholeCapture(local_rows=local_rows, partitions=partitions)
                whole.check(analyzed_plan(frame, with_columns=True))
            raise


__all__ = ["LOCAL_ROWS", "capture_classic"]
