"""``record(pipeline)``: the tree of a pipeline function, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.spark.capture.lines import site_of
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
        made = _called(pipeline, session)
        if not type(made).__module__.startswith("pyspark.sql.connect."):
            raise CaptureError(
                f"the pipeline gives a {type(made).__name__}, not a DataFrame of the session it "
                "was called with",
                location=getattr(pipeline, "__qualname__", repr(pipeline)),
                hint="return a DataFrame that starts from the session it is given",
            )
        return capture_connect(made, partial=partial, sources=session.sources, notes=notes)


_ONLY_CLASSIC = ("JVM_ATTRIBUTE_NOT_SUPPORTED", "NOT_IMPLEMENTED")
"""What PySpark says of ``rdd``, ``sparkContext`` and the like over Connect."""


def _called(pipeline: Callable[[Any], Any], session: Any) -> Any:
    """What the pipeline gives; an error says where in the pipeline it comes from."""
    from pyspark.errors import PySparkAttributeError, PySparkNotImplementedError

    try:
        return pipeline(session)
    except CaptureError as error:
        where = error.location or ""
        site = site_of(error) if ", at " not in where else None
        if site is not None:
            error.location = f"{where}, at {site}" if where else site
        raise
    except (PySparkAttributeError, PySparkNotImplementedError) as error:
        if error.getCondition() not in _ONLY_CLASSIC:
            raise
        said = str(error).partition("] ")[2].partition(". ")[0] or str(error)
        raise CaptureError(
            f"the pipeline uses what has no plan and only a classic session has: {said}",
            location=site_of(error),
            hint="rows of an RDD are not known to any plan: save them as a table, "
            "df.write.saveAsTable(…), and start from spark.table(…)",
        ) from error
