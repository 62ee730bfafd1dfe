"""What a test may compare with an approved file: its SQL, and how texts beside it are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from viewscribe.catalog_store.circle.world import TreeWorld
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.errors import ValidationError
from viewscribe.serializer.targets import settings_of
from viewscribe.snapshots.catalog_views import CatalogView
from viewscribe.snapshots.verdict import TextReader
from viewscribe.snapshots.verdict.reader import World, view_reader
from viewscribe.table_api.dataframes import ViewPipeline, capture, is_dataframe, record
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.table_api.view_storage import SavedView

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

FindEnvironment = Callable[[], "TableEnvironment"]


class Subject(NamedTuple):
    """The SQL of a value, and what reads it and the approved SQL alike.

    Args:
        sql: its text.
        make_reader: makes the reader, which only a change needs.
    """

    sql: str
    make_reader: Callable[[], TextReader]


def subject_of(value: Any, find_env: FindEnvironment) -> Subject:
    """Returns the SQL of a value.

    Args:
        value: a table, a DataFrame, a pipeline function, SQL text or a stored view.
        find_env: returns the environment of the test, for what does not bring its own tables.

    Raises:
        ValidationError: it is none of these.
        ViewscribeError: it cannot become SQL.
    """
    if isinstance(value, str):
        return Subject(value, lambda: _environment_reader(find_env()))
    if isinstance(value, Table):
        return _of_table(value)
    if is_dataframe(value):
        return _of_table(capture(value))
    if isinstance(value, CatalogView):
        return Subject(value.sql, value.text_reader)
    if isinstance(value, ViewDocument):
        return Subject(value.sql, lambda: _document_reader(value, find_env()))
    if isinstance(value, SavedView):
        return Subject(value.sql, lambda: _environment_reader(find_env()))
    if isinstance(value, ViewPipeline):
        return _of_table(value.record(env=find_env()))
    if hasattr(value, "to_sql"):
        return Subject(value.to_sql(), lambda: _environment_reader(find_env()))
    if callable(value):
        return _of_table(record(value, env=find_env()))
    raise ValidationError(
        f"a {type(value).__name__} has no SQL",
        hint="compare a Table, a DataFrame, a function of a SparkSession, SQL text or a stored "
        "view with view_snapshot",
    )


def _of_table(table: Table) -> Subject:
    env, tree = table.env, table.operation

    def make_reader() -> TextReader:
        worlds: list[World] = [TreeWorld(tree), EnvironmentWorld(env)]
        return TextReader(worlds, settings_of(tree, env.settings), env)

    return Subject(table.to_sql(), make_reader)


def _environment_reader(env: TableEnvironment) -> TextReader:
    return TextReader([EnvironmentWorld(env)], env.settings, env)


def _document_reader(view: ViewDocument, env: TableEnvironment) -> TextReader:
    return view_reader(view, env, env.catalogs.current_catalog)
