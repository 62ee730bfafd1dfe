"""The way over Spark Connect: the program a user wrote, as protobuf, becomes the tree."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.sources import SessionSources, Sources
from viewscribe.spark.capture.versions import CONNECT, check_version


def capture_connect(
    df: Any, *, partial: bool = False, sources: Sources | None = None
) -> QueryOperation:
    """The tree of a Connect DataFrame.

    Raises:
        CaptureError: what cannot be captured; with ``partial`` everything at once.
    """
    import pyspark

    check_version(pyspark.__version__, CONNECT, "the Connect plan")
    from viewscribe.spark.capture.connect.partial import check_all
    from viewscribe.spark.capture.connect.program import Program
    from viewscribe.spark.capture.connect.walker import Walk

    program = Program(df._plan, df._session.client)
    walk = Walk(program, sources or SessionSources(df._session))
    if partial:
        check_all(walk)
    try:
        return walk.run(program.root)
    except RecursionError as error:
        raise CaptureError(
            "a column without a name is computed by an expression nested too deeply to be named",
            hint='name it: .alias("…")',
        ) from error
