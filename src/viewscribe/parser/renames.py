"""SQL text with other names for the tables it reads and the functions of users it calls.

Only names that mean a table or a function are touched, where they stand: names of CTEs, aliases,
columns and strings that look the same are left alone, and so are layout and comments. Where the
last part of a table's name changes, the former one becomes its alias, so that columns qualified by
it still resolve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.parser.grammar import Reading
from viewscribe.parser.names import Column, Edit, Function, Names, Table, edit, read_names
from viewscribe.types.identifiers import quote_identifier, quote_name

Path = tuple[str, ...]

TableRename = Callable[[Sequence[str]], tuple[Path, Path]]
"""From the parts of a name to the full path of the table it means, and its new full path."""

FunctionResolver = Callable[[Sequence[str]], UserFunction | None]
"""From the parts of a name to the function of a user that it means; None for one of Spark's."""


class Renamed(NamedTuple):
    """A text under new names, with the new paths of what it reads and calls."""

    text: str
    tables: tuple[Path, ...]
    functions: tuple[UserFunction, ...]


def with_other_names(
    text: str,
    rename: TableRename,
    find_function: FunctionResolver,
    reading: Reading | None = None,
    *,
    in_body: bool = False,
) -> Renamed:
    """The query with every table under its new name and every function as ``find_function`` says.

    Args:
        text: one query in Spark SQL.
        rename: says which table a name means and what that is called now.
        find_function: finds functions of users, under their new names.
        reading: the settings that decide how it is read.
        in_body: whether it is of a SQL function, where Spark takes names of functions of at most
            two parts.

    Raises:
        ValidationError: the syntax of the text is not read, or a name stands where none can be put.
    """
    names = read_names(text, reading)
    known = {table: rename(table.parts) for table in names.tables}
    calls = [(each, find_function(each.parts)) for each in names.functions]
    users = [(each, function) for each, function in calls if function is not None]
    edits = [_of_table(table, *known[table], names) for table in names.tables]
    edits += _of_columns(names, known)
    edits += [
        (each.start, each.end, written_name(each, function, in_body)) for each, function in users
    ]
    paths = dict.fromkeys(new for _, new in known.values())
    functions = dict.fromkeys(function for _, function in users)
    return Renamed(edit(text, edits), tuple(paths), tuple(functions))


def split_at_tables(
    text: str,
    find: Callable[[Sequence[str]], Path | None],
    reading: Reading | None = None,
    *,
    aliased: bool = False,
) -> list[str | Path]:
    """The query in pieces: text, and in the place of each name of a table the path it means.

    For texts in which something else than a name is to stand there. Columns that are qualified by
    the catalog or database of a table are qualified by its name alone.

    Args:
        text: one query in Spark SQL.
        find: says which table a name means; None for one whose name stays as it is.
        reading: the settings that decide how it is read.
        aliased: whether tables may be called anything there, so that their names become aliases.

    Raises:
        ValidationError: the syntax of the text is not read, or a column cannot be qualified so.
    """
    names = read_names(text, reading)
    paths = {each: path for each in names.tables if (path := find(each.parts)) is not None}
    known = {each: (path, _ANY if aliased else path) for each, path in paths.items()}
    places: list[tuple[int, int, Sequence[str | Path]]] = [
        (table.start, table.end, (paths[table], _alias_of(table, *known[table], names)))
        for table in known
    ]
    places += [(start, end, (text,)) for start, end, text in set(_of_columns(names, known))]
    found: list[str | Path] = []
    at = 0
    for start, end, instead in sorted(places, key=lambda place: place[0]):
        found += [text[at:start], *instead]
        at = end
    return [*found, text[at:]]


_ANY = ("",)
"""The path of a table that may be called anything."""


def written_name(call: Function, function: UserFunction, in_body: bool = False) -> str:
    """How a call names a function of a user where it stands."""
    makes_rows = function.kind is FunctionKind.GENERATOR and call.is_relation
    name = function.table_name if makes_rows else function.sql_name
    parts = function.identifier.parts
    return quote_name(parts[-2:]) if in_body and name == quote_name(parts) else name


