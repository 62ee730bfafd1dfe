"""SQL text with other names for the tables it reads and the functions of users it calls.

Only names that mean a table or a function are touched, where they stand in the syntax tree: names
of CTEs, aliases, columns and strings that look the same are left alone. Where the last part of a
table's name changes, the former one becomes its alias, so that columns qualified by it still
resolve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.sql_names import (
    Edit,
    FunctionResolver,
    called,
    edit,
    edited,
    parsed,
    parts_of,
    tables_of,
)
from viewscribe.types.identifiers import quote_identifier, quote_name

Path = tuple[str, ...]

TableRename = Callable[[Sequence[str]], tuple[Path, Path]]
"""From the parts of a name to the full path of the table it means, and its new full path."""


class Renamed(NamedTuple):
    """A text under new names, with the new paths of what it reads and calls."""

    text: str
    tables: tuple[Path, ...]
    functions: tuple[UserFunction, ...]


def with_other_names(text: str, rename: TableRename, find_function: FunctionResolver) -> Renamed:
    """The query with every table under its new name and every function as ``find_function`` says.

    Args:
        text: one query in Spark SQL.
        rename: says which table a name means and what that is called now.
        find_function: finds functions of users, under their new names.

    Raises:
        ValidationError: the text does not parse, or a name stands where none can be put.
    """
    tree = parsed(text)
    _refuse_computed_names(tree)
    tables = tables_of(tree)
    known = {id(table): rename(parts_of(table)) for table in tables}
    calls = list(called(tree, text, find_function))
    edits: list[Edit] = []
    for table in tables:
        edits += _of_table(text, table, *known[id(table)])
    edits += _of_qualifiers(tree, tables, known)
    for names, function in calls:
        edits.append(edit(names, _spelled(names, function)))
    paths = dict.fromkeys(new for _, new in known.values())
    functions = dict.fromkeys(function for _, function in calls)
    return Renamed(edited(text, edits), tuple(paths), tuple(functions))


def _refuse_computed_names(tree: Any) -> None:
    from sqlglot import exp

    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() == "identifier":
            raise ValidationError(
                "the text computes a name with IDENTIFIER(…)",
                hint="write the name itself; a name that is computed cannot be followed",
            )


def _of_table(text: str, table: Any, old: Path, new: Path) -> Iterator[Edit]:
    """The new name, and the former one as the alias where columns may be qualified by it."""
    written = quote_name(new)
    if not table.alias and _folded(old[-1:]) != _folded(new[-1:]):
        if any(table.args.get(each) for each in ("sample", "version", "when", "pivots", "hints")):
            raise ValidationError(
                f"`{'.'.join(old)}` gets another name, and its clauses leave no place for an alias",
                hint="give it an alias in the text",
            )
        written += f" AS {quote_identifier(table.name)}"
    yield edit(table.parts, written)


def _of_qualifiers(tree: Any, tables: Sequence[Any], known: dict[int, Any]) -> Iterator[Edit]:
    """``sales.orders.id`` becomes ``orders.id``: the table is known by that, renamed or not.

    Where something else of the text is called ``orders`` too, the qualifier follows the table.

    Raises:
        ValidationError: it cannot: the table gets its former name as an alias, or it may be one
            of several tables.
    """
    from sqlglot import exp

    unaliased = {_folded(known[id(table)][0]): table for table in tables if not table.alias}
    if not unaliased:
        return
    shared = _shared_names(tree, unaliased)
    for column in tree.find_all(exp.Column):
        parts = column.parts
        for count in (3, 2):
            prefix = _folded([part.name for part in parts[:count]])
            meant = [table for path, table in unaliased.items() if path[-count:] == prefix]
            if len(parts) > count and meant:
                found = {_qualifier(each, known[id(each)], count, shared) for each in meant}
                if len(found) > 1:
                    raise _refused(".".join(prefix), "means one of several tables")
                yield edit(parts[:count], found.pop())
                break


def _shared_names(tree: Any, unaliased: dict[Path, Any]) -> set[str]:
    """The names of tables without an alias by which the text calls something else as well."""
    from sqlglot import exp

    of_tables = Counter(path[-1] for path in unaliased)
    aliases = {alias.name.casefold() for alias in tree.find_all(exp.TableAlias)}
    return {name for name, count in of_tables.items() if count > 1 or name in aliases}


def _qualifier(table: Any, known: tuple[Path, Path], count: int, shared: set[str]) -> str:
    """What columns of a table that has no alias are qualified by under its new name."""
    old, new = known
    if table.name.casefold() not in shared:
        return quote_identifier(table.name)
    if _folded(old[-1:]) == _folded(new[-1:]):
        return quote_name(new[-count:])
    raise _refused(
        ".".join(old), f"gets another name, and the text calls something else `{table.name}`"
    )


def _refused(name: str, why: str) -> ValidationError:
    return ValidationError(
        f"`{name}` {why}",
        hint="give each table an alias in the text, and qualify columns by it",
    )


def _spelled(names: Sequence[Any], function: UserFunction) -> str:
    from sqlglot import exp

    around = names[-1].find_ancestor(exp.Lateral, exp.Table, exp.Select)
    in_view = isinstance(around, exp.Lateral) and bool(around.args.get("view"))
    makes_rows = function.kind is FunctionKind.GENERATOR and not in_view
    return function.table_name if makes_rows else function.sql_name


def _folded(parts: Sequence[str]) -> Path:
    return tuple(part.casefold() for part in parts)
