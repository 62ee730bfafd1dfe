"""The one-liners: ``vs.to_sql``, ``vs.save_view``, ``vs.open_view``, ``vs.verify``, …"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.table_api.captured import CapturedTable
from viewscribe.table_api.capturing import ViewPipeline, capture, is_dataframe
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.expressions.functions.importing import PythonModules
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.saving import SavedView


def to_sql(
    df_or_table: object,
    *,
    style: str = "readable",
    annotate: bool = False,
    target: str | None = None,
    qualify: str = "full",
) -> str:
    """The SQL text of a pipeline or a PySpark DataFrame; see ``Table.to_sql``.

    Args:
        df_or_table: a ``Table``, or a classic or Connect DataFrame.
        style: ``readable``, ``pipe`` or ``nested``.
        target: the Spark version that reads the text, ``"4.0"``; by default the version of a
            DataFrame's session, and the newest for a ``Table``.
        qualify: how tables are called: ``full``, ``database`` or ``minimal``.

    Raises:
        CaptureError: a DataFrame with a step that SQL cannot say; names it and the way out.
    """
    table = _table(df_or_table)
    return table.to_sql(style, annotate=annotate, target=target, qualify=qualify)


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
) -> SavedView | None:
    """Stores a pipeline or a PySpark DataFrame as a view.

    A DataFrame's text is first proven to mean what the DataFrame means, by schema and plan, or else
    by its rows where they are cheap to compare; and so is that of a table that was captured, or
    recorded with a session. For other tables there is no session to prove it in: ``vs.verify``
    does it later.

    Args:
        df_or_table: a ``Table``, or a classic or Connect DataFrame.
        name: the view's name.
        catalog: where to store it (a URL such as ``"file:./views"``, a ``Catalog`` or a running
            session); by default the catalog of the table's own environment, or of the DataFrame's
            session.
            For a table, another catalog must know the tables that it reads; those of a DataFrame
            are noted there.
        or_replace: whether a view of that name may be replaced.
        comment: what the view is.
        rows: whether the rows of a DataFrame are compared whatever it costs, which runs it twice.
        compare_up_to: the bytes that a DataFrame may read for its rows to be compared where the
            plan is no proof; 100 MB by default.
        unproven: whether to store a view that neither plan nor rows prove; its property
            ``viewscribe.verified`` says so.
        annotate: whether comments in the stored text say the Python line of each step.
        target: the Spark version that reads the view, ``"4.0"``; by default the version of a
            DataFrame's session, and that of a table's environment.
        reason: why, for the view's history.
        author: who does it; by default ``VIEWSCRIBE_AUTHOR``, else the system's user.

    Returns:
        Where it was proven, what was stored, the proof, and which columns had to be renamed.

    Raises:
        CaptureError: a DataFrame with a step that no view can hold.
        VerificationError: the text came out different, or nothing proves it; nothing was stored.
    """
    table = _table(df_or_table)
    if isinstance(table, CapturedTable) and table.spark is not None:
        from viewscribe.table_api.saving import save_captured

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
) -> Any:
    """A stored view as a DataFrame, with everything it depends on, from what is stored alone.

    Args:
        env: the environment whose catalogs hold the view.
        name: the view's name.
        spark: the ``SparkSession`` to open it in.
        python_modules: modules that its Python functions may be imported from, beside those of the
            environment.
        formats: formats that its tables may have beyond those of files: ``jdbc``.
        locations: directories that paths in its text may lead to, and jars of its functions.
        functions: functions it may call that reach out of the query: ``reflect``.

    Raises:
        ForbiddenModuleError: it calls a Python function whose module was not allowed.
        ForbiddenSourceError: it reads or calls something else that nobody allowed.
        ChangedFunctionError: it calls a Python function that is not what was stored.
    """
    from viewscribe.spark.views import open_view as open_in_spark

    with env.python_modules.and_also(python_modules).in_force():
        return open_in_spark(
            env.catalogs, name, spark, formats=formats, locations=locations, functions=functions
        )


def attach_functions(
    spark: SparkSession,
    *names: str,
    catalog: TableEnvironment | str | Catalog | None = None,
    python_modules: PythonModules | Iterable[str] | None = None,
) -> list[str]:
    """Makes Python functions callable in a session's SQL, as they are in the catalog.

    Args:
        spark: a classic ``SparkSession``.
        names: functions, and views, all of whose functions are attached.
        catalog: the catalog that holds them (a URL such as ``"file:./views"``, a ``Catalog`` or an
            environment); by default the session's own.
        python_modules: the modules that they may be imported from, beside those of the environment.

    Returns:
        The references ``module:name`` of all that the session has now.

    Raises:
        ForbiddenModuleError: the module of one was not allowed.
        ChangedFunctionError: one is not what was stored.
        FunctionRegistrationError: the session cannot have one.
    """
    from viewscribe.spark.attaching import attach_named

    given = isinstance(catalog, TableEnvironment)
    env = catalog if given else TableEnvironment(spark if catalog is None else catalog)
    assert isinstance(env, TableEnvironment)
    with env.python_modules.and_also(python_modules).in_force():
        return attach_named(env.catalogs, names, spark)


def verify(subject: Any, spark: SparkSession, **options: Any) -> Any:
    """Proof that SQL text means what the tree means; see ``viewscribe.spark.verify``.

    Args:
        subject: a ``Table``, or the document of a stored view (``env.get_view(…)``).
        spark: the ``SparkSession`` that has the tables.
        options: passed on; ``python_modules`` are those that Python functions may be imported
            from, where the session has them not attached; ``formats``, ``locations`` and
            ``functions`` allow a stored view what they allow for ``open_view``.

    Returns:
        A ``VerificationReport``: ``.ok``, ``.schema``, ``.plan``, ``.rows``; prints as a table.
    """
    from viewscribe.spark.verify import verify as verify_in_spark

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
