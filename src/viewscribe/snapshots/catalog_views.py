"""All views of a catalog as parameters of a test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from viewscribe.catalog_store import DatabaseNotFoundError, ViewDocument
from viewscribe.catalog_store.protocol import ObjectId
from viewscribe.environments import Environment, matches
from viewscribe.errors import ViewscribeError, printable
from viewscribe.snapshots.places import find_place, open_environment
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

    from viewscribe.catalog_store import Catalog
    from viewscribe.operations.base import QueryOperation
    from viewscribe.snapshots.verdict import TextReader
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.table import Table


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
        from viewscribe.table_api.table import Table
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
