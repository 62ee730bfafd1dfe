"""Permissions: the formats, locations and functions that an opened document may use.

A document may come from anyone. It may read the built-in file formats, Hive's and the tables of
catalogs. Anything else that reads, connects or executes must be allowed by name by the user who
opens it.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewscribe.errors import CatalogError
from viewscribe.expressions.functions.of_catalogs import is_of_catalog
from viewscribe.expressions.node import find
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.sql_reach import (
    CLASSES,
    FUNCTIONS,
    PROTOBUF,
    WITH_OPTIONS,
    catalog_functions_called,
    computes_names,
    descriptors_read,
    does,
    functions_called,
    is_path,
    is_plain_option,
    names_a_class,
    options_read,
    paths_read,
    table_options,
)
from viewscribe.operations.user_functions import user_functions
from viewscribe.types.identifiers import quote_identifier, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store.documents.model import TableDocument
    from viewscribe.expressions.functions.sources import FunctionSource

FORMATS = frozenset(("parquet", "orc", "avro", "csv", "json", "text", "hive"))
"""The file formats that need no permission, since reading them opens no connection."""

_REACHING_OPTIONS = frozenset(("avroschemaurl", "serde", "inputformat", "outputformat", "paths"))
_GLOBS = frozenset("{}\\")
_OWN_STORAGE = frozenset(("", "file", "s3", "s3a", "s3n", "gs", "cosn", "obs", "dbfs"))
"""Schemes of which no address names a server: a bucket lies where the session's settings say."""
_DOTTED_OPTIONS = frozenset(
    (
        *("serialization.format", "serialization.null.format", "serialization.encoding"),
        *("parquet.compression", "orc.compress", "avro.output.codec", "parquet.block.size"),
        *("orc.bloom.filter.columns", "orc.bloom.filter.fpp", "orc.stripe.size"),
    )
)


