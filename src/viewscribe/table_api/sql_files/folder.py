"""A folder of SQL over a catalog: each file is typed, after those that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from viewscribe.catalog_store.names import fold
from viewscribe.errors import SqlSyntaxError, ValidationError, ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.parser.definitions import check_table
from viewscribe.parser.findings import FollowingError
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.parser.tokens import Position, refuse_variables, show_place
from viewscribe.table_api.dialects import foreign_witness, require_ansi, require_same_meaning
from viewscribe.table_api.policy_scope import in_force
from viewscribe.table_api.sql_files.files import (
    FileTable,
    FileView,
    name_of,
    read_file,
    sql_files,
    text_of,
    translate,
)
from viewscribe.table_api.sql_files.findings import SqlFinding, findings_of, in_order
from viewscribe.table_api.statements.views import view_columns
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.table_api.views import refuse_unfit
from viewscribe.types import Field
from viewscribe.types.author_text import Witness
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import ObjectPath
    from viewscribe.table_api.environment import TableEnvironment

Key = tuple[str, ...]
T = TypeVar("T")
Told = Callable[[str], None]


class SqlFolder:
    """The files of a folder, typed over an environment.

    Args:
        env: where tables and views are that the folder does not define.
        place: a folder, or one file.
        dialect: the engine that the queries are written for, where it is not Spark.
    """

    def __init__(self, env: TableEnvironment, place: Path, dialect: str | None = None) -> None:
        self.env = env
        self.place = place
        self.files = [str(each) for each in sql_files(place)]
        self.findings: list[SqlFinding] = []
        self.tables: dict[Key, FileTable] = {}
        self.views: dict[Key, FileView] = {}
        self.order: list[Key] = []
        """The views, each after those that it reads."""
        self.queries: dict[Key, QueryOperation] = {}
        """What the views are."""
        self.dialect = dialect
        self._typed: dict[Key, tuple[Field, ...] | None] = {}
        self._open: list[Key] = []

    def read(self, tell: Told = lambda file: None) -> Sequence[SqlFinding]:
        """Reads all files; what is wrong, file by file.

        Args:
            tell: is told of each file that was read.
        """
        self._define_all()
        for key, table in self.tables.items():
            self._check(table.file, lambda key=key: self._table(key))  # type: ignore[misc]
        read: set[str] = set()
        for key, view in self.views.items():
            self.fields(key)
            if view.file not in read:
                read.add(view.file)
                tell(view.file)
        self.findings = in_order(self.findings)
        return self.findings

    def path(self, key: Key) -> ObjectPath:
        """The full name of what a file defines, spelled as there."""
        defined = self.tables.get(key) or self.views[key]
        return self.env.catalogs.resolve(defined.definition.name)

    def view_names(self) -> list[str]:
        """The names of the views, each after those that it reads, as commands accept them."""
        return [
            quote_name(self.path(key)[1:]) for key in self.order if not self.views[key].is_table
        ]

    def key(self, parts: Sequence[str]) -> Key:
        """The name that parts stand for, whatever their case."""
        return tuple(map(fold, self.env.catalogs.resolve(parts)))

    def fields(self, key: Key) -> tuple[Field, ...] | None:
        """The columns of a table or view of the folder; None where it is wrong."""
        if key in self._typed:
            return self._typed[key]
        if key in self.tables:
            return self._table(key)
        self._open.append(key)
        try:
            view = self.views[key]
            found = self._check(view.file, lambda: self._view(key), view.translated)
        finally:
            self._open.pop()
        self._typed[key] = found
        if found is not None:
            self.order.append(key)
        return found

    # -- files -----------------------------------------------------------------------------------

    def _define_all(self) -> None:
        """Notes what the files define."""
        for file in self.files:
            self._check(file, lambda file=file: list(self._while_defining(file)))  # type: ignore[misc]

    def _while_defining(self, file: str) -> Iterator[None]:
        text = text_of(Path(file))
        try:
            name: tuple[str, ...] | ValidationError = name_of(Path(file), self.place)
        except ValidationError as error:
            name = error
        for each in read_file(file, text, name, self.env.settings):
            self.define(each)
            yield

    def define(self, defined: FileTable | FileView) -> None:
        """Notes a table or view.

        Raises:
            SqlSyntaxError: there is one of that name.
        """
        key = self.key(defined.definition.name)
        known = self.tables.get(key) or self.views.get(key)
        if known is not None:
            raise SqlSyntaxError(
                f"`{'.'.join(defined.definition.name)}` is defined twice",
                code="DefinedTwiceError",
                location=show_place(defined.text, defined.definition.at),
                hint=f"the other one is in {known.file}",
            )
        if isinstance(defined, FileTable):
            self.tables[key] = defined
        elif self.dialect is None:
            self.views[key] = defined
        else:
            self.views[key] = translate(defined, self.dialect)

    def env_of(self, view: FileView) -> TableEnvironment:
        """The environment that a view is read in: with the settings that its file sets."""
        return self.env.with_settings(view.settings) if view.settings else self.env

    def foreign_witness(self, view: FileView) -> Witness | None:
        """What the author of a view wrote for another engine; None where it was Spark's SQL."""
        if self.dialect is None:
            return None
        return foreign_witness(view.original, self.dialect, self.env.catalogs.current, view.file)

    def _check(self, file: str, read: Callable[[], T], start: Position | None = None) -> T | None:
        """What is read; None where it is wrong, which is noted, at ``start`` if that is given."""
        try:
            return read()
        except ViewscribeError as error:
            self.findings += findings_of(file, error, start)
            return None

    # -- types -----------------------------------------------------------------------------------

    def _table(self, key: Key) -> tuple[Field, ...]:
        if key not in self._typed:
            table = self.tables[key]
            self._typed[key] = tuple(each.field for each in table.definition.columns)
            world = EnvironmentWorld(self.env)
            in_force(
                *(self.env, check_table),
                *(table.text, table.definition, world, make_reading(self.env.settings)),
            )
        found = self._typed[key]
        assert found is not None
        return found

    def _view(self, key: Key) -> tuple[Field, ...]:
        view = self.views[key]
        env = self.env_of(view)
        if self.dialect is None:
            reading = make_reading(env.settings)
            refuse_settings(env.settings, view.text)
            refuse_variables(view.text)
        else:  # no setting changes what was just translated
            require_ansi(env, self.dialect)
            reading = Reading()
        operation = in_force(
            *(env, read_sql, view.text, _FolderWorld(self), reading),
            view.definition.start,
        )
        if view.column_comments:
            self.views[key] = view = _with_comments(view, operation)
        operation = view_columns(operation, view.text, view.definition)
        if self.dialect is not None:
            require_same_meaning(operation, self.dialect, view.original)
        refuse_unfit(self.path(key), operation)
        self.queries[key] = operation
        return tuple(operation.schema.fields)

    def source(self, key: Key) -> QueryOperation:
        """A table or view of the folder, as another file reads it.

        Raises:
            ValidationError: it reads itself.
            FollowingError: it is wrong, which is told of its own file.
        """
        if key in self._open:
            around = [*self._open[self._open.index(key) :], key]
            names = " → ".join(".".join(self.path(each)[1:]) for each in around)
            raise ValidationError(f"the view reads itself: {names}", code="CycleError")
        fields = self.fields(key)
        if fields is None:
            raise FollowingError(f"`{'.'.join(key)}` is wrong itself")
        return CatalogSource.of(tuple(self.path(key)), fields)


def _with_comments(view: FileView, operation: QueryOperation) -> FileView:
    """A view whose columns have comments that were told beside its text."""
    comments = view.column_comments
    columns = tuple((name, comments.get(fold(name))) for name in operation.schema.names)
    definition = msgspec.structs.replace(view.definition, columns=columns)
    return msgspec.structs.replace(view, definition=definition)


class _FolderWorld(EnvironmentWorld):
    """Tables and views of a folder, then those of the environment."""

    def __init__(self, folder: SqlFolder) -> None:
        super().__init__(folder.env)
        self.folder = folder

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        folder = self.folder
        if len(parts) > 1 or folder.env.catalogs.temporary(parts[0]) is None:
            try:
                key = folder.key(parts)
            except ViewscribeError:  # a catalog that there is not
                return super().table(parts)
            if key in folder.tables or key in folder.views:
                return folder.source(key)
        return super().table(parts)
