"""What kind the things are that a view of somebody else's reads.

Its text names tables and views alike; the metastore knows. A state stays the same, and has the same
token, when something that it reads becomes a view.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

import msgspec

from viewscribe.catalog_store.documents.model import Dependency, ViewDocument
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.stores.hive.client import Client, NoSuchObjectError
from viewscribe.catalog_store.stores.hive.states import kind_of
from viewscribe.catalog_store.stores.hive.view_tables import HOME, VIRTUAL_VIEW

ViewsAmong = Callable[[str, Sequence[str]], Collection[str]]
"""Of the names in a database, those of views; all in lower case."""


def with_kinds(state: State, views_among: ViewsAmong) -> State:
    """The state with the kinds of what its view reads; what is not there stays a table."""
    document = state.written.document
    if not state.foreign or not isinstance(document, ViewDocument):
        return state
    named: dict[str, list[str]] = {}
    for each in document.dependencies:
        if _is_here(each):
            named.setdefault(fold(each.name[1]), []).append(fold(each.name[2]))
    views = {(home, name) for home, names in named.items() for name in views_among(home, names)}
    known = tuple(
        Dependency("view", each.name)
        if _is_here(each) and (fold(each.name[1]), fold(each.name[2])) in views
        else each
        for each in document.dependencies
    )
    told = msgspec.structs.replace(document, dependencies=known)
    return state._replace(written=state.written._replace(document=told))


def _is_here(dependency: Dependency) -> bool:
    return dependency.kind == "table" and len(dependency.name) == 3 and dependency.name[0] == HOME


def ask(client: Client) -> ViewsAmong:
    """Asks the metastore for these names: for a view by itself."""

    def views_among(home: str, names: Sequence[str]) -> Collection[str]:
        with suppress(NoSuchObjectError):
            found = client.tables(home, names)
            return [each.name or "" for each in found if kind_of(each.type) == "view"]
        return ()

    return views_among


def list_views(client: Client) -> ViewsAmong:
    """Asks the metastore once a database for all its views: for many views."""
    known: dict[str, frozenset[str]] = {}

    def views_among(home: str, names: Sequence[str]) -> Collection[str]:
        if home not in known:
            known[home] = frozenset(client.names_of_type(home, VIRTUAL_VIEW))
        return known[home].intersection(names)

    return views_among