class ForbiddenSourceError(CatalogError):
    """A document uses a format, a location or a function that is not allowed."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What documents may use besides tables and the built-in file formats.

    Args:
        formats: further formats, such as ``jdbc``.
        locations: directories that paths in queries, and jars of functions, may be in. If any are
            given, stored tables must be in them, too.
        functions: functions that reach outside the query, such as ``reflect``, Hive classes that
            do, and functions that catalogs of Spark's have themselves, ``lake.system.bucket``.
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
        """Returns permissions with names normalized to be case-insensitive."""
        return cls(
            frozenset(map(str.lower, formats)),
            tuple(locations),
            frozenset(map(_one_name, functions)),
        )

    def and_also(self, other: Permissions) -> Permissions:
        """Returns the union of both permissions."""
        return Permissions(
            self.formats | other.formats,
            (*self.locations, *other.locations),
            self.functions | other.functions,
        )

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Puts these permissions in force inside the ``with`` block."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)

    # -- refusing --------------------------------------------------------------------------------

    def require_table(self, what: str, table: TableDocument) -> None:
        """Rejects a stored table whose format or location is not allowed.

        Raises:
            ForbiddenSourceError: it is not allowed.
        """
        _raise_first(self.refused_in_table(what, table))

    def require_text(self, what: str, text: str) -> None:
        """Rejects a query that contains paths or calls functions that are not allowed.

        Raises:
            ForbiddenSourceError: it does.
        """
        _raise_first(self.refused_in_text(what, text))

    def require_catalog_functions(
        self, what: str, text: str, is_known: Callable[[tuple[str, ...]], bool]
    ) -> None:
        """Rejects a query that calls functions which catalogs of Spark's have themselves.

        Args:
            what: the object, for messages.
            text: the query.
            is_known: says of a name whether it is that of something else, a function of ours.

        Raises:
            ForbiddenSourceError: it does, and they are not allowed.
        """
        _raise_first(self.refused_catalog_functions(what, text, is_known))

    def require_catalog_function(self, what: str, path: Sequence[str]) -> None:
        """Rejects a function that a catalog of Spark's has itself.

        Raises:
            ForbiddenSourceError: it is not allowed.
        """
        _raise_first(self._catalog_function(what, path))

    def require_tree(self, what: str, operation: QueryOperation) -> None:
        """Like ``require_text``, for a tree and the catalog functions that it calls.

        Raises:
            ForbiddenSourceError: something in it is not allowed.
        """
        _raise_first(self.refused_in_tree(what, operation))

    def require_function(self, what: str, source: FunctionSource) -> None:
        """Rejects a function whose jar, class or body is not allowed.

        Raises:
            ForbiddenSourceError: it is not allowed.
        """
        _raise_first(self.refused_in_function(what, source))

    # -- everything that would be refused --------------------------------------------------------

    def refused_in_table(self, what: str, table: TableDocument) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_table`` rejects."""
        if table.format is not None:
            yield from self._format(what, table.format)
            yield from self._options(what, table.format, table.options)
        paths = [value for key, value in table.options.items() if key.lower() == "path"]
        for place in (table.location, *paths):
            # Without explicit locations the session's storage will do, and no server by its name.
            if place is not None and (self.locations or not _is_own_storage(place)):
                yield from self._location(f"{what} reads files at", place)

    def refused_in_text(self, what: str, text: str) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_text`` rejects."""
        if computes_names(text):
            yield ForbiddenSourceError(
                f"{what} computes names with IDENTIFIER(…), and what it reads is not seen before",
                hint="write the names themselves in its text",
            )
        for format_, path in paths_read(text):
            yield from self._format(what, format_)
            yield from self._location(f"{what} reads files at", path)
        for path in descriptors_read(text):
            yield from self._location(f"{what} reads files at", path)
        for option, value in table_options(text):
            if not _is_of_format(option.lower()) or names_a_class(option, value):
                yield ForbiddenSourceError(
                    f"{what} gives a table the option `{option}`, which may name a class to load, "
                    "or a place to connect to",
                    hint="give it to the table's own document",
                )
        for name in (*functions_called(text), *options_read(text)):
            yield from self._function(what, name)

    def refused_catalog_functions(
        self, what: str, text: str, is_known: Callable[[tuple[str, ...]], bool]
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_catalog_functions`` rejects."""
        for path in catalog_functions_called(text):
            if not is_known(path):
                yield from self._catalog_function(what, path)

    def refused_in_tree(
        self, what: str, operation: QueryOperation
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_tree`` rejects."""
        for node in find(operation, SqlText, CatalogSource, Call):
            if isinstance(node, SqlText):
                yield from self.refused_in_text(what, node.text)
                continue
            if isinstance(node, CatalogSource):
                if len(node.path) == 2 and is_path(*node.path):
                    yield from self._format(what, node.path[0])
                    yield from self._location(f"{what} reads files at", node.path[1])
                continue
            assert isinstance(node, Call)
            if node.function.sql_name.lower() in FUNCTIONS:
                yield from self._function(what, node.function.sql_name)
            else:
                yield from self._arguments(what, node)
        for function in user_functions(operation):
            if is_of_catalog(function):
                yield from self._catalog_function(what, function.identifier.parts)
            yield from self.refused_in_function(f"the function {function!r}", function.source)

    def _arguments(self, what: str, call: Call) -> Iterator[ForbiddenSourceError]:
        """Yields files that the arguments of a call make it read: descriptors or schemas."""
        name = call.function.sql_name
        if name in PROTOBUF:
            for each in call.args[2:3]:
                value = each.value if isinstance(each, Literal) else "a place that it computes"
                if isinstance(value, str) and not _is_plain(each):
                    yield from self._location(f"{what} reads files at", value)
        elif name in WITH_OPTIONS and not all(map(_is_plain, call.args[WITH_OPTIONS[name] :])):
            yield from self._function(what, name)

    def refused_in_function(
        self, what: str, source: FunctionSource
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_function`` rejects; ``PythonModules`` checks Python functions."""
        for each in source.resources:
            yield from self._location(f"{what} is loaded from", each)
        if source.reference in CLASSES and _one_name(source.reference) not in self.functions:
            yield ForbiddenSourceError(
                f"{what} is the class {source.reference}, which reaches out of the query",
                hint=_allow_by_name("function", source.reference),
            )
        defaults = (each.default for each in source.parameters or ())
        for text in (source.body, *defaults):
            if text is not None:
                yield from self.refused_in_text(what, text)

    def _format(self, what: str, name: str) -> Iterator[ForbiddenSourceError]:
        if name.lower() not in FORMATS | self.formats:
            yield ForbiddenSourceError(
                f"{what} reads the format `{name}`, which is none of Spark's own for files: it may "
                "connect to something, or run code",
                hint=_allow_by_name("format", name),
            )

    def _options(
        self, what: str, format_: str, options: Mapping[str, str]
    ) -> Iterator[ForbiddenSourceError]:
        if format_.lower() in self.formats:
            return
        for key, value in options.items():
            if not _is_of_format(key.lower()) or names_a_class(key, value):
                yield ForbiddenSourceError(
                    f"{what} has the option `{key}`, which may name a class to load, or a place to "
                    "connect to",
                    hint=_allow_by_name("format", format_),
                )

    def _location(self, does: str, location: str) -> Iterator[ForbiddenSourceError]:
        if not any(_lies_in(location, place) for place in self.locations):
            yield ForbiddenSourceError(
                f"{does} {location}, a place that nobody allowed",
                hint=f"if you trust it, allow it, or a directory above: locations=[{location!r}], "
                f"or --allow-location {shlex.quote(location)} on the command line",
            )

    def _catalog_function(self, what: str, path: Sequence[str]) -> Iterator[ForbiddenSourceError]:
        odd = any("." in part or "`" in part for part in path)
        name = quote_name(path) if odd else ".".join(path)
        if _one_name(name) not in self.functions:
            yield ForbiddenSourceError(
                f"{what} calls {quote_name(path)}(), which runs a class that the catalog "
                f"{quote_identifier(path[0])} has in the session",
                hint=_allow_by_name("function", name),
            )

    def _function(self, what: str, name: str) -> Iterator[ForbiddenSourceError]:
        if _one_name(name) not in self.functions:
            yield ForbiddenSourceError(
                f"{what} calls {name}(), which reaches out of the query: it {does(name)}",
                hint=_allow_by_name("function", name),
            )


def _one_name(name: str) -> str:
    """Returns the canonical name of a function; Spark has two for ``reflect``."""
    return "reflect" if name.lower() == "java_method" else name.lower()


def _is_of_format(option: str) -> bool:
    """Returns whether an option describes the file format; Hadoop options have dots."""
    if option in _REACHING_OPTIONS:
        return False
    return "." not in option or option.endswith(".delim") or option in _DOTTED_OPTIONS


def _is_plain(options: ResolvedExpression) -> bool:
    """Returns whether options are a literal map of strings that names no file."""
    if not isinstance(options, Call) or options.function.sql_name != "map":
        return False
    texts = [each.value if isinstance(each, Literal) else None for each in options.args]
    if not all(isinstance(each, str) for each in texts):
        return False
    return all(map(is_plain_option, map(str, texts[::2]), map(str, texts[1::2])))


def _raise_first(refused: Iterator[ForbiddenSourceError]) -> None:
    for error in refused:
        raise error


def _allow_by_name(kind: str, name: str) -> str:
    return (
        f"if you trust it, allow it by name: {kind}s=[{name!r}], or --allow-{kind} "
        f"{shlex.quote(name)} on the command line"
    )


def permissions_in_force() -> Permissions:
    """Returns the permissions in force."""
    return _IN_FORCE.get() or Permissions()


_IN_FORCE: ContextVar[Permissions | None] = ContextVar("permissions", default=None)


def _lies_in(location: str, place: str) -> bool:
    """Returns whether a path is a location or lies below it, after resolving ``..`` and ``.``.

    Braces and backslashes in Hadoop's patterns can hide ``..``, as in ``/data/{a,../b}``.
    """
    inner, outer = _plain(location), _plain(place)
    if _GLOBS & set(location):
        return location == place
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


def _is_own_storage(location: str) -> bool:
    """Returns whether a location is a path, or lies in a bucket of the session's storage."""
    before, colon, _ = location.partition(":")
    scheme = before.strip().lower() if colon and "/" not in before else ""
    is_drive = len(scheme) == 1
    return (scheme in _OWN_STORAGE or is_drive) and not location.strip().startswith("//")


def _plain(location: str) -> str:
    scheme, sign, rest = location.partition("://")
    if not sign:
        scheme, sign, rest = "", "", location
        if location.startswith("file:"):
            rest = "/" + location.removeprefix("file:").lstrip("/")
    elif scheme == "file":
        scheme, sign, rest = "", "", "/" + rest.lstrip("/")
    return scheme.lower() + sign + posixpath.normpath(rest)
