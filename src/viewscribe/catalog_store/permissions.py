"""What a document from a catalog may reach when it is opened: formats, places, functions.

A document may be anybody's. The built-in file formats, Hive's and the tables of catalogs are what
views are for; whatever else reads, connects or runs must be allowed by name by whoever opens it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from viewscribe.errors import CatalogError
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Call
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SqlText
from viewscribe.operations.sql_reach import FUNCTIONS, computes_names, functions_called, paths_read

FORMATS = frozenset(("parquet", "orc", "avro", "csv", "json", "text", "hive"))
"""The formats of files that need no permission: reading one connects to nothing."""


class ForbiddenSourceError(CatalogError):
    """A document reaches what nobody allowed: a format, a place, a function."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What documents may use beyond tables and the built-in formats of files.

    Args:
        formats: further formats, ``jdbc`` for one.
        locations: where paths that stand in a query may lead: whatever begins with one of these.
            Where there are any, the locations of stored tables must, too.
        functions: functions that reach out of the query, ``reflect`` for one.
    """

    formats: frozenset[str] = frozenset()
    locations: tuple[str, ...] = ()
    functions: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        formats: Iterable[str] = (),
        locations: Iterable[str] = (),
        functions: Iterable[str] = (),
    ) -> Permissions:
        """The permissions for names in any case."""
        return cls(
            frozenset(map(str.lower, formats)),
            tuple(locations),
            frozenset(map(str.lower, functions)),
        )

    def and_also(self, other: Permissions) -> Permissions:
        """What either of both allows."""
        return Permissions(
            self.formats | other.formats,
            (*self.locations, *other.locations),
            self.functions | other.functions,
        )

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """What is opened in the ``with`` block may use this, and no more."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)

    def require_table(self, what: str, format_: str | None, location: str | None) -> None:
        """Refuses a stored table of a format, or at a place, that nobody allowed.

        Raises:
            ForbiddenSourceError: it is one.
        """
        if format_ is not None:
            self._require_format(what, format_)
        if location is not None and self.locations:
            self._require_location(what, location)

    def require_text(self, what: str, text: str) -> None:
        """Refuses a query that names paths or calls functions which nobody allowed.

        Raises:
            ForbiddenSourceError: it does.
        """
        if computes_names(text):
            raise ForbiddenSourceError(
                f"{what} computes names with IDENTIFIER(…), and what it reads is not seen before",
                hint="write the names themselves in its text",
            )
        for format_, path in paths_read(text):
            self._require_format(what, format_)
            self._require_location(what, path)
        for name in functions_called(text):
            self._require_function(what, name)

    def require_tree(self, what: str, operation: QueryOperation) -> None:
        """The same for a tree.

        Raises:
            ForbiddenSourceError: something in it reaches what nobody allowed.
        """
        for node in preorder(operation):
            if isinstance(node, SqlText):
                self.require_text(what, node.text)
            elif isinstance(node, Call) and node.function.sql_name.lower() in FUNCTIONS:
                self._require_function(what, node.function.sql_name)

    def _require_format(self, what: str, name: str) -> None:
        if name.lower() not in FORMATS | self.formats:
            raise ForbiddenSourceError(
                f"{what} reads the format `{name}`, which is none of Spark's own for files: it may "
                "connect to something, or run code",
                hint=f"if you trust it, allow it by name: formats=[{name!r}]",
            )

    def _require_location(self, what: str, location: str) -> None:
        if not any(_lies_in(location, place) for place in self.locations):
            raise ForbiddenSourceError(
                f"{what} reads files at {location}, a place that nobody allowed",
                hint=f"if you trust it, allow it: locations=[{location!r}], or a directory above",
            )

    def _require_function(self, what: str, name: str) -> None:
        if name.lower() not in self.functions:
            raise ForbiddenSourceError(
                f"{what} calls {name}(), which reaches out of the query",
                hint=f"if you trust it, allow it by name: functions=[{name!r}]",
            )


def permissions_in_force() -> Permissions:
    """What is allowed here and now."""
    return _IN_FORCE.get() or Permissions()


_IN_FORCE: ContextVar[Permissions | None] = ContextVar("permissions", default=None)


def _lies_in(location: str, place: str) -> bool:
    """Whether a path is a place or lies below it, once ``..`` and ``.`` are worked out."""
    inner, outer = _plain(location), _plain(place)
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


def _plain(location: str) -> str:
    scheme, sign, rest = location.partition("://")
    if not sign:
        scheme, sign, rest = "", "", location
        if location.startswith("file:"):
            rest = "/" + location.removeprefix("file:").lstrip("/")
    elif scheme == "file":
        scheme, sign, rest = "", "", "/" + rest.lstrip("/")
    return scheme.lower() + sign + posixpath.normpath(rest)