def _of_table(table: Table, old: Path, new: Path, names: Names) -> Edit:
    """The new name, and the former one as the alias where columns may be qualified by it."""
    return table.start, table.end, quote_name(new) + _alias_of(table, old, new, names)


def _alias_of(table: Table, old: Path, new: Path, names: Names) -> str:
    """The alias that a table needs behind its new name; nothing where it needs none."""
    if not table.is_aliased and _fold(old[-1:]) != _fold(new[-1:]):
        if table.takes_alias:
            return f" AS {quote_identifier(table.parts[-1])}"
        if _is_qualifier(table.parts[-1], names):
            raise ValidationError(
                f"`{'.'.join(old)}` gets another name, and its clauses leave no place for an alias",
                hint="give it an alias in the text",
            )
    return ""


def _is_qualifier(name: str, names: Names) -> bool:
    """Whether a column may be qualified by a name."""
    written = [*(each.parts for each in names.columns), *names.unplaced]
    return any(name.casefold() in _fold(parts) for parts in written)


def _of_columns(names: Names, known: dict[Table, tuple[Path, Path]]) -> Iterator[Edit]:
    """``sales.orders.id`` becomes ``orders.id``: the table is known by that, renamed or not.

    Where something else of the text is called ``orders`` too, the qualifier follows the table.

    Raises:
        ValidationError: it cannot: the table gets its former name as an alias, or it may be one
            of several tables.
    """
    unaliased = {_fold(known[each][0]): each for each in known if not each.is_aliased}
    if not unaliased:
        return
    shared = _shared_names(names, unaliased)
    for column in names.columns:
        for count in (3, 2):
            prefix = _fold(column.parts[:count])
            meant = [table for path, table in unaliased.items() if path[-count:] == prefix]
            if len(column.parts) + column.is_star > count and meant:
                found = {_qualifier(each, known[each], count, shared) for each in meant}
                if len(found) > 1:
                    raise _refusal(".".join(prefix), "means one of several tables")
                yield _of_column(column, count, found.pop())
                break
        else:
            _refuse_capture(column, [known[table][1] for table in unaliased.values()])
    for parts in names.unplaced:
        if any(path[-count:] == _fold(parts[:count]) for path in unaliased for count in (3, 2)):
            raise _refusal(".".join(parts), "is qualified by a database")


def _refuse_capture(column: Column, paths: Sequence[Path]) -> None:
    """Refuses a column that would mean one of a table, by the new name of that and its database."""
    for count in (3, 2):
        taken = {_fold(path[-count:]) for path in paths}
        if len(column.parts) + column.is_star > count and _fold(column.parts[:count]) in taken:
            raise _refusal(
                ".".join(column.parts), "would be a column of a table by the new names, and is not"
            )


def _of_column(column: Column, count: int, qualifier: str) -> Edit:
    return column.start, column.ends[count - 1], qualifier


def _shared_names(names: Names, unaliased: dict[Path, Table]) -> set[str]:
    """The names of tables without an alias by which the text calls something else as well."""
    of_tables = Counter(path[-1] for path in unaliased)
    return {name for name, count in of_tables.items() if count > 1 or name in names.aliases}


def _qualifier(table: Table, known: tuple[Path, Path], count: int, shared: set[str]) -> str:
    """What columns of a table that has no alias are qualified by under its new name."""
    old, new = known
    name = table.parts[-1]
    if name.casefold() not in shared:
        return quote_identifier(name)
    if _fold(old[-1:]) == _fold(new[-1:]):
        return quote_name(new[-count:])
    raise _refusal(".".join(old), f"gets another name, and the text calls something else `{name}`")


def _refusal(name: str, why: str) -> ValidationError:
    return ValidationError(
        f"`{name}` {why}",
        hint="give each table an alias in the text, and qualify columns by it",
    )


def _fold(parts: Sequence[str]) -> Path:
    return tuple(part.casefold() for part in parts)
