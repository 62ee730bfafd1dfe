"""Saving a PySpark pipeline as a view: make names unique, prove, then write the document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogManager,
    DatabaseDocument,
    DatabaseNotFoundError,
    ObjectNotFoundError,
    Relation,
    TableDocument,
)
from viewscribe.catalog_store.permissions import authored
from viewscribe.catalog_store.protocol import HasTransactions, fold
from viewscribe.errors import VerificationError
from viewscribe.expressions.nodes import alias
from viewscribe.operations.nodes import Project
from viewscribe.operations.reach import plain_location
from viewscribe.serializer.targets import session_target
from viewscribe.table_api.dataframes import CapturedTable, record
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.replacement import VERIFIED
from viewscribe.table_api.table import Table
from viewscribe.table_api.views import check_view, refuse_unopenable, view_dependencies
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.spark.capture.sources import FileTables
    from viewscribe.spark.classes import SparkSession
    from viewscribe.spark.report import VerificationReport


# Tables beside a view, over files that SQL cannot read as the pipeline does: both, or neither.


@contextmanager
def tables_beside(
    catalogs: CatalogManager, tables: FileTables | None, *, keep: bool
) -> Iterator[None]:
    """In the block the catalog has the tables; those made for it go again where it fails.

    Args:
        catalogs: the catalogs, whose changes in the block are one where the catalog can do that.
        tables: the tables; None for none.
        keep: whether they stay where the block succeeds.

    Raises:
        AlreadyExistsError: the name of a table is taken by something else.
    """
    if tables is None or not tables.documents:
        yield
        return
    with _as_one(catalogs, tables.catalog), ExitStack() as undo:
        for document in tables.documents:
            _make(catalogs, tables.catalog, document, undo)
        yield
        if keep:
            undo.pop_all()


@contextmanager
def _as_one(catalogs: CatalogManager, name: str) -> Iterator[None]:
    home = catalogs.catalog(name)
    if not isinstance(home, HasTransactions):
        yield
        return
    with home.transaction() as changes:
        catalogs.register(name, changes, replace=True)
        try:
            yield
        finally:
            catalogs.register(name, home, replace=True)


def _make(catalogs: CatalogManager, home: str, document: TableDocument, undo: ExitStack) -> None:
    """Stores a table that is not there, and notes how it is taken away."""
    try:
        found = catalogs.relation((home, document.database, document.name))
    except (ObjectNotFoundError, DatabaseNotFoundError):
        pass
    else:
        assert isinstance(found, Relation)
        _require_same(found, document)
        return
    catalog = catalogs.catalog(home)
    database = DatabaseDocument(name=document.database)
    if catalogs.create_database(database, catalog=home, if_not_exists=True):
        undo.callback(catalog.drop_database, document.database)
    token = catalogs.save(document, catalog=home)
    undo.callback(catalog.delete, "table", document.database, document.name, expected=token)


def _require_same(found: Relation, wanted: TableDocument) -> None:
    there = found.document
    if not isinstance(there, TableDocument):
        raise AlreadyExistsError(
            f"`{found.path}` is a view, and the table of files beside the view would be called so",
            hint="store the view under another name",
        )
    has, wants = _definition(there), _definition(wanted)
    different = [
        f"{key}: {has.get(key)} there, {wants.get(key)} here"
        for key in {**has, **wants}
        if has.get(key) != wants.get(key)
    ]
    if different:
        raise AlreadyExistsError(
            f"the table `{found.path}` is there, and is another: {'; '.join(different)}",
            hint="drop it, or store the view under another name",
        )


def _definition(table: TableDocument) -> dict[str, str]:
    """What decides the rows of a table, by what it is called."""
    options = {f"option {fold(key)}": value for key, value in table.options.items()}
    options.pop("option serialization.format", None)  # Spark's own, of any table
    return {
        "columns": ", ".join(f"{each.name} {each.type}" for each in table.columns),
        "format": fold(table.format or "none"),
        "location": plain_location(table.location or "none"),
        "partitioned by": ", ".join(table.partitioned_by) or "nothing",
        **options,
    }


COMPARE_UP_TO = 100_000_000
"""The bytes that a pipeline may read for its rows to be compared without the user asking."""


class SaveOptions(TypedDict, total=False):
    """Options for storing a view; all may be omitted.

    Args:
        or_replace: whether to replace an existing view of that name.
        comment: a description of the view.
        rows: whether to compare rows at any cost.
        compare_up_to: the bytes that a pipeline may read for its rows to be compared when the plan
            alone is no proof.
        unproven: whether to store a view that neither plan nor rows prove.
        annotate: whether comments in the stored text give the Python line of each step.
        target: the Spark version to write SQL for.
        reason: the reason for the change, for the view's history.
        author: its author.
        drop_dialects: other engines that a replaced view has no SQL for any more, or True for all.
        tables: whether to make tables for files that are read with a schema of their own.
    """

    or_replace: bool
    comment: str | None
    rows: bool
    compare_up_to: int | None
    unproven: bool
    annotate: bool
    target: str | None
    reason: str | None
    author: str | None
    drop_dialects: Collection[str] | bool
    tables: bool


@dataclass(frozen=True, slots=True)
class SavedView:
    """The result of saving a view.

    Args:
        name: the view's name.
        sql: the stored text.
        verification: the proof.
    """

    name: str
    sql: str
    verification: VerificationReport

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The columns that had to be renamed, as (old name, new name)."""
        return self.verification.renamed

    def __str__(self) -> str:
        lines = [f"saved {self.verification}"]
        if not self.verification.ok:
            lines.append("  stored unproven, as was asked for")
        return "\n".join(lines)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.table_api.pictures import show_saved_view

        return show_saved_view(self)


