"""The way over Spark Connect: the program a user wrote, as protobuf, becomes the tree."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.operations.required_settings import TIME_TYPE, find_time_in_use, refuse_time
from viewscribe.operations.rewrites.time_windows import with_windows_as_steps
from viewscribe.spark.capture.lines import CONNECT, is_tested
from viewscribe.spark.capture.session_functions import without_session_functions
from viewscribe.spark.capture.sources import SessionSources, Sources


def capture_connect(
    df: Any,
    *,
    partial: bool = False,
    sources: Sources | None = None,
    notes: Notes | None = None,
) -> QueryOperation:
    """The tree of a Connect DataFrame.

    Args:
        df: the DataFrame.
        partial: tell everything at once that cannot be captured.
        sources: where tables get their columns from.
        notes: takes the Python line of each step, as far as that is known.

    Raises:
        CaptureError: what cannot be captured; with ``partial`` everything at once.
    """
    import pyspark

    from viewscribe.spark.capture.connect.qualifiers import refuse_shared_draws
    from viewscribe.spark.capture.connect.sql_expressions import refuse_unknown_fields
    from viewscribe.spark.capture.connect.walker import Program, Walk, check_all

    lines = getattr(df._session, "lines", None)  # of a recording, which notes each step's
    program = Program(df._plan, df._session.client, lines)
    if not is_tested(pyspark.__version__, CONNECT):
        refuse_unknown_fields(program.relations.values(), pyspark.__version__)
    columns_of = sources or SessionSources(df._session)
    walk = Walk(program, columns_of, notes, recorded=lines is not None)
    if partial:
        check_all(walk)
    try:
        made = with_windows_as_steps(walk.run(program.root), notes)
        if walk.is_classic:
            refuse_shared_draws(made)
        if find_time_in_use(made) is not None and (
            (columns_of.setting(TIME_TYPE) or "").strip().lower() == "false"
        ):
            refuse_time(made)  # the session is asked only where it matters
        return without_session_functions(made, notes, partial=partial)
    except RecursionError as error:
        raise CaptureError(
            "a column without a name is computed by an expression nested too deeply to be named",
            hint='name it: .alias("…")',
        ) from error
