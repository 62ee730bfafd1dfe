"""What is exported, and what a target of an export is."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

from viewscribe.catalog_store.documents.model import Column, TableDocument, ViewDocument
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.protocol import DEVICES, encode, fold
from viewscribe.catalog_store.settings import DEFAULT_SETTINGS, is_allowed
from viewscribe.errors import ValidationError, ViewscribeError, printable
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import is_path
from viewscribe.parser.grammar import Reading
from viewscribe.parser.grammar.statements import StatementGrammar, split_statements
from viewscribe.parser.settings import make_reading
from viewscribe.secrets import MASK
from viewscribe.serializer.literals import quote_string
from viewscribe.types.identifiers import quote_identifier, quote_name

Path = tuple[str, ...]
"""A full name: catalog, database and name."""

Files = Mapping[str, str]
"""The texts of files by their paths in the output folder, with ``/``."""


class Refusal(NamedTuple):
    """A view that is not exported, and why."""

    view: str
    reason: str


class ExportedView(NamedTuple):
    """A view of the catalog.

    Args:
        path: its full name.
        document: its document.
        at: when its current version was made, as ISO 8601 text in UTC.
        tree: what it means; None where its text is not read.
        text: its query, whose columns are called as in the document.
        unread: why there is no tree, or why it cannot be trusted.
    """

    path: Path
    document: ViewDocument
    at: str
    tree: QueryOperation | None = None
    text: str = ""
    unread: str | None = None

    @property
    def name(self) -> str:
        """Its name as commands accept it."""
        return quote_name(self.path[1:])

    @property
    def reads(self) -> tuple[Path, ...]:
        """The full names of the tables and views that it reads."""
        return tuple(
            self.full(each.name) for each in self.document.dependencies if each.kind != "function"
        )

    @property
    def reading(self) -> Reading:
        """How its text is read."""
        return make_reading(self.document.settings)

    def full(self, parts: Sequence[str]) -> Path:
        """What a name in its text means."""
        return (*self.path[: max(3 - len(parts), 0)], *parts)

    def table(self, parts: Sequence[str]) -> Path | None:
        """What a name of a table in its text means; None for a path of files."""
        return None if len(parts) == 2 and is_path(*parts) else self.full(parts)


class Project:
    """The views to export, and what they read.

    Args:
        catalog: the name of the catalog in the texts of its views.
        url: where it is.
        views: each after those that it reads.
        tables: the documents of its tables.
        graph: the lineage of all of it.
    """

    def __init__(
        self,
        catalog: str,
        url: str,
        views: Sequence[ExportedView],
        tables: Mapping[Path, TableDocument],
        graph: LineageGraph,
    ) -> None:
        self.catalog = catalog
        self.url = url
        self.views = tuple(views)
        self.tables = tables
        self.graph = graph

    @cached_property
    def by_key(self) -> Mapping[Path, ExportedView]:
        """The views by their folded names."""
        return {key_of(each.path): each for each in self.views}

    def is_own(self, path: Path) -> bool:
        """Whether a full name is of this catalog."""
        return fold(path[0]) == fold(self.catalog)

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """What is read and is no view of the export, then all other tables, spelled as stored."""
        spelled = {key_of(path): path for path in self.tables}
        found: dict[Path, Path] = {}
        for path in (*(each for view in self.views for each in view.reads), *self.tables):
            key = key_of(path)
            is_metadata = len(path) > 3  # of a table, with which it is there
            if key not in self.by_key and self.is_own(path) and not is_metadata:
                found.setdefault(key, spelled.get(key, path))
        return tuple(found[key] for key in sorted(found))

    def spelled(self, path: Path) -> Path:
        """The name of a table or view as its document spells it."""
        found = self._spelled.get(key_of(path))
        return path if found is None else found

    @cached_property
    def _spelled(self) -> Mapping[Path, Path]:
        views = {key: each.path for key, each in self.by_key.items()}
        return {**{key_of(path): path for path in self.sources}, **views}


class Target(Protocol):
    """A form that views are exported in."""

    makes_views: ClassVar[bool]
    """Whether the views are made from what is exported: then each must be exact."""

    keeps_properties: ClassVar[bool]
    """Whether the properties of views (``TBLPROPERTIES``) are exported, too."""

    def reason_against(self, view: ExportedView) -> str | None:
        """Says why a view cannot be in this form; None where it can."""

    def files(self, project: Project) -> Files:
        """Returns the files of the export, the same for the same project."""


def key_of(path: Sequence[str]) -> Path:
    """The name by which tables and views are compared."""
    return tuple(map(fold, path))


# Names of files and models: distinct, and made of harmless characters only.

_PLAIN = re.compile(r"[a-z_][a-z0-9_]{0,99}")
_LONGEST = 200
_OTHER = re.compile(r"[^a-z0-9_]+")


def slug(*parts: str) -> str:
    """An identifier for a name, which no other name has.

    Identifiers that are no devices on Windows are kept, in small letters; others end in a hash.
    """
    folded = [fold(part) for part in parts]
    joined = "__".join(folded)
    plain = all(_PLAIN.fullmatch(part) and part not in DEVICES for part in folded)
    if plain and "__" not in "".join(folded):
        return joined
    digest = hashlib.sha256("\0".join(folded).encode()).hexdigest()[:8]
    start = _OTHER.sub("_", joined).strip("_")[:80]
    return f"{start or 'view'}_{digest}" if not start[:1].isdigit() else f"_{start}_{digest}"


def model_names(paths: Iterable[Path]) -> Mapping[Path, str]:
    """Names of models, which are unique in a project: the view's, or with its database in front."""
    every = list(paths)
    counts = Counter(slug(path[-1]) for path in every)
    return {
        path: name if counts[name := slug(path[-1])] == 1 else slug(*path[-2:]) for path in every
    }


