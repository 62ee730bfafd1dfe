"""Catalogs that tests name: a URL, a directory or an environment of ``viewscribe.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest

from viewscribe.catalog_store import (
    AlreadyExistsError,
    Catalog,
    CatalogError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
    ViewDocument,
)
from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable, fold
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.environments import (
    Environment,
    environment_of,
    find_environments,
    matches,
    seen_from,
)
from viewscribe.errors import ValidationError, ViewscribeError, printable
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

    from viewscribe.operations.base import QueryOperation
    from viewscribe.snapshots.verdict import TextReader
    from viewscribe.table_api.table import Table


# Where the project is whose tests run: relative catalogs start there.

_ROOTS: list[Path] = []


def enter_project(root: Path) -> None:
    """Records pytest's rootdir; a run within a run has its own."""
    _ROOTS.append(root)


def leave_project() -> None:
    """Forgets the rootdir of a run that is over."""
    if _ROOTS:
        _ROOTS.pop()


def project_root() -> Path:
    """Returns pytest's rootdir, or the working directory outside of pytest."""
    return _ROOTS[-1] if _ROOTS else Path.cwd()


_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def find_place(place: str) -> Environment:
    """Returns the environment that a place names; what is relative starts at pytest's rootdir.

    Raises:
        ValidationError: it is neither a catalog nor an environment.
        EnvironmentFileError: the file of environments is invalid.
    """

    root = project_root()
    if _URL.match(place):
        return environment_of(seen_from(root, place))
    file = find_environments(root)
    if file is not None and place in file:
        return file[place]
    if (root / Path(place).expanduser()).is_dir():
        return environment_of(f"file:{root / Path(place).expanduser()}")
    if file is not None:
        return file[place]  # says which there are
    raise ValidationError(
        f"`{place}` is neither a catalog nor an environment",
        location=str(root),
        hint='name a catalog, "file:./views", a directory, or an environment of a viewscribe.yaml',
    )


def open_environment(place: Environment, catalog: Catalog) -> TableEnvironment:
    """Returns a Table API environment over the catalog of a place, under its name and settings."""
    from viewscribe.catalog_store.settings import allowed_settings

    # Others, of memory or of file systems, are for whoever runs a query.
    settings = allowed_settings(place.spark_settings())
    env = TableEnvironment(catalog, settings=settings, python_modules=place.python_modules)
    own = env.catalogs.current_catalog
    if place.catalog_name.casefold() != own.casefold():
        env.register_catalog(place.catalog_name, catalog)
        env.use_catalog(place.catalog_name)
        env.catalogs.unregister(own)
    return env


# All views of a catalog as parameters of a test.


class OpenCatalog:
    """A catalog that views were listed of; it is opened for reading alone.

    Args:
        place: its environment.
    """

    def __init__(self, place: Environment) -> None:
        self.place = place
        self.catalog: Catalog = place.open()

    @cached_property
    def env(self) -> TableEnvironment:
        """An environment over it, made for the first test that needs one."""
        return open_environment(self.place, self.catalog)


class CatalogView:
    """A view of a catalog, read when a test first asks for it.

    Args:
        home: its catalog.
        id_: its database and name there.
    """

    def __init__(self, home: OpenCatalog, id_: ObjectId) -> None:
        self._home = home
        self._id = id_

    @property
    def name(self) -> str:
        """The name with its database, as it is written in SQL."""
        return quote_name((self._id.database, self._id.name))

    @property
    def url(self) -> str:
        """The catalog, without secrets."""
        return self._home.place.shown_url

    @property
    def env(self) -> TableEnvironment:
        """An environment over the catalog."""
        return self._home.env

    @cached_property
    def document(self) -> ViewDocument:
        """The stored document.

        Raises:
            CatalogError: it is damaged, or gone.
        """
        found = self._home.catalog.get("view", self._id.database, self._id.name)
        return found.document

    @property
    def sql(self) -> str:
        """The text that Spark runs."""
        return self.document.sql

    @property
    def table(self) -> Table:
        """The pipeline: the plan, or what the text is read as where another tool wrote the view.

        Raises:
            ViewscribeError: it has no plan, and its text is not read.
        """
        from viewscribe.table_api.text_reader import view_tree

        tree = view_tree(self.env, self.document, self._home.place.catalog_name)
        return Table(self.env, tree)

    @property
    def operation(self) -> QueryOperation:
        """The tree of the pipeline."""
        return self.table.operation

    def text_reader(self) -> TextReader:
        """Returns what reads texts as the view's own text is read."""
        from viewscribe.snapshots.verdict.reader import view_reader

        return view_reader(self.document, self.env, self._home.place.catalog_name)

    def require_readable(self) -> None:
        """Fails the test where the document cannot be read, and says why."""
        try:
            _ = self.document
        except ViewscribeError as error:
            pytest.fail(f"the view {printable(self.name)} cannot be read\n{error}", pytrace=False)

    def __repr__(self) -> str:
        return f"<view {printable(self.name)} of {self.url}>"


