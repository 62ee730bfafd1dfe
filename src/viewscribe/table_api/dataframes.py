"""From PySpark to a ``Table``: capturing existing DataFrames and recording pipelines."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial as partial_
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.operations.notes import Notes
from viewscribe.spark.classes import require_session, require_spark
from viewscribe.table_api.captured_table import CapturedTable
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.policy_scope import with_coercion
from viewscribe.table_api.table import Table
from viewscribe.types.arguments import checks_flags, methods_check_flags

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.spark.classes import DataFrame, SparkSession
    from viewscribe.table_api.view_storage import SavedView

_CASE = "spark.sql.caseSensitive"


def is_dataframe(value: object) -> bool:
    """Returns whether it is a PySpark DataFrame, classic or Connect, without importing PySpark."""
    module = type(value).__module__
    return module.startswith("pyspark.sql.") and type(value).__name__ == "DataFrame"


@checks_flags
def capture(df: DataFrame, *, partial: bool = False) -> CapturedTable:
    """Converts an existing PySpark DataFrame into a table.

    The tree follows the pipeline as the user wrote it (the unoptimized plan), not what Spark's
    optimizer makes of it.

    Args:
        df: a classic or Connect DataFrame.
        partial: report everything that cannot be captured, instead of only the first problem.

    Raises:
        CaptureError: a step cannot be captured; names the plan node, its Python line if known, and
            a workaround.
    """
    if not is_dataframe(df):
        raise CaptureError(
            f"a {type(df).__name__} is not a DataFrame", hint="pass what spark.table(…) gives"
        )
    from viewscribe.spark.capture import capture as captured
    from viewscribe.spark.capture.file_tables import file_tables_in_force
    from viewscribe.spark.session_state import ask_once

    with ask_once(df.sparkSession):
        env = session_environment(df.sparkSession)
        _require_names_in_any_case(env)
        lines = Notes()
        operation = with_coercion(env, captured, df, partial=partial, notes=lines)
    return CapturedTable(
        env,
        operation,
        lines,
        spark=df.sparkSession,
        original=lambda: df,
        tables=file_tables_in_force(),
    )


def capture_into(env: TableEnvironment, df: DataFrame) -> Table:
    """Captures a DataFrame as a table of ``env``; see ``TableEnvironment.from_dataframe``."""
    captured = capture(df)
    of_session, here = captured.env.settings, env.settings
    for name in sorted({*of_session, *here}):
        if of_session.get(name) != here.get(name):
            differing = {
                key: of_session[key] for key in of_session if of_session[key] != here.get(key)
            }
            raise CaptureError(
                f"the session reads the DataFrame under {name} = {of_session.get(name)}, and this "
                f"environment under {here.get(name)}",
                hint=f"TableEnvironment(…, settings={differing!r})",
            )
    lines = captured.lines
    return CapturedTable(
        env, captured.operation, lines, spark=captured.spark, original=captured.original
    )


@checks_flags
def record(
    pipeline: Callable[[Any], Any],
    spark: SparkSession | None = None,
    *,
    env: TableEnvironment | None = None,
    partial: bool = False,
) -> CapturedTable:
    """Records a pipeline function as a table, without running any of its queries.

    Args:
        pipeline: a function that takes a ``SparkSession`` and returns a DataFrame.
        spark: a session that knows the tables. Without one the tables are looked up in ``env``,
            which needs neither a server nor a JVM.
        env: the environment whose tables the pipeline reads.
        partial: report everything that cannot be captured, instead of only the first problem.

    Raises:
        CaptureError: the pipeline fetches rows, or has a step that a view cannot hold.
    """
    require_spark()
    from viewscribe.spark.capture.file_tables import file_tables_in_force
    from viewscribe.spark.capture.recording import record as recorded
    from viewscribe.spark.capture.sources import CatalogSources, SessionSources, Sources

    if spark is not None:
        require_session(spark)
        home = env or session_environment(spark)
        sources: Sources = SessionSources(spark)
    elif env is not None:
        home, sources = env, CatalogSources(env)
    else:
        raise CaptureError(
            "nobody can be asked for the columns of the tables that the pipeline reads",
            location=getattr(pipeline, "__qualname__", repr(pipeline)),
            hint="vs.record(pipeline, spark), or env=TableEnvironment.open(…) without Spark",
        )
    _require_names_in_any_case(home)
    lines = Notes()
    settings = dict(home.settings)
    if spark is not None:
        from viewscribe.spark.session import settings_of_texts

        settings = {**settings_of_texts(spark), **settings}
    operation = with_coercion(
        home, recorded, pipeline, sources, settings=settings, partial=partial, notes=lines
    )
    original = None if spark is None else partial_(pipeline, spark)
    tables = file_tables_in_force()
    return CapturedTable(home, operation, lines, spark=spark, original=original, tables=tables)


def _require_names_in_any_case(env: TableEnvironment) -> None:
    """Rejects case-sensitive sessions: viewscribe resolves column names case-insensitively."""
    if env.settings.get(_CASE, "false").strip().lower() == "true":
        raise CaptureError(
            "the session tells names apart by their case, and viewscribe finds them in any case",
            location=f"{_CASE} = true",
            hint=f'rename what differs in case alone, and spark.conf.set("{_CASE}", "false")',
        )


def session_environment(spark: SparkSession) -> TableEnvironment:
    """Returns an environment with the session's settings (ANSI, time zone, case and so on).

    SQL is written for the session's version of Spark.
    """
    from viewscribe.serializer.targets import session_target
    from viewscribe.spark.session import captured_settings

    return TableEnvironment(settings=captured_settings(spark), target=session_target(spark.version))


@methods_check_flags
class ViewPipeline:
    """A pipeline function with the view it defines; calling it calls the function.

    Args:
        function: takes a ``SparkSession`` and returns a DataFrame.
        name: the view's name.
        comment: a description of the view; by default the first line of the function's docstring.
    """

    def __init__(self, function: Callable[[Any], Any], name: str, comment: str | None) -> None:
        self.function = function
        self.view_name = name
        first = (function.__doc__ or "").strip().splitlines()
        self.comment = comment or (first[0] if first else None)
        update_wrapper(self, function)

    def __call__(self, spark: SparkSession) -> Any:
        return self.function(spark)

    def record(
        self,
        spark: SparkSession | None = None,
        *,
        env: TableEnvironment | None = None,
        partial: bool = False,
    ) -> Table:
        """Records the pipeline as a table; see ``vs.record``."""
        return record(self.function, spark, env=env, partial=partial)

    def to_sql(
        self,
        spark: SparkSession | None = None,
        *,
        env: TableEnvironment | None = None,
        style: str = "readable",
        annotate: bool = False,
        target: str | None = None,
    ) -> str:
        """Returns the view's SQL text; see ``Table.to_sql``."""
        return self.record(spark, env=env).to_sql(style, annotate=annotate, target=target)

    def save(
        self,
        spark: SparkSession,
        *,
        catalog: str | Catalog | None = None,
        or_replace: bool = False,
        rows: bool = False,
        compare_up_to: int | None = None,
        unproven: bool = False,
        annotate: bool = False,
        target: str | None = None,
        reason: str | None = None,
        author: str | None = None,
        drop_dialects: Collection[str] | bool = (),
        tables: bool = False,
    ) -> SavedView:
        """Stores the view after proving it against the function's result; see ``vs.save_view``."""
        from viewscribe.table_api.view_storage import save_pipeline

        return save_pipeline(
            self.function,
            self.view_name,
            spark,
            catalog=catalog,
            or_replace=or_replace,
            comment=self.comment,
            rows=rows,
            compare_up_to=compare_up_to,
            unproven=unproven,
            annotate=annotate,
            target=target,
            reason=reason,
            author=author,
            drop_dialects=drop_dialects,
            tables=tables,
        )

    def __repr__(self) -> str:
        return f"<view {self.view_name}: {self.function.__qualname__}>"


def view(
    name: str, *, comment: str | None = None
) -> Callable[[Callable[[Any], Any]], ViewPipeline]:
    """Decorator that marks a function of a ``SparkSession`` as the pipeline of a view.

    Calling the function still returns its DataFrame. ``.record``, ``.to_sql`` and ``.save`` work on
    the view, and ``viewscribe save module:function`` finds it.

    Args:
        name: the view's name, ``"sales.top_customers"``.
        comment: a description of the view; by default the first line of the function's docstring.

    Raises:
        ValidationError: no name was given, as in a bare ``@vs.view``.
    """
    if not isinstance(name, str):
        raise ValidationError(
            "a view has a name, and this one has none",
            location=getattr(name, "__qualname__", repr(name)),
            hint='say it in the mark: @vs.view("sales.top_customers")',
        )
    return lambda function: ViewPipeline(function, name, comment)
