"""SQL text that means the same whatever catalog and database are current.

Spark keeps the text of a view as it was typed, and beside it where its names are meant. Here the
text says so itself: tables, views and functions by their full names. ``current_database()`` stays:
in a view, too, Spark takes it for the database that is current for the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from viewscribe.errors import SqlSyntaxError
from viewscribe.expressions.functions.sources import FunctionSource
from viewscribe.operations.paths import is_path
from viewscribe.operations.spark_names import is_system_function
from viewscribe.parser.grammar import Reading
from viewscribe.parser.names import Edit, Function, Table, edit, read_names
from viewscribe.types.identifiers import quote_name

Path = tuple[str, ...]

Stays = Callable[[Table | Function], bool]
"""Whether a name is of something temporary, which is in no database."""


def _never(name: Table | Function) -> bool:
    return False


_SPARKS_OWN = frozenset(("builtin", "session", "system"))


class Qualified(NamedTuple):
    """A text with full names, and the full names of what it reads and calls, each once."""

    text: str
    tables: tuple[Path, ...]
    functions: tuple[Path, ...]


def with_full_names(
    text: str,
    namespace: Sequence[str],
    reading: Reading | None = None,
) -> Qualified:
    """The text as it is meant in a catalog and database.

    Args:
        text: one query in Spark SQL.
        namespace: the catalog, and the database in it, where its names are meant.
        reading: the settings that decide how it is read.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    names = read_names(text, reading)
    tables = [(each, _full(each.parts, namespace)) for each in names.tables if not _is_path(each)]
    functions = [
        (each, _full(each.parts, namespace))
        for each in names.functions
        if not _is_built_in(each.parts)
    ]
    return Qualified(
        edit(text, [*_edits(tables), *_edits(functions)]),
        tuple(dict.fromkeys(full for _, full in tables)),
        tuple(dict.fromkeys(full for _, full in functions)),
    )


def body_with_full_names(body: str, namespace: Sequence[str], stays: Stays = _never) -> Qualified:
    """The body of a SQL function, or the default of a parameter, as it is meant in a database.

    Spark looks up what is not named in full in whatever database is current for the caller.

    Args:
        body: an expression or a query.
        namespace: the catalog, and the database in it, where its names are meant.
        stays: whether a name is of something temporary, which is in no database.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    try:
        prefix, names = "", read_names(body)
    except SqlSyntaxError:  # no query, but an expression
        prefix, names = _SELECT, read_names(_SELECT + body)
    tables = [
        (each, _full(each.parts, namespace))
        for each in names.tables
        if not (_is_path(each) or stays(each))
    ]
    functions = [
        (each, _full(each.parts, namespace))
        for each in names.functions
        if not (_is_built_in(each.parts) or stays(each))
    ]
    # In a body Spark takes names of functions of two parts at most.
    called = [(each, full[-2:]) for each, full in functions]
    return Qualified(
        edit(prefix + body, [*_edits(tables), *_edits(called)]).removeprefix(prefix),
        tuple(dict.fromkeys(full for _, full in tables)),
        tuple(dict.fromkeys(full for _, full in functions)),
    )


def function_with_full_names(
    source: FunctionSource,
    namespace: Sequence[str],
    stays: Stays = _never,
) -> FunctionSource:
    """A SQL function with full names in its body and defaults, as ``body_with_full_names``."""
    if source.body is None:
        return source

    def whole(text: str) -> str:
        return body_with_full_names(text, namespace, stays).text

    parameters = [
        each if each.default is None else msgspec.structs.replace(each, default=whole(each.default))
        for each in source.parameters or ()
    ]
    return msgspec.structs.replace(source, body=whole(source.body), parameters=tuple(parameters))


def sources_of_function(
    source: FunctionSource, namespace: Sequence[str]
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The full names of the tables that a SQL function reads, and of the functions it calls.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    if source.body is None:
        return (), ()
    defaults = [each.default for each in source.parameters or () if each.default is not None]
    found = [body_with_full_names(text, namespace) for text in (source.body, *defaults)]
    tables = dict.fromkeys(path for each in found for path in each.tables)
    functions = dict.fromkeys(path for each in found for path in each.functions)
    return tuple(tables), tuple(functions)


_SELECT = "SELECT "


def with_full_tables(text: str, namespace: Sequence[str], reading: Reading | None = None) -> str:
    """The text with the full names of tables and views alone.

    Args:
        text: one query in Spark SQL.
        namespace: where names of one part are meant; the last part alone will do.
        reading: the settings that decide how it is read.

    Raises:
        ValidationError: a name cannot be told exactly.
    """
    tables = (each for each in read_names(text, reading).tables if not _is_path(each))
    return edit(text, _edits([(each, _full(each.parts, namespace)) for each in tables]))


def _edits(names: Sequence[tuple[Table | Function, Path]]) -> list[Edit]:
    return [
        (each.start, each.end, quote_name(full))
        for each, full in names
        if len(full) > len(each.parts)
    ]


def _full(parts: Path, namespace: Sequence[str]) -> Path:
    if len(parts) > 2:
        return parts
    return (*namespace, *parts) if len(parts) == 1 else (*namespace[:-1][:1], *parts)


def _is_built_in(parts: Path) -> bool:
    if len(parts) == 1:
        return is_system_function(parts[0])
    return parts[0].casefold() in _SPARKS_OWN


def _is_path(table: Table) -> bool:
    return len(table.parts) == 2 and is_path(*table.parts)
