"""From an existing DataFrame to the tree: ``capture(df)`` chooses the way."""

from __future__ import annotations

import logging
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.spark.capture.lines import CLASSIC, check_version
from viewscribe.spark.capture.sources import Sources
from viewscribe.spark.timing import log_duration

_LOG = logging.getLogger(__name__)


def capture(
    df: Any,
    *,
    partial: bool = False,
    sources: Sources | None = None,
    notes: Notes | None = None,
) -> QueryOperation:
    """The tree of a DataFrame, as the user wrote it.

    Args:
        df: a Spark Connect DataFrame or a classic one.
        partial: report everything that cannot be captured at once, not only the first.
        sources: where the tables of a Connect DataFrame get their columns from; its own session
            by default. A classic one knows its columns.
        notes: takes the Python line of each step, as far as PySpark notes them.

    Raises:
        CaptureError: names what cannot be captured, the Python line when known, and the way out.
    """
    module = type(df).__module__
    if module.startswith("pyspark.sql.connect."):
        from viewscribe.spark.capture.connect import capture_connect

        with log_duration(_LOG, "captured the DataFrame of Connect"):
            return capture_connect(df, partial=partial, sources=sources, notes=notes)
    if module.startswith("pyspark.sql.classic."):
        import pyspark

        from viewscribe.spark.capture.classic import capture_classic

        check_version(pyspark.__version__, CLASSIC, "the analyzed plan")
        with log_duration(_LOG, "captured the DataFrame"):
            return capture_classic(df, partial=partial, notes=notes)
    raise CaptureError(
        f"{type(df).__name__} is not a Spark DataFrame", hint="pass what spark.table(…) gives"
    )
