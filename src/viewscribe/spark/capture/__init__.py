"""From an existing DataFrame to the tree: ``capture(df)`` chooses the way."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.sources import Sources


def capture(df: Any, *, partial: bool = False, sources: Sources | None = None) -> QueryOperation:
    """The tree of a DataFrame, as the user wrote it.

    Args:
        df: a Spark Connect DataFrame or a classic one.
        partial: report everything that cannot be captured at once, not only the first.
        sources: where tables get their columns from; the DataFrame's own session by default.

    Raises:
        CaptureError: names what cannot be captured, the Python line when known, and the way out.
    """
    module = type(df).__module__
    if module.startswith("pyspark.sql.connect."):
        from viewscribe.spark.capture.connect import capture_connect

        return capture_connect(df, partial=partial, sources=sources)
    if module.startswith("pyspark.sql.classic."):
        raise CaptureError(
            "a classic DataFrame is not captured yet", hint="capture a Spark Connect DataFrame"
        )
    raise CaptureError(
        f"{type(df).__name__} is not a Spark DataFrame", hint="pass what spark.table(…) gives"
    )
