"""Reading the text of an author: it stays beside the tree, as a witness of what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.operations.base import QueryOperation, with_witness
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.paths import is_path
from viewscribe.parser.grammar import Reading
from viewscribe.parser.lookup import History, World
from viewscribe.parser.parameters import with_values
from viewscribe.parser.read import read_sql
from viewscribe.parser.renames import with_other_names
from viewscribe.parser.settings import make_reading
from viewscribe.types import Field
from viewscribe.types.author_text import AuthorText, Witness


def read_author_text(
    text: str,
    world: World,
    reading: Reading | None = None,
    start: int = 0,
    *,
    namespace: Sequence[str] = (),
    origin: str | None = None,
) -> QueryOperation:
    """Parses and resolves a query as ``read_sql`` does; the tree has the text as its witness.

    Parameters in the text are replaced by their values.

    Args:
        text: one query, possibly with other text before it.
        world: looks up tables and functions.
        reading: query parameters, and the settings that affect parsing.
        start: the offset where the query begins.
        namespace: the catalog and database where names are meant; by default those of the tables.
        origin: where the text came from.
    """
    watch = _Past(world) if isinstance(world, History) else _Watch(world)
    watch.namespace = tuple(namespace)
    found = read_sql(text, watch, reading, start)
    query = text[start:].strip()
    if reading is not None:
        query = with_values(query, reading.named, reading.placed)
    author = AuthorText(text=query, namespace=watch.namespace, origin=origin)
    unasked = f"the session has no {', '.join(watch.unknown)}" if watch.unknown else ""
    return with_witness(found, Witness(author, unasked))


class _Watch:
    """A world that notes what no session knows under the name that a text has for it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.namespace: tuple[str, ...] = ()
        self.unknown: dict[str, None] = {}

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        found = self._world.table(parts)
        if isinstance(found, CatalogSource):
            self.namespace = self.namespace or found.path[:-1]
        elif not isinstance(found, SqlText):
            self.unknown[".".join(parts)] = None
        return found

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        return self._world.function(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """What a function of tables gives; Spark is given further arguments."""
        self.unknown[".".join(parts)] = None
        return self._world.process(parts, args, named)


class _Past(_Watch):
    """A world that knows the columns that a table had, too."""

    _world: Any

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was."""
        found: tuple[Field, ...] | None = self._world.columns_then(path, as_of)
        return found


def with_names_in_full(
    author: AuthorText, functions: Sequence[UserFunction], settings: Mapping[str, str]
) -> str:
    """The author's text as it is meant in any session: names of tables and functions in full.

    Args:
        author: the text, and where its names are meant.
        functions: the functions of users that it calls.
        settings: those that decide how it is read.

    Raises:
        ValidationError: a name cannot be told exactly.
    """

    def rename(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if len(parts) == 2 and is_path(*parts):
            return tuple(parts), tuple(parts)
        full = (*author.namespace[: max(3 - len(parts), 0)], *parts)
        return full, full

    def find(parts: Sequence[str]) -> UserFunction | None:
        return next((each for each in functions if _is_called(each, parts)), None)

    reading = make_reading(settings)
    return with_other_names(author.text, rename, find, reading).text


def _is_called(function: UserFunction, parts: Sequence[str]) -> bool:
    """Whether a name is that of a function; one of Spark's hides those of catalogs."""
    known = [part.casefold() for part in function.identifier.parts]
    wanted = [part.casefold() for part in parts]
    if len(wanted) == 1 < len(known) and find_built_in(wanted[0]) and is_sparks(wanted[0]):
        return False
    return known[-len(wanted) :] == wanted
