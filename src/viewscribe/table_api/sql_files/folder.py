"""A folder of SQL over a catalog: each file is typed, after those that it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import SqlSyntaxError, ValidationError, ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.parser.definitions import check_table
from viewscribe.parser.dialects import to_spark
from viewscribe.parser.grammar import Reading
from viewscribe.parser.grammar.statements import (
    StatementGrammar,
    Stretch,
    TableDefinition,
    ViewOf,
    split_statements,
)
from viewscribe.parser.read import read_sql
from viewscribe.parser.scopes import Findings, FollowingError
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.parser.tokens import Position, position, refuse_variables, show_place
from viewscribe.table_api.dialects import foreign_witness, require_ansi, require_same_meaning
from viewscribe.table_api.policy_scope import in_force
from viewscribe.table_api.statements.views import view_columns
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.table_api.views import refuse_unfit
from viewscribe.types import Field
from viewscribe.types.identifiers import parse_name, quote_name
from viewscribe.types.lexemes import Witness

if TYPE_CHECKING:
    from viewscribe.catalog_store import ObjectPath
    from viewscribe.table_api.environment import TableEnvironment


# One file of SQL: the tables that it says the columns of, and the view that it is.


class FileTable(msgspec.Struct, frozen=True):
    """A CREATE TABLE in a file."""

    file: str
    text: str
    definition: TableDefinition


class FileView(msgspec.Struct, frozen=True):
    """The view of a file: a CREATE VIEW in it, or its query under the file's name.

    ``translated`` is where its query begins, if the text is a translation, and ``original`` what
    was translated. ``settings`` are those that the file sets before it. ``is_table`` is whether
    another tool keeps its rows as a table; ``column_comments`` are by column in small letters.
    """

    file: str
    text: str
    definition: ViewOf
    translated: Position | None = None
    original: str = ""
    settings: Mapping[str, str] = {}
    is_table: bool = False
    column_comments: Mapping[str, str] = {}


def sql_files(place: Path) -> list[Path]:
    """The files of SQL in a folder, hidden ones left out; or the one file."""
    if place.is_file():
        return [place]
    found = [
        each
        for each in place.rglob("*")
        if is_sql(each)
        and each.is_file()
        and not any(part[0] == "." for part in each.relative_to(place).parts)
    ]
    return sorted(found, key=lambda each: each.relative_to(place).parts)


def is_sql(file: Path) -> bool:
    """Whether a file is called like one of SQL."""
    return file.suffix.lower() == ".sql"


def text_of(file: Path) -> str:
    """What is in a file, without a byte order mark.

    Raises:
        SqlSyntaxError: it is not in UTF-8.
        ValidationError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SqlSyntaxError(
            f"the file is not in UTF-8: {error.reason} at byte {error.start}",
            hint="save it as UTF-8",
        ) from error
    except OSError as error:
        raise ValidationError(f"the file cannot be read: {error.strerror}") from error


def name_of(file: Path, root: Path) -> tuple[str, ...]:
    """The name of the view of a file: its own, with the folder that it is in as the database.

    Raises:
        ValidationError: it has more parts than database and view.
    """
    inside = file.relative_to(root) if root.is_dir() else Path(file.name)
    parts = (*inside.parts[:-1], *parse_name(inside.stem))
    if len(parts) > 2:
        raise ValidationError(
            f"the file stands for the name {'.'.join(parts)}, which has {len(parts)} parts",
            hint="a folder inside is a database; or say the name with CREATE VIEW … AS",
        )
    return parts


def read_file(
    file: str,
    text: str,
    name: tuple[str, ...] | ValidationError,
    given: Mapping[str, str],
) -> Iterator[FileTable | FileView]:
    """What a file defines.

    Args:
        file: its path.
        text: what is in it.
        name: what its query is called; or why it has no name, where it needs one.
        given: the settings that texts are read with, beside those that the file sets.

    Raises:
        SqlSyntaxError: statements are not read, or there is more than one view.
    """
    reading = make_reading(given)
    stretches = split_statements(text)
    if not stretches:
        raise SqlSyntaxError(
            "there is no query in the file", hint="write one, or take the file away"
        )
    findings, view = Findings(), False
    settings: dict[str, str] = {}

    def define(stretch: Stretch) -> FileTable | FileView | None:
        part = text[: stretch.end]
        if change_settings(settings, text[stretch.start : stretch.end]):
            return None
        own = make_reading({**given, **settings}) if settings else reading
        grammar = StatementGrammar(part, own, stretch.start)
        if grammar.is_create("TABLE"):
            return FileTable(file, part, grammar.create_table())
        if view:
            raise SqlSyntaxError(
                "a second query or view in one file",
                location=show_place(text, stretch.start),
                hint="put it into a file of its own",
            )
        made = _view(grammar, part, stretch, name)
        return FileView(file, part, made, settings=dict(settings))

    for stretch in stretches:
        found = findings.attempt(partial(define, stretch))
        view = view or isinstance(found, FileView)
        if found is not None and not findings.errors:  # what follows may need what is wrong
            yield found
    findings.raise_all()