class NoView:
    """The place of the views that a catalog does not have: its test fails and says so.

    Args:
        why: what is missing.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def require_readable(self) -> None:
        """Fails the test."""
        pytest.fail(self._why, pytrace=False)

    def __repr__(self) -> str:
        return f"<no view: {self._why}>"


def views(place: str, *, select: str | Sequence[str] = ()) -> list[ParameterSet]:
    """Returns every view of a catalog, for ``@pytest.mark.parametrize("view", views(…))``.

    A view whose document is damaged is a test that fails; so is a catalog without views.

    Args:
        place: a catalog (``"file:./views"``), a directory or an environment of
            ``viewscribe.yaml``; what is relative starts at pytest's rootdir.
        select: only these views: ``"sales.*"``.

    Raises:
        CatalogError: there is no such catalog.
        ValidationError: it is neither a catalog nor an environment.
    """
    home = OpenCatalog(find_place(place))
    patterns = [select] if isinstance(select, str) else list(select)
    found = [each for each in _list_views(home.catalog) if _is_selected(each, patterns)]
    if not found:
        of_names = f" of the name {' or '.join(patterns)}" if patterns else ""
        why = f"{home.place.shown_url} has no view{of_names}"
        return [pytest.param(NoView(why), id="no-views")]
    made = [CatalogView(home, each) for each in found]
    return [pytest.param(each, id=printable(each.name)) for each in made]


def _list_views(catalog: Any) -> list[ObjectId]:
    found: list[ObjectId] = []
    for database in catalog.list_databases():
        try:
            found += catalog.list_objects(database, "view")
        except DatabaseNotFoundError:
            continue  # it was dropped in between
    return found


def _is_selected(id_: ObjectId, patterns: Sequence[str]) -> bool:
    return not patterns or any(matches(each, id_.database, id_.name) for each in patterns)


# A catalog over another one: what a test stores is seen by that test, and written nowhere.


class LayeredCatalog:
    """Objects of its own over those of another catalog, which it never changes.

    Args:
        base: the other catalog.
    """

    def __init__(self, base: Catalog) -> None:
        self._base = base
        self._own = MemoryCatalog()

    @property
    def url(self) -> str:
        """Where the catalog below is."""
        return self._base.url

    def list_databases(self) -> list[str]:
        return sorted({*self._base.list_databases(), *self._own.list_databases()}, key=fold)

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        return (self._base if self._has_below(name) else self._own).get_database(name)

    def create_database(self, document: DatabaseDocument) -> Token:
        if self._has_below(document.name):
            raise AlreadyExistsError(f"there is a database `{document.name}`")
        return self._own.create_database(document)

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        self._require_own_database(document.name)
        return self._own.replace_database(document, expected=expected)

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        self._require_own_database(name)
        self._own.drop_database(name, cascade=cascade)

    def get(self, kind: Any, database: str, name: str) -> Any:
        try:
            return cast("Any", self._own).get(kind, database, name)
        except (DatabaseNotFoundError, ObjectNotFoundError):
            return cast("Any", self._base).get(kind, database, name)

    def kind_of(self, database: str, name: str) -> ObjectKind | None:
        own = self._own.kind_of(database, name) if self._has_own(database) else None
        if own is not None or not self._has_below(database):
            return own
        return self._base.kind_of(database, name)

    def find(self, database: str, name: str) -> Any:
        own = self._own.find(database, name) if self._has_own(database) else None
        if own is not None or (self._has_own(database) and not self._has_below(database)):
            return own
        return self._base.find(database, name)

    def find_function(self, database: str, name: str) -> Any:
        own = self._own.find_function(database, name) if self._has_own(database) else None
        return own or self._base.find_function(database, name)

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        if self._is_below(document):
            raise AlreadyExistsError(
                f"there is a {document.kind} `{document.database}.{document.name}` already"
            )
        return self._store(document, change)

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        try:
            return self._own.replace(document, expected=expected, change=change)
        except CatalogError:
            if not self._is_below(document):
                raise
        return self._store(document, change)

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        self._require_own(kind, database, name)
        self._own.delete(kind, database, name, expected=expected)

    def rename(
        self,
        kind: ObjectKind,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None = None,
        change: Change | None = None,
    ) -> Token:
        self._require_own(kind, database, name)
        return self._own.rename(kind, database, name, to, expected=expected, change=change)

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[ObjectDocument]]:
        layer = self._own if self._is_own(kind, database, name) else self._base
        return layer.history(kind, database, name)

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        if not self._has_own(database):
            return self._base.list_objects(database, kind)
        own = self._own.list_objects(database, kind)
        names = {(each.kind == "function", fold(each.name)) for each in own}
        below = self._base.list_objects(database, kind) if self._has_below(database) else []
        kept = [e for e in below if (e.kind == "function", fold(e.name)) not in names]
        return sorted([*own, *kept], key=lambda each: (fold(each.name), each.kind))

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        own = list(self._own.load_all(database))
        names = {_key(each.id) for each in own}
        yield from own
        yield from (each for each in self._base.load_all(database) if _key(each.id) not in names)

    # -- which layer -----------------------------------------------------------------------------

    def _has_own(self, database: str) -> bool:
        return fold(database) in map(fold, self._own.list_databases())

    def _has_below(self, database: str) -> bool:
        return fold(database) in map(fold, self._base.list_databases())

    def _is_own(self, kind: DocumentKind, database: str, name: str) -> bool:
        if not self._has_own(database):
            return False
        ids = self._own.list_objects(database, cast("ObjectKind", kind))
        return fold(name) in [fold(each.name) for each in ids]

    def _is_below(self, document: ObjectDocument) -> bool:
        database, name = document.database, document.name
        if not self._has_below(database) or self._is_own(document.kind, database, name):
            return False
        if document.kind != "function":
            return self._base.kind_of(database, name) is not None
        ids = self._base.list_objects(database, "function")
        return fold(name) in [fold(each.name) for each in ids]

    def _store(self, document: ObjectDocument, change: Change | None) -> Token:
        if not self._has_own(document.database) and self._has_below(document.database):
            self._own.create_database(self._base.get_database(document.database).document)
        return self._own.create(document, change=change)

    def _require_own(self, kind: ObjectKind, database: str, name: str) -> None:
        if not self._is_own(kind, database, name):
            self._refuse(f"`{database}.{name}`")

    def _require_own_database(self, name: str) -> None:
        if self._has_below(name):
            self._refuse(f"the database `{name}`")

    def _refuse(self, what: str) -> None:
        raise CatalogError(
            f"{what} is one of {self.url}, which tests do not change",
            hint="store another object in view_env, or open the catalog in the test itself",
        )


def _key(each: ObjectId) -> tuple[str, str, bool]:
    return fold(each.database), fold(each.name), each.kind == "function"


# ``view_env``: an environment for a test, its tables from DDL, a catalog or an environment.

MARK = "view_tables"

_DDL = re.compile(r"\s*(?P<name>(?:`(?:[^`]|``)*`|[^`(\s:])+)\s*\((?P<columns>.*)\)\s*", re.DOTALL)
_OPEN = pytest.StashKey[dict[str, tuple[Environment, Catalog]]]()


class TableDdl(NamedTuple):
    """A table: its name and its columns as DDL."""

    name: str
    columns: str


class Place(NamedTuple):
    """A catalog that has the tables."""

    text: str


def make_environment(request: pytest.FixtureRequest, given: object) -> TableEnvironment:
    """Returns an environment with the tables of the settings, a fixture and the marks of a test.

    They add up. Of two tables of one name, and of two catalogs, the one nearer to the test counts.

    Args:
        request: the test's.
        given: what its fixture ``view_tables`` gives.

    Raises:
        ValidationError: a text is neither a table nor a catalog.
    """
    sources = list(_parse(request.config.getini(MARK)))
    sources += _parse(given)
    for mark in reversed(list(request.node.iter_markers(MARK))):
        sources += _parse([*mark.args, dict(mark.kwargs)])
    places = [each for each in sources if isinstance(each, Place)]
    env = _open(request.config, places[-1].text) if places else TableEnvironment()
    for each in sources:
        if isinstance(each, TableDdl):
            parts = parse_name(each.name)
            if len(parts) == 3 and parts[0].casefold() not in map(
                str.casefold, env.catalogs.catalogs()
            ):
                from viewscribe.catalog_store.stores.memory import MemoryCatalog

                env.register_catalog(parts[0], MemoryCatalog())
            if len(parts) > 1:
                env.create_database(quote_name(parts[:-1]), if_not_exists=True)
            env.create_table(each.name, each.columns, or_replace=True)
    return env


def _parse(given: object) -> Iterator[TableDdl | Place]:
    if isinstance(given, str):
        yield _parse_text(given)
    elif isinstance(given, Mapping):
        for name, columns in given.items():
            yield TableDdl(str(name), str(columns))
    elif isinstance(given, list | tuple):
        for each in given:
            yield from _parse(each)
    else:
        raise ValidationError(
            f"view_tables is a {type(given).__name__}",
            hint='give texts, "orders(id INT)" or "file:./views", or a dict of columns by table',
        )


def _parse_text(text: str) -> TableDdl | Place:
    found = _DDL.fullmatch(text)
    if found is not None:
        return TableDdl(found["name"], found["columns"])
    return Place(text.strip())


def _open(config: pytest.Config, text: str) -> TableEnvironment:
    """Returns an environment over a catalog, which is opened once in a run and never written."""
    known = config.stash.setdefault(_OPEN, {})
    if text not in known:
        place = find_place(text)
        known[text] = place, place.open()
    place, catalog = known[text]
    return open_environment(place, LayeredCatalog(catalog))
