"""SQL text that means the same whatever catalog and database are current.

Spark keeps the text of a view as it was typed, and beside it where its names are meant. Here the
text says so itself: tables, views and functions by their full names. ``current_database()`` stays:
in a view, too, Spark takes it for the database that is current for the reader.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from viewscribe.errors import SqlSyntaxError
from viewscribe.operations.spark_names import BUILT_IN_FUNCTIONS
from viewscribe.operations.sql_reach import is_path
from viewscribe.parser.grammar import Reading
from viewscribe.parser.names import Edit, Function, Names, Table, edit, read_names
from viewscribe.types.identifiers import quote_name

Path = tuple[str, ...]

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
    *,
    built_in: Collection[str] = BUILT_IN_FUNCTIONS,
) -> Qualified:
    """The text as it is meant in a catalog and database.

    Args:
        text: one query in Spark SQL.
        namespace: the catalog, and the database in it, where its names are meant.
        reading: the settings that decide how it is read.
        built_in: the functions that are in no database.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    names = read_names(text, reading)
    tables = [(each, _full(each.parts, namespace)) for each in names.tables if not _is_path(each)]
    functions = [
        (each, _full(each.parts, namespace))
        for each in names.functions
        if not _is_built_in(each.parts, built_in)
    ]
    return Qualified(
        edit(text, [*_edits(tables), *_edits(functions)]),
        tuple(dict.fromkeys(full for _, full in tables)),
        tuple(dict.fromkeys(full for _, full in functions)),
    )


def body_with_full_names(body: str, namespace: Sequence[str]) -> str:
    """The body of a SQL function with the full names of tables and functions.

    Spark looks up the others in whatever database is current for the caller.

    Args:
        body: an expression or a query.
        namespace: the catalog, and the database in it, where its names are meant.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    prefix, names = _names_of_body(body)
    tables = [(each, _full(each.parts, namespace)) for each in names.tables if not _is_path(each)]
    functions = [
        (each, (*namespace[-1:], *each.parts))  # in a body Spark takes two parts at most
        for each in names.functions
        if len(each.parts) == 1 and not _is_built_in(each.parts, BUILT_IN_FUNCTIONS)
    ]
    return edit(prefix + body, [*_edits(tables), *_edits(functions)]).removeprefix(prefix)


def names_in_body(body: str) -> Names:
    """The tables and functions that the body of a SQL function names.

    Raises:
        ValidationError: a name cannot be told exactly.
    """
    return _names_of_body(body)[1]


def _names_of_body(body: str) -> tuple[str, Names]:
    try:
        return "", read_names(body)
    except SqlSyntaxError:  # no query, but an expression
        return _SELECT, read_names(_SELECT + body)


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


def _is_built_in(parts: Path, built_in: Collection[str]) -> bool:
    if len(parts) == 1:
        return parts[0].casefold() in built_in
    return parts[0].casefold() in _SPARKS_OWN


def _is_path(table: Table) -> bool:
    return len(table.parts) == 2 and is_path(*table.parts)