def save_pipeline(
    pipeline: Callable[[Any], Any],
    name: str,
    spark: SparkSession,
    *,
    catalog: str | Catalog | None = None,
    **options: Unpack[SaveOptions],
) -> SavedView:
    """Records a pipeline, proves its SQL against the pipeline's own result and stores the view.

    Raises:
        CaptureError: the pipeline has a step that a view cannot hold, or fetches rows.
        VerificationError: the SQL does not match the pipeline; nothing was stored.
    """
    with beside_view(name, spark, catalog, options.get("tables", False)):
        table = record(pipeline, spark)
    return save_captured(table, name, catalog=catalog, **options)


def beside_view(
    name: str, spark: SparkSession | None, catalog: str | Catalog | None, wanted: bool
) -> AbstractContextManager[object]:
    """In the block, what is captured has tables beside the view of that name, if it is wanted."""
    if not wanted:
        return nullcontext()
    from viewscribe.spark.session_catalog import full_name

    parts = parse_name(name)
    if catalog is None and spark is not None:
        return _files_as_tables(full_name(spark, parts))
    return _files_as_tables(CatalogManager().resolve(parts))


def _files_as_tables(view: Sequence[str]) -> AbstractContextManager[object]:
    """In the block, files with a schema of their own are tables beside a view, if there is one."""
    if not view:
        return nullcontext()
    from viewscribe.spark.capture.sources import file_tables

    return file_tables(view)


def save_captured(
    table: CapturedTable,
    name: str,
    *,
    catalog: str | Catalog | None,
    **options: Unpack[SaveOptions],
) -> SavedView:
    """Stores a captured table, or one recorded with a session, as a view.

    The SQL is proven against the original DataFrame, or against the tree if steps were added since.
    All checks come before anything is written.

    Raises:
        CatalogError: the name is taken, or the catalog or database does not exist.
        VerificationError: the SQL does not match the pipeline; nothing was stored.
    """
    from viewscribe.spark.session_state import ask_once

    spark: Any = table.spark  # there is one where a DataFrame was captured or recorded with one
    original = None if table.original is None else table.original()
    with ask_once(spark), authored():
        return _save_proven(table, name, spark, original, catalog, options)


def _save_proven(
    table: CapturedTable,
    name: str,
    spark: SparkSession,
    original: Any,
    catalog: str | Catalog | None,
    options: SaveOptions,
) -> SavedView:
    from viewscribe.spark.capture.sources import sources_outside, store_sources

    settings = table.env.settings
    if catalog is None:
        env, name = _of_session(spark, name, settings)
    else:
        env = TableEnvironment(catalog, settings=settings)
        refuse_unopenable(name, table.operation, settings)
    named, renamed = with_distinct_names(table)
    check_view(env, name, named.operation, or_replace=options.get("or_replace", False))
    text = named.text_of_view(annotate=options.get("annotate", False), target=options.get("target"))
    with _tables_of_session(spark, table.tables):
        report, loose = _prove(named, text, name, spark, original, options, renamed)
    with tables_beside(env.catalogs, table.tables, keep=True):
        if catalog is None:  # where the session's tables are already
            outside = sources_outside(env.catalogs, named.operation)
        else:
            outside = store_sources(env.catalogs, named.operation, spark)
        _store(env, name, named, report, options, loose, outside)
    return SavedView(name, text, report)


