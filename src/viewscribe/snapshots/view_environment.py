"""``view_env``: an environment for a test, its tables from DDL, a catalog or an environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest

from viewscribe.catalog_store import Catalog
from viewscribe.environments import Environment
from viewscribe.errors import ValidationError
from viewscribe.snapshots.layered_catalog import LayeredCatalog
from viewscribe.snapshots.places import find_place, open_environment
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.types.identifiers import parse_name, quote_name

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
            _create_table(env, each)
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


def _create_table(env: TableEnvironment, table: TableDdl) -> None:
    parts = parse_name(table.name)
    if len(parts) == 3 and parts[0].casefold() not in map(str.casefold, env.catalogs.catalogs()):
        from viewscribe.catalog_store.stores.memory import MemoryCatalog

        env.register_catalog(parts[0], MemoryCatalog())
    if len(parts) > 1:
        env.create_database(quote_name(parts[:-1]), if_not_exists=True)
    env.create_table(table.name, table.columns, or_replace=True)
