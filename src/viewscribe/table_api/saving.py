"""Saving a PySpark pipeline as a view: names made fit, proof first, then the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from viewscribe.errors import VerificationError
from viewscribe.expressions.nodes import alias
from viewscribe.operations.nodes import Project
from viewscribe.table_api.capturing import capture, record, session_environment
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table
from viewscribe.table_api.views import view_dependencies
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.spark.report import VerificationReport

VERIFIED = "viewscribe.verified"
"""The property of a stored view that says how far its meaning was proven."""


@dataclass(frozen=True, slots=True)
class SavedView:
    """What came of saving a view.

    Args:
        name: the view's name.
        sql: the stored text.
        verification: the proof.
        renamed: columns that a view cannot have under their names: (name, new name).
    """

    name: str
    sql: str
    verification: VerificationReport
    renamed: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        lines = [f"saved {self.name}; {self.verification}"]
        lines += [f"  column `{old}` is called `{new}`" for old, new in self.renamed]
        return "\n".join(lines)


def save_dataframe(
    df: Any,
    name: str,
    *,
    catalog: str | Catalog | None,
    or_replace: bool,
    comment: str | None,
    rows: bool,
    annotate: bool = False,
    target: str | None = None,
    reason: str | None = None,
    author: str | None = None,
) -> SavedView:
    """Stores an existing DataFrame as a view, once its text is proven to mean the same.

    The text is for the target, by default the version of the DataFrame's session.

    Raises:
        CaptureError: the DataFrame has a step that no view can hold.
        VerificationError: the text came out different; nothing was stored.
    """
    return _save(
        capture(df),
        df,
        name,
        catalog=catalog,
        or_replace=or_replace,
        comment=comment,
        rows=rows,
        annotate=annotate,
        target=target,
        told=(reason, author),
    )


def save_pipeline(
    pipeline: Callable[[Any], Any],
    name: str,
    spark: Any,
    *,
    catalog: str | Catalog | None = None,
    or_replace: bool = False,
    comment: str | None = None,
    rows: bool = False,
    annotate: bool = False,
    target: str | None = None,
) -> SavedView:
    """Records a pipeline and stores it as a view, proven against what the pipeline itself gives.

    Raises:
        CaptureError: the pipeline has a step that no view can hold, or asks for rows.
        VerificationError: the text came out different; nothing was stored.
    """
    table = record(pipeline, spark)
    return _save(
        table,
        pipeline(spark),
        name,
        catalog=catalog,
        or_replace=or_replace,
        comment=comment,
        rows=rows,
        annotate=annotate,
        target=target,
    )


def _save(
    table: Table,
    df: Any,
    name: str,
    *,
    catalog: str | Catalog | None,
    or_replace: bool,
    comment: str | None,
    rows: bool,
    annotate: bool = False,
    target: str | None = None,
    told: tuple[str | None, str | None] = (None, None),
) -> SavedView:
    """``told`` is why it is stored, and who does it."""
    spark = df.sparkSession
    reason, author = told
    table, renamed = with_distinct_names(table)
    text = table.to_sql(annotate=annotate, target=target)
    report = _proven(table, text, df, name, rows)
    saved = SavedView(name, text, report, renamed)
    properties = {VERIFIED: report.rung}
    from viewscribe.spark.capture.tables import store_sources

    settings = session_environment(spark).settings
    if catalog is None:
        env, name = _of_session(spark, name, settings)
    else:
        env = TableEnvironment(catalog, settings=settings)
    outside = store_sources(env.catalogs, table.operation, spark)
    env.create_view(
        name,
        table,
        or_replace=or_replace,
        comment=comment,
        properties=properties,
        outside=outside,
        annotate=annotate,
        target=target,
        reason=reason,
        author=author,
    )
    return saved


def _of_session(spark: Any, name: str, settings: Mapping[str, str]) -> tuple[TableEnvironment, str]:
    """An environment over the session's catalogs, and the full name that the session means."""
    from viewscribe.spark.session_catalog import SESSION_CATALOG, catalog_of_session, full_name

    parts = full_name(spark, parse_name(name))
    env = TableEnvironment(catalog_of_session(spark, SESSION_CATALOG), settings=settings)
    if parts[0].lower() != SESSION_CATALOG:
        env.register_catalog(parts[0], catalog_of_session(spark, parts[0]))
    return env, quote_name(parts)


def save_from_catalog(
    pipeline: Callable[[Any], Any],
    name: str,
    env: TableEnvironment,
    spark: Any,
    *,
    or_replace: bool = False,
    comment: str | None = None,
    rows: bool = False,
    annotate: bool = False,
    target: str | None = None,
    reason: str | None = None,
) -> SavedView:
    """As ``save_pipeline``, for tables that the catalog itself knows, in a session of no history.

    Args:
        pipeline: takes a ``SparkSession`` and gives a DataFrame.
        name: the view's name.
        env: where the tables are, and where the view goes.
        spark: the session to prove it in; the tables are opened there first.
        or_replace: whether a view of that name may be replaced.
        comment: what the view is.
        rows: whether rows are compared too.
        annotate: whether comments in the stored text say the Python line of each step.
        target: the Spark version that reads the view; by default the environment's, or else the
            session's.
        reason: why, for the view's history.
    """
    from viewscribe.serializer.targets import session_target
    from viewscribe.spark.views import open_sources

    table, renamed = with_distinct_names(record(pipeline, env=env))
    sources = [each.name for each in view_dependencies(env, table.operation)]
    with env.python_modules.in_force():
        open_sources(env.catalogs, sources, spark)
    wanted = target or env.target or session_target(spark.version)
    text = table.to_sql(annotate=annotate, target=wanted)
    report = _proven(table, text, pipeline(spark), name, rows)
    env.create_view(
        name,
        table,
        or_replace=or_replace,
        comment=comment,
        properties={VERIFIED: report.rung},
        annotate=annotate,
        target=wanted,
        reason=reason,
    )
    return SavedView(name, text, report, renamed)


def _proven(table: Table, text: str, df: Any, name: str, rows: bool) -> VerificationReport:
    """The proof that the text gives what the DataFrame itself gives.

    Raises:
        VerificationError: it does not.
    """
    from viewscribe.spark.verify import verify

    original = df if df.columns == table.columns else df.toDF(*table.columns)
    report = verify(table, df.sparkSession, sql=text, rows=rows, original=original)
    if not report.is_sound:
        raise VerificationError(
            f"the view {name} would not mean what the DataFrame means; nothing was stored",
            location=str(report),
            hint="please report the pipeline: this is a defect of viewscribe",
        )
    return report


def with_distinct_names(table: Table) -> tuple[Table, tuple[tuple[str, str], ...]]:
    """The table with a name of its own for each column, and what was renamed.

    A view cannot have two columns of one name; a later one gets a number: ``id``, ``id_2``.
    """
    names = _distinct(table.columns)
    renamed = tuple((old, new) for old, new in zip(table.columns, names, strict=True) if old != new)
    if not renamed:
        return table, ()
    operation = table.operation
    columns = zip(operation.schema.references, names, strict=True)
    items = tuple([alias(reference, name) for reference, name in columns])
    return table.with_operation(Project.of(operation, items)), renamed


def _distinct(names: Sequence[str]) -> list[str]:
    taken = {name.lower() for name in names}
    seen: set[str] = set()
    found = []
    for name in names:
        chosen, number = name, 2
        while chosen.lower() in seen or (chosen != name and chosen.lower() in taken):
            chosen, number = f"{name}_{number}", number + 1
        seen.add(chosen.lower())
        found.append(chosen)
    return found
