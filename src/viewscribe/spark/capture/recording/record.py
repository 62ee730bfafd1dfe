"""``record(pipeline)``: the tree of a pipeline function, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.spark.capture.sources import Sources


def record(
    pipeline: Callable[[Any], Any],
    sources: Sources,
    *,
    settings: Mapping[str, str] | None = None,
    partial: bool = False,
    notes: Notes | None = None,
) -> QueryOperation:
    """Calls the pipeline with a session that only notes its steps.

    The session is a Spark Connect one without a server (``design`` of Spark Connect: the client
    builds an unresolved plan); columns that the pipeline asks for are worked out from the tree.

    Args:
        pipeline: a function of a ``SparkSession`` that gives a DataFrame.
        sources: where tables get their columns from.
        settings: Spark settings that the pipeline may ask for.
        partial: report everything that cannot be captured at once.
        notes: takes the Python line of each step.

    Raises:
        CaptureError: the pipeline asks for rows or has a step that no view can hold; names it, the
            Python line where it is known, and the way out.
    """
    try:
        from viewscribe.spark.capture.recording.session import recording
    except ImportError as error:
        raise CaptureError(
            f"recording needs the client of Spark Connect: {error}",
            hint='pip install "viewscribe[capture]"',
        ) from error
    from viewscribe.spark.capture.connect import capture_connect

    with recording(sources, settings or {}) as session:
        made = pipeline(session)
        if not type(made).__module__.startswith("pyspark.sql.connect."):
            raise CaptureError(
                f"the pipeline gives a {type(made).__name__}, not a DataFrame of the session it "
                "was called with",
                location=getattr(pipeline, "__qualname__", repr(pipeline)),
                hint="return a DataFrame that starts from the session it is given",
            )
        return capture_connect(made, partial=partial, sources=session.sources, notes=notes)
