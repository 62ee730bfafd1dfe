"""SQL text that means the same whatever catalog and database are current.

Spark keeps the text of a view as it was typed, and beside it where its names are meant. Here the
text says so itself: tables, views and functions by their full names. ``current_database()`` stays:
in a view, too, Spark takes it for the database that is current for the reader.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from viewscribe.operations.spark_names import BUILT_IN_FUNCTIONS
from viewscribe.operations.sql_names import Edit, edited
from viewscribe.operations.sql_positions import Place, Position, positions
from viewscribe.operations.sql_reach import is_path
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
    built_in: Collection[str] = BUILT_IN_FUNCTIONS,
) -> Qualified:
    """The text as it is meant in a catalog and database.

    Args:
        text: one query in Spark SQL.
        namespace: the catalog, and the database in it, where its names are meant.
        built_in: the functions that are in no database.

    Raises:
        ValidationError: a name cannot be told exactly; says which.
    """
    edits: list[Edit] = []
    tables: dict[Path, None] = {}
    functions: dict[Path, None] = {}
    for each in positions(text):
        full = _full(each, namespace, built_in)
        if each.place is Place.QUERY:
            edits.append((each.start, each.end, f"SELECT * FROM {quote_name(full)}".rstrip()))
        elif len(full) > len(each.parts):
            edits.append((each.start, each.end, quote_name(full)))
        if each.place is Place.FUNCTION and full:
            functions[full] = None
        elif each.place in (Place.TABLE, Place.QUERY) and full and not _is_path(each):
            tables[full] = None
    return Qualified(edited(text, edits), tuple(tables), tuple(functions))


def with_full_tables(text: str, namespace: Sequence[str]) -> str:
    """The text with the full names of tables and views alone.

    Args:
        text: one query in Spark SQL.
        namespace: where names of one part are meant; the last part alone will do.

    Raises:
        ValidationError: a name cannot be told exactly.
    """
    edits = []
    for each in positions(text):
        full = _full(each, namespace, ())
        if each.place is Place.TABLE and len(full) > len(each.parts):
            edits.append((each.start, each.end, quote_name(full)))
        elif each.place is Place.QUERY and len(full) > len(each.parts):
            edits.append((each.start, each.end, f"TABLE {quote_name(full)}"))
    return edited(text, edits)


def _full(name: Position, namespace: Sequence[str], built_in: Collection[str]) -> Path:
    """The whole name; nothing for a function of Spark, or what has no name."""
    parts = name.parts
    if name.place is Place.FUNCTION and _is_built_in(parts, built_in):
        return ()
    if not parts or _is_path(name) or len(parts) > 2:
        return parts
    return (*namespace, *parts) if len(parts) == 1 else (*namespace[:-1][:1], *parts)


def _is_built_in(parts: Path, built_in: Collection[str]) -> bool:
    if len(parts) == 1:
        return parts[0].casefold() in built_in
    return parts[0].casefold() in _SPARKS_OWN


def _is_path(name: Position) -> bool:
    return name.place is not Place.FUNCTION and len(name.parts) == 2 and is_path(*name.parts)