def _tables_of_session(
    spark: SparkSession, tables: FileTables | None
) -> AbstractContextManager[None]:
    """In the block, the session has the tables that the text of a view reads."""
    if tables is None:
        return nullcontext()
    env, _ = _of_session(spark, quote_name(tables.view), {})
    return tables_beside(env.catalogs, tables, keep=False)


def _of_session(
    spark: SparkSession, name: str, settings: Mapping[str, str]
) -> tuple[TableEnvironment, str]:
    """Returns an environment over the session's catalogs, and the full name of the view there."""
    from viewscribe.spark.session_catalog import SESSION_CATALOG, catalog_of_session, full_name

    parts = full_name(spark, parse_name(name))
    env = TableEnvironment(catalog_of_session(spark, SESSION_CATALOG), settings=settings)
    if parts[0].lower() != SESSION_CATALOG:
        env.register_catalog(parts[0], catalog_of_session(spark, parts[0]))
    return env, quote_name(parts)


@dataclass(frozen=True, slots=True)
class RecordedView:
    """A recorded pipeline, ready to be stored as a view over the tables of a catalog.

    Args:
        pipeline: takes a ``SparkSession`` and returns a DataFrame.
        name: the view's name.
        env: the environment that has the tables and will hold the view.
        table: the recorded table, with the view's columns.
        renamed: columns that had to be renamed, as (old name, new name).
        tables: the tables that it needs beside it.
    """

    pipeline: Callable[[Any], Any]
    name: str
    env: TableEnvironment
    table: Table
    renamed: tuple[tuple[str, str], ...]
    tables: FileTables | None = None


def record_view(
    pipeline: Callable[[Any], Any],
    name: str,
    env: TableEnvironment,
    *,
    or_replace: bool = False,
    tables: bool = False,
) -> RecordedView:
    """Does the part of saving that needs no Spark, so that errors show before Spark starts.

    Raises:
        CaptureError: the pipeline has steps that a view cannot hold; lists all of them.
        CatalogError: the name is taken, or the catalog or database does not exist.
    """
    with _files_as_tables(env.catalogs.resolve(parse_name(name)) if tables else ()):
        recorded = record(pipeline, env=env, partial=True)
    table, renamed = with_distinct_names(recorded)
    check_view(env, name, table.operation, or_replace=or_replace)
    refuse_unopenable(name, table.operation, env.settings)
    return RecordedView(pipeline, name, env, table, renamed, recorded.tables)


def save_from_catalog(
    recorded: RecordedView, spark: SparkSession, **options: Unpack[SaveOptions]
) -> SavedView:
    """Proves and stores a recorded view in a fresh session, reading the catalog's own tables.

    Args:
        recorded: the result of ``record_view``.
        spark: the session to prove it in; the tables are opened there first.
        options: ``target`` defaults to the environment's, otherwise to the session's version.

    Raises:
        VerificationError: the SQL does not match the pipeline; nothing was stored.
    """
    from viewscribe.spark.views import open_sources

    env, table = recorded.env, recorded.table
    beside = () if recorded.tables is None else recorded.tables.paths
    needed = view_dependencies(env, table.operation, beside)
    sources = [each.name for each in needed if each.name not in beside]
    with env.python_modules.in_force():
        open_sources(env.catalogs, sources, spark)
    target = options.get("target") or env.target or session_target(spark.version)
    text = table.text_of_view(annotate=options.get("annotate", False), target=target)
    original = recorded.pipeline(spark)
    name, renamed = recorded.name, recorded.renamed
    with _tables_of_session(spark, recorded.tables):
        report, loose = _prove(table, text, name, spark, original, options, renamed)
    with tables_beside(env.catalogs, recorded.tables, keep=True):
        _store(env, name, table, report, {**options, "target": target}, loose)
    return SavedView(name, text, report)


