"""From PySpark to a ``Table``: capturing existing DataFrames and recording pipelines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial as partial_
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.serializer.targets import session_target
from viewscribe.spark.classes import require_session, require_spark
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.policy_scope import with_coercion
from viewscribe.table_api.table import Table
from viewscribe.types.arguments import checks_flags, methods_check_flags

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.expressions.functions.python_modules import PythonModules
    from viewscribe.spark.capture.sources import FileTables
    from viewscribe.spark.classes import DataFrame, SparkSession
    from viewscribe.table_api.view_storage import SavedView


# ``CapturedTable``: a table from PySpark that knows the Python line of each step.


class CapturedTable(Table):
    """A table captured or recorded from PySpark, with the Python line of each step where known.

    The lines are kept beside the tree, not in it, so that equal pipelines compare equal wherever
    they were written.
    """

    __slots__ = ("lines", "original", "spark", "tables")

    def __init__(
        self,
        env: TableEnvironment,
        operation: QueryOperation,
        lines: Notes,
        *,
        spark: SparkSession | None = None,
        original: Callable[[], Any] | None = None,
        tables: FileTables | None = None,
    ) -> None:
        super().__init__(env, operation)
        self.lines = lines
        self.spark = spark
        """The session that knows the tables; None if a catalog does."""
        self.original = original
        """Returns the original DataFrame; None once steps have been added to it."""
        self.tables = tables
        """The tables that a view of it needs beside it."""

    def with_operation(self, operation: QueryOperation) -> Table:
        return CapturedTable(self.env, operation, self.lines, spark=self.spark, tables=self.tables)

    def _build(self, builder: Callable[..., QueryOperation], *args: Any, **options: Any) -> Table:
        return self.with_operation(super()._build(builder, *args, **options).operation)

    def _notes(self, operation: QueryOperation) -> Notes:
        self.lines.carry_all(self.operation, operation)
        return self.lines


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
    from viewscribe.spark.capture.sources import file_tables_in_force
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
    from viewscribe.spark.capture.recording import record as recorded
    from viewscribe.spark.capture.sources import (
        CatalogSources,
        SessionSources,
        Sources,
        file_tables_in_force,
    )

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


# The one-liners: ``vs.to_sql``, ``vs.save_view``, ``vs.open_view``, ``vs.verify``, …


@checks_flags
def to_sql(
    df_or_table: object,
    *,
    style: str = "readable",
    annotate: bool = False,
    target: str | None = None,
    qualify: str = "full",
) -> str:
    """Returns the SQL text of a pipeline or a PySpark DataFrame; see ``Table.to_sql``.

    Args:
        df_or_table: a ``Table``, or a classic or Connect DataFrame.
        style: ``readable``, ``pipe`` or ``nested``.
        annotate: whether comments give the Python line of each step.
        target: the Spark version to write SQL for, ``"4.0"``. Defaults to the version of a
            DataFrame's session, and to the environment's target for a ``Table``.
        qualify: how table names are qualified: ``full``, ``database`` or ``minimal``.

    Raises:
        CaptureError: SQL cannot express a step of the DataFrame; names it and a workaround.
    """
    table = _table(df_or_table)
    return table.to_sql(style, annotate=annotate, target=target, qualify=qualify)


@checks_flags
def save_view(
    df_or_table: object,
    name: str,
    *,
    catalog: str | Catalog | None = None,
    or_replace: bool = False,
    comment: str | None = None,
    rows: bool = False,
    compare_up_to: int | None = None,
    unproven: bool = False,
    annotate: bool = False,
    target: str | None = None,
    reason: str | None = None,
    author: str | None = None,
    drop_dialects: Collection[str] | bool = (),
    tables: bool = False,
) -> SavedView | None:
    """Stores a pipeline or a PySpark DataFrame as a view.

    The SQL of a DataFrame is first proven to mean the same as the DataFrame: by schema and plan,
    or by comparing rows if that is cheap. The same goes for a table that was captured, or recorded
    with a session. Other tables have no session to prove them in; use ``vs.verify`` later.

    Args:
        df_or_table: a ``Table``, or a classic or Connect DataFrame.
        name: the view's name.
        catalog: where to store it: a URL such as ``"file:./views"``, a ``Catalog`` or a running
            session. Defaults to the catalog of the table's environment, or of the DataFrame's
            session. Another catalog must know the tables that a ``Table`` reads; those of a
            DataFrame are added to it.
        or_replace: whether to replace an existing view of that name; what is not said of it stays,
            see ``env.create_view``.
        comment: a description of the view; ``""`` removes the one that there is.
        rows: whether to compare the rows of a DataFrame at any cost; this runs it twice.
        compare_up_to: the bytes that a DataFrame may read for its rows to be compared when the
            plan alone is no proof; 100 MB by default.
        unproven: whether to store a view that neither plan nor rows prove; its property
            ``viewscribe.verified`` then says so.
        annotate: whether comments in the stored text give the Python line of each step.
        target: the Spark version to write SQL for, ``"4.0"``. Defaults to the version of a
            DataFrame's session, and to the target of a table's environment.
        reason: the reason for the change, for the view's history.
        author: its author; by default ``VIEWSCRIBE_AUTHOR``, else the system user.
        drop_dialects: other engines that a replaced view has no SQL for any more, or True for all.
        tables: whether to make a table beside the view for files that a DataFrame reads with a
            schema of its own, which SQL on files cannot say; see docs/from-notebook-to-view.md.

    Returns:
        The stored SQL, the proof and any renamed columns; None for a table stored without proof.

    Raises:
        CaptureError: the DataFrame has a step that a view cannot hold.
        VerificationError: the SQL does not match, or nothing proves it; nothing was stored.
    """
    from viewscribe.table_api.view_storage import beside_view, save_captured

    spark = getattr(df_or_table, "sparkSession", None)
    with beside_view(name, spark, catalog, tables and is_dataframe(df_or_table)):
        table = _table(df_or_table)
    if isinstance(table, CapturedTable) and table.spark is not None:
        return save_captured(
            table,
            name,
            catalog=catalog,
            or_replace=or_replace,
            comment=comment,
            rows=rows,
            compare_up_to=compare_up_to,
            unproven=unproven,
            annotate=annotate,
            target=target,
            reason=reason,
            author=author,
            drop_dialects=drop_dialects,
        )
    env = table.env if catalog is None else TableEnvironment(catalog, settings=table.env.settings)
    env.create_view(
        name,
        table,
        or_replace=or_replace,
        comment=comment,
        annotate=annotate,
        target=target,
        reason=reason,
        author=author,
        drop_dialects=drop_dialects,
    )
    return None


def open_view(
    env: TableEnvironment,
    name: str,
    spark: SparkSession,
    *,
    python_modules: PythonModules | Iterable[str] | None = None,
    formats: Iterable[str] = (),
    locations: Iterable[str] = (),
    functions: Iterable[str] = (),
    opaque: Iterable[str] = (),
) -> Any:
    """Opens a stored view as a DataFrame, together with everything that it depends on.

    Only the catalog is needed; the session may be new. What reaches outside the query is an error
    unless it is allowed here (see docs/catalogs.md).

    Args:
        env: the environment whose catalogs hold the view.
        name: the view's name.
        spark: the ``SparkSession`` to open it in.
        python_modules: modules that its Python functions may be imported from, in addition to the
            environment's.
        formats: data sources that its tables may have in addition to files: ``jdbc``.
        locations: directories that paths in its text, and jars of its functions, may be in.
        functions: functions with side effects outside the query that it may call: ``reflect``.
        opaque: views whose text viewscribe cannot read, and which Spark is given all the same where
            its own parser cannot be asked, over Connect: ``shop.legacy``. You vouch for them.

    Raises:
        ForbiddenModuleError: it calls a Python function from a module that is not allowed.
        ForbiddenSourceError: it reads or calls something else that is not allowed.
        ChangedFunctionError: it calls a Python function that has changed since it was stored.
    """
    require_session(spark)
    from viewscribe.spark.views import open_view as open_in_spark

    with env.python_modules.and_also(python_modules).in_force():
        return open_in_spark(
            env.catalogs,
            name,
            spark,
            formats=formats,
            locations=locations,
            functions=functions,
            opaque=opaque,
        )


def attach_functions(
    spark: SparkSession,
    *names: str,
    catalog: TableEnvironment | str | Catalog | None = None,
    python_modules: PythonModules | Iterable[str] | None = None,
) -> list[str]:
    """Makes the Python functions of a catalog callable in a session's SQL.

    Args:
        spark: the ``SparkSession``. One of Spark Connect, or a catalog other than
            ``spark_catalog``, has a function under one name that is its whole path.
        names: names of functions, or of views whose functions are all attached.
        catalog: the catalog that holds them: a URL such as ``"file:./views"``, a ``Catalog`` or an
            environment. Defaults to the session's own.
        python_modules: modules that they may be imported from, in addition to the environment's.

    Returns:
        The references ``module:name`` of all functions attached to the session.

    Raises:
        ForbiddenModuleError: the module of a function is not allowed.
        ChangedFunctionError: a function has changed since it was stored.
        FunctionRegistrationError: the session cannot register a function.
    """
    require_session(spark)
    from viewscribe.spark.sources import attach_named

    given = isinstance(catalog, TableEnvironment)
    env = catalog if given else TableEnvironment(spark if catalog is None else catalog)
    assert isinstance(env, TableEnvironment)
    with env.python_modules.and_also(python_modules).in_force():
        return attach_named(env.catalogs, names, spark)


def send_modules(spark: SparkSession, *modules: str) -> None:
    """Sends viewscribe, and modules of one's own, to Spark's workers, which call Python functions.

    Args:
        spark: a session of Spark Connect or of a cluster; a local one needs nothing.
        modules: names of modules or packages in Python alone; a package is sent whole.

    Raises:
        ValidationError: a module is not found, or is compiled.
    """
    require_session(spark)
    from viewscribe.spark.workers import send_modules as send

    send(spark, *modules)


def verify(subject: Any, spark: SparkSession, **options: Any) -> Any:
    """Proves that the SQL text means the same as the tree; see ``viewscribe.spark.verify``.

    The text of a PySpark DataFrame, captured or recorded in this session, is compared with that
    DataFrame, as ``save_view`` compares it; further steps of the Table API make it a pipeline.

    Args:
        subject: a ``Table``, a PySpark DataFrame, or the document of a stored view
            (``env.get_view(…)``).
        spark: the ``SparkSession`` that has the tables.
        options: passed on. ``python_modules`` are the modules to import Python functions from if
            the session does not have them attached; ``formats``, ``locations``, ``functions`` and
            ``opaque`` are as in ``open_view``.

    Returns:
        A ``VerificationReport`` with ``.ok``, ``.schema``, ``.plan`` and ``.rows``; prints as a
        table.
    """
    require_session(spark)
    from viewscribe.spark.verify import verify as verify_in_spark

    if is_dataframe(subject):
        subject = capture(subject)
    if isinstance(subject, CapturedTable) and subject.spark is spark and subject.original:
        options.setdefault("original", subject.original())
    if isinstance(subject, Table):
        with subject.env.python_modules.in_force():
            return verify_in_spark(subject, spark, **options)
    return verify_in_spark(subject, spark, **options)


def _table(value: Any) -> Table:
    if isinstance(value, Table):
        return value
    if is_dataframe(value):
        return capture(value)
    if isinstance(value, ViewPipeline):
        raise CaptureError(
            f"the pipeline {value!r} has to be recorded first, which needs to know its tables",
            hint="pipeline.to_sql(spark), pipeline.save(spark), or vs.record(pipeline, env=…)",
        )
    raise CaptureError(
        f"a {type(value).__name__} is neither a Table of viewscribe nor a DataFrame",
        hint='start the pipeline with env.from_path("…")',
    )