def change_settings(settings: dict[str, str], statement: str) -> bool:
    """Carries out a SET or RESET; false for another statement.

    Raises:
        ValidationError: it sets what the meaning of no view depends on.
    """
    found = _SET.fullmatch(statement.strip())
    if found is None:
        return False
    word, name, value = found["word"].upper(), found["name"], found["value"]
    if word == "RESET" and value is None:
        if name is None:
            settings.clear()
        else:
            settings.pop(name, None)
        return True
    if word == "RESET" or name is None or value is None:
        return False
    from viewscribe.catalog_store.settings import is_allowed

    if not is_allowed(name, value):
        raise ValidationError(
            f"the file sets {name} = {value}, and the meaning of no view depends on that",
            hint="take the SET out of the file",
        )
    settings[name] = value
    return True


_SET = re.compile(
    r"(?P<word>SET|RESET)(?:\s+`?(?P<name>[\w.]+)`?)?(?:\s*=\s*`?(?P<value>[^`;]*?)`?)?",
    re.IGNORECASE,
)


def _view(
    grammar: StatementGrammar,
    text: str,
    stretch: Stretch,
    name: tuple[str, ...] | ValidationError,
) -> ViewOf:
    if not grammar.is_create("VIEW"):
        if grammar.word in _STATEMENTS:
            raise grammar.error(
                f"{grammar.word} in a file of views",
                hint="a file has a query or a CREATE VIEW, and the CREATE TABLEs that it reads",
            )
        if isinstance(name, ValidationError):
            raise name
        return ViewOf(stretch.start, name, stretch.start)
    view = grammar.create_view()
    if view.temporary:
        raise SqlSyntaxError(
            "a temporary view in a file of views",
            location=show_place(text, view.at),
            hint="leave TEMPORARY out, or write it as a CTE",
        )
    return view


def translate(view: FileView, dialect: str) -> FileView:
    """A view whose query is that of another engine, with the query in Spark's SQL."""
    start = view.definition.start
    before = re.sub(r"[^\n]", " ", view.text[:start])  # so that errors say the place in the file
    original = view.text[start:]
    text = to_spark(before + original, dialect)
    definition = msgspec.structs.replace(view.definition, at=0, start=0)
    return msgspec.structs.replace(
        view,
        text=text,
        definition=definition,
        translated=position(view.text, start),
        original=original,
    )


_STATEMENTS = frozenset(
    (
        *("CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "USE"),
        *("SET", "RESET", "CACHE", "REFRESH", "ANALYZE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"),
    )
)


# What is wrong in a file of SQL, and where.


class SqlFinding(msgspec.Struct, frozen=True):
    """One thing that is wrong with a file.

    Args:
        file: its path.
        line: counted from 1.
        column: counted from 1.
        code: what kind of error it is.
        message: one sentence.
        hint: what to do.
        excerpt: the line with a caret under the place.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    hint: str | None = None
    excerpt: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def in_order(findings: Iterable[SqlFinding]) -> list[SqlFinding]:
    """Findings as they are told: by their places, and each once."""
    return sorted(
        dict.fromkeys(findings),
        key=lambda each: (each.file, each.line, each.column, each.code, each.message),
    )


def as_error(findings: Sequence[SqlFinding]) -> ViewscribeError:
    """All of the findings as one error, for where the text is the only one."""
    errors = [
        ViewscribeError(
            each.message,
            code=each.code,
            location=f"line {each.line}, column {each.column}\n{each.excerpt or ''}".rstrip(),
            hint=each.hint,
        )
        for each in findings
    ]
    errors[0].others = tuple(errors[1:])
    return errors[0]


_PLACE = re.compile(r"line (\d+), column (\d+)\n?(.*)", re.DOTALL)


def findings_of(
    file: str, error: ViewscribeError, start: Position | None = None
) -> Iterator[SqlFinding]:
    """An error, and those that came with it, in a file; what only follows is left out.

    Args:
        file: its path.
        error: the error.
        start: where the query begins, if the places in it are not those of the file.
    """
    for each in error.every:
        if isinstance(each, FollowingError):
            continue
        if start is not None:
            yield SqlFinding(file, start.line, start.column, each.code, each.message, each.hint)
            continue
        found = _PLACE.match(each.location or "")
        line, column, excerpt = (found[1], found[2], found[3]) if found else ("1", "1", "")
        yield SqlFinding(
            *(file, int(line), int(column), each.code, each.message, each.hint, excerpt or None)
        )


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