def _store(
    env: TableEnvironment,
    name: str,
    table: Table,
    report: VerificationReport,
    options: SaveOptions,
    nullable: Collection[str],
    outside: Collection[tuple[str, ...]] = (),
) -> None:
    env.create_view(
        name,
        table,
        or_replace=options.get("or_replace", False),
        comment=options.get("comment"),
        properties={VERIFIED: report.verdict},
        nullable=nullable,
        outside=outside,
        annotate=options.get("annotate", False),
        target=options.get("target"),
        reason=options.get("reason"),
        author=options.get("author"),
        drop_dialects=options.get("drop_dialects", ()),
    )


def _prove(
    table: Table,
    text: str,
    name: str,
    spark: SparkSession,
    original: Any,
    options: SaveOptions,
    renamed: Sequence[tuple[str, str]],
) -> tuple[VerificationReport, Collection[str]]:
    """Proves the text against the original DataFrame, or against the tree if there is none.

    Only the columns that the view renames on purpose have new names in the DataFrame, too.

    Returns:
        The proof, and the columns that Spark considers nullable in the DataFrame.

    Raises:
        VerificationError: they differ, or nothing that was tried proves them equal.
    """
    from viewscribe.spark.verify import verify

    if original is not None:
        original = _rename(original, table.columns, renamed)
    asked = options.get("rows", False)
    report = verify(table, spark, sql=text, rows=asked, original=original)
    cost = ""
    if report.is_sound and not report.ok and not asked:
        cost = _cost(table, spark, original, options.get("compare_up_to"))
        if not cost:
            report = verify(table, spark, sql=text, rows=True, original=original)
    report = replace(report, subject=name, renamed=tuple(renamed))
    if not report.is_sound:
        raise VerificationError(
            f"the view {name} would not mean what the DataFrame means; nothing was stored",
            location=str(report),
            hint="please report the pipeline: this is a defect of viewscribe",
        )
    if not report.ok and not options.get("unproven", False):
        raise _unproven(name, report, cost)
    fields = () if original is None else original.schema.fields
    return report, [field.name for field in fields if field.nullable]


def _rename(frame: Any, names: Sequence[str], renamed: Sequence[tuple[str, str]]) -> Any:
    """Gives a DataFrame the new names of those columns alone that had their old names."""
    if not renamed or len(frame.columns) != len(names):
        return frame
    old_names = {new: old for old, new in renamed}  # new names are distinct
    pairs = zip(frame.columns, names, strict=True)
    return frame.toDF(*[new if old_names.get(new) == name else name for name, new in pairs])


def _cost(table: Table, spark: SparkSession, original: Any, compare_up_to: int | None) -> str:
    """Returns why comparing rows is too expensive to do unasked, or an empty text if it is not."""
    from viewscribe.spark.interpreter import to_dataframe
    from viewscribe.spark.proof.nodes import bytes_read

    size = None if original is None else bytes_read(original)
    if size is None:  # createDataFrame has no statistics in Spark, but VALUES in the tree has
        size = bytes_read(to_dataframe(table.operation, spark, table.env.settings))
    most = COMPARE_UP_TO if compare_up_to is None else compare_up_to
    if size is None:
        return "the size of what it reads is not known"
    return f"it reads {size:,} bytes, more than compare_up_to={most:,}" if size > most else ""


def _unproven(name: str, report: VerificationReport, cost: str) -> VerificationError:
    tried = f"the rows were not compared: {cost}" if cost else report.rows.detail
    way_out = "compare the rows with rows=True"
    if report.rows.status == "equal":
        tried = "neither side gives a row"
        way_out = "compare again where the tables have rows that the pipeline keeps"
    return VerificationError(
        f"nothing proves that the view {name} means what the DataFrame means: "
        f"{report.plan.detail}, and {tried}; nothing was stored",
        location=str(report),
        hint=f"{way_out}, or store it with unproven=True, or make the pipeline simpler",
    )


def with_distinct_names(table: Table) -> tuple[Table, tuple[tuple[str, str], ...]]:
    """Renames duplicate columns, which a view cannot have: ``id``, ``id_2``.

    Returns:
        The table, and the renamed columns as (old name, new name).
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