def file_name(*parts: str) -> str:
    """A file name for a name, with a dot between its parts."""
    name = ".".join(encode(part) for part in parts)
    return name if len(name) <= _LONGEST else slug(*parts)


# The Spark settings that views are made under, as statements.
#
# Spark keeps with a view the settings of the session that made it. So each view is made under its
# own, and what the session had before does not matter.


def settings_of(view: ExportedView) -> dict[str, str]:
    """The settings that the meaning of a view depends on, by name.

    Raises:
        ValidationError: one is none that a view may have.
    """
    found = {**DEFAULT_SETTINGS, **view.document.settings}
    for name, value in found.items():
        if not is_allowed(name, value):
            raise ValidationError(f"the view {view.name} may not set {name} = {value!r}")
    return dict(sorted(found.items()))


def set_statements(settings: Mapping[str, str]) -> list[str]:
    """A SET for each setting."""
    return [f"SET {name} = {value}" for name, value in settings.items()]


def reset_statements(settings: Iterable[str]) -> list[str]:
    """A RESET for each setting: the session has its own values again."""
    return [f"RESET {name}" for name in settings]


class SharedSettings:
    """The settings of views that are made in one session.

    Args:
        views: the views.
    """

    def __init__(self, views: Iterable[ExportedView]) -> None:
        every = [settings_of(view) for view in views]
        names = sorted({name for each in every for name in each})
        values = {name: {each.get(name) for each in every} for name in names}
        self.differing = [name for name in names if len(values[name]) > 1]
        """The names of those in which the views differ."""
        first = every[0] if every else {}
        self.common = {name: first[name] for name in names if len(values[name]) == 1}
        """Those that all views have with one value."""

    def own_statements(self, view: ExportedView) -> list[str]:
        """What sets for a view all settings in which the views differ."""
        own = settings_of(view)
        return [
            f"SET {name} = {own[name]}" if name in own else f"RESET {name}"
            for name in self.differing
        ]


def most_common_settings(views: Iterable[ExportedView]) -> dict[str, str]:
    """The settings that most views have."""
    counts: Counter[tuple[tuple[str, str], ...]] = Counter()
    for view in views:
        try:
            counts[tuple(settings_of(view).items())] += 1
        except ValidationError:  # the view is refused for that
            continue
    most = max(counts.values(), default=0)
    return dict(min((each for each in counts if counts[each] == most), default=()))


def other_setting(view: ExportedView, settings: Mapping[str, str]) -> str | None:
    """What a view does with the first setting that it has not like these; None where it has."""
    own = settings_of(view)
    for name in sorted({*own, *settings}):
        if name not in own:
            return f"does not set {name}"
        if name not in settings:
            return f"has {name} = {own[name]}"
        if own[name] != settings[name]:
            return f"has {name} = {own[name]}, not {settings[name]}"
    return None


# The pieces of ``CREATE VIEW`` and ``CREATE TABLE``.

OWN = "viewscribe."
"""How the properties begin that viewscribe itself keeps with a view."""


def own_properties(view: ViewDocument) -> dict[str, str]:
    """The properties that users gave a view."""
    return {name: value for name, value in view.properties.items() if not name.startswith(OWN)}


def create_view(view: ExportedView, begin: str, *, columns: bool = True) -> str:
    """The statement that makes a view, without a semicolon.

    Args:
        view: the view.
        begin: ``CREATE OR REPLACE VIEW`` or its like.
        columns: whether comments of columns can be said.
    """
    document = view.document
    lines = [f"{begin} {quote_name(view.path)}"]
    if columns and any(each.comment for each in document.columns):
        lines[0] += " ("
        lines.append(",\n".join(f"  {_view_column(each)}" for each in document.columns))
        lines.append(")")
    if document.comment is not None:
        lines.append(f"COMMENT {quote_string(document.comment)}")
    properties = own_properties(document)
    lines += [f"TBLPROPERTIES ({_pairs(properties)})"] if properties else []
    return "\n".join([*lines, "AS", view.text.rstrip()])


