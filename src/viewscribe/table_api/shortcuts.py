"""The one-liners: ``vs.to_sql``, ``vs.save_view``, ``vs.open_view``, ``vs.verify``, …"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.spark.classes import require_session
from viewscribe.table_api.captured_table import CapturedTable
from viewscribe.table_api.dataframes import ViewPipeline, capture, is_dataframe
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table
from viewscribe.types.arguments import checks_flags

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.expressions.functions.python_modules import PythonModules
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.view_storage import SavedView


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
    from viewscribe.spark.attachment import attach_named

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