def create_table(path: tuple[str, ...], table: TableDocument) -> str:
    """The statement that makes a table where there is none, without a semicolon."""
    columns = [f"  {_table_column(each)}" for each in table.columns]
    for check in table.checks:
        name = f"CONSTRAINT {quote_identifier(check.name)} " if check.name is not None else ""
        columns.append(f"  {name}CHECK ({check.condition})")
    lines = [f"CREATE TABLE IF NOT EXISTS {quote_name(path)} (", ",\n".join(columns), ")"]
    if table.format is not None:
        lines.append(f"USING {table.format}")
    if table.options:
        lines.append(f"OPTIONS ({_pairs(table.options)})")
    if table.partitioned_by:
        lines.append(f"PARTITIONED BY ({', '.join(map(quote_identifier, table.partitioned_by))})")
    if table.location is not None:
        lines.append(f"LOCATION {quote_string(table.location)}")
    if table.comment is not None:
        lines.append(f"COMMENT {quote_string(table.comment)}")
    if table.properties:
        lines.append(f"TBLPROPERTIES ({_pairs(table.properties)})")
    return "\n".join(lines)


def _view_column(column: Column) -> str:
    name = quote_identifier(column.name)
    return name if column.comment is None else f"{name} COMMENT {quote_string(column.comment)}"


def _table_column(column: Column) -> str:
    parts = [quote_identifier(column.name), column.type]
    parts += [] if column.nullable else ["NOT NULL"]
    parts += [] if column.default is None else [f"DEFAULT {column.default}"]
    parts += [] if column.comment is None else [f"COMMENT {quote_string(column.comment)}"]
    return " ".join(parts)


def _pairs(pairs: Mapping[str, str]) -> str:
    return ", ".join(
        f"{quote_string(name)} = {quote_string(value)}" for name, value in sorted(pairs.items())
    )


# Plain SQL scripts: one for each view, to be run in the order of their names.

HEAD = "-- Written by viewscribe export."
_SECRETS = f"-- Secrets are not exported: write yours in the place of {MASK}.\n"


class SqlScripts:
    """``views/NNNN_database.view.sql``, and in ``tables.sql`` what the tables are that they read.

    Spark runs the views; ``viewscribe import`` reads both.
    """

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = True

    def reason_against(self, view: ExportedView) -> str | None:
        return reason_against_text(view)

    def files(self, project: Project) -> Files:
        width = max(4, len(str(len(project.views))))
        found = {}
        for number, view in enumerate(project.views, 1):
            name = f"{number:0{width}}_{file_name(*view.path[1:])}.sql"
            settings = settings_of(view)
            statements = [
                "\n".join(f"{each};" for each in set_statements(settings)),
                f"{create_view(view, 'CREATE OR REPLACE VIEW')}\n;",
                "\n".join(f"{each};" for each in reset_statements(settings)),
            ]
            found[f"views/{name}"] = "\n\n".join([HEAD, *statements]) + "\n"
        tables = [
            _table(path, project.tables[path]) for path in project.sources if path in project.tables
        ]
        if tables:
            found["tables.sql"] = "\n".join([f"{HEAD}\n", *tables])
        return found


def reason_against_text(view: ExportedView) -> str | None:
    """Why a script cannot hold a view: its texts would be read in another way."""
    settings = settings_of(view)
    raw = settings.get("spark.sql.parser.escapedStringLiterals", "").strip().lower() == "true"
    document = view.document
    comments = [document.comment, *(each.comment for each in document.columns)]
    written = [each for each in comments if each] + [*document.properties.values()]
    if raw and any(not each.isprintable() or set(each) & set("'\\$") for each in written):
        return (
            "its comments hold characters that are escaped, which "
            "spark.sql.parser.escapedStringLiterals = true, one of its settings, forbids"
        )
    if any("\r" in each for each in (*view.path, view.text)):
        return "what reads text files does not keep the carriage returns of its names and text"
    statement = create_view(view, "CREATE VIEW")
    if "\\`" in statement and ";" in statement:
        return "Spark finds no end of a name that ends in a backslash, where a semicolon follows"
    if len(split_statements(view.text)) != 1:
        return "its text is more than one statement"
    return None


def _table(path: Path, table: TableDocument) -> str:
    """The statement that makes a table; where its document holds no such thing, why."""
    text = create_table(path, table)
    try:
        if len(split_statements(text)) == 1 and "\r" not in text:
            grammar = StatementGrammar(text)
            grammar.create_table()
            grammar.finish()
            return f"{_SECRETS if MASK in text else ''}{text};\n"
        reason = "its document holds other SQL, or a carriage return in a name"
    except ViewscribeError as error:
        reason = error.message
    return f"-- {printable(quote_name(path))} is left out: {printable(reason)}\n"
