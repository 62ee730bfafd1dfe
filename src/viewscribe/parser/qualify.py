"""QUALIFY: what names mean in it, beside windows that are shown and where there are none.

As Spark 4.3 resolves them (asked of it, since no page says so): where no item has a window, a name
means a column of the FROM, else the item of that alias. Where an item has one, Spark looks at the
items and at the columns that their windows take as they are, then at the FROM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownColumnError,
    ViewscribeError,
)
from viewscribe.expressions.functions.user_defined import FunctionSource
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    FieldReference,
    OuterReference,
    Over,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.expressions.resolve.conversions import to_condition
from viewscribe.expressions.schema import Schema
from viewscribe.operations.reach import is_path
from viewscribe.operations.spark_names import is_system_function
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import has_window
from viewscribe.parser.grammar import Reading
from viewscribe.parser.names import Edit, Function, Table, edit, read_names
from viewscribe.parser.scopes import Columns, Parts, with_fields
from viewscribe.parser.sort_keys import OrderReader, calls_in, is_aggregate
from viewscribe.parser.values import ExpressionReader
from viewscribe.types.identifiers import fold_name, quote_name

if TYPE_CHECKING:
    from viewscribe.parser.select import Select


# SQL text that means the same whatever catalog and database are current.
#
# Spark keeps the text of a view as it was typed, and beside it where its names are meant. Here the
# text says so itself: tables, views and functions by their full names. ``current_database()``
# stays: in a view, too, Spark takes it for the database that is current for the reader.

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
    return fold_name(parts[0]) in _SPARKS_OWN


def _is_path(table: Table) -> bool:
    return len(table.parts) == 2 and is_path(*table.parts)


def read_qualify(select: Select, order: OrderReader) -> ResolvedExpression:
    """Resolves QUALIFY over what a SELECT shows and hides.

    Args:
        select: a SELECT that has one.
        order: reads over the same columns, for ORDER BY.
    """
    # Refuses aggregates in QUALIFY, and QUALIFY where no window function is near.
    calls = calls_in(select.node.qualify)
    for each in calls:
        if each.over is None and is_aggregate(select.reader, each):
            raise select.queries.error(
                each, "an aggregate function cannot stand in QUALIFY", "show it, and use its alias"
            )
    if not any(each.over is not None for each in calls) and not any(map(has_window, order.shown)):
        raise select.queries.error(
            select.node.qualify, "QUALIFY beside no window function", "use WHERE, or HAVING"
        )
    return to_condition(_QualifyReader(order).read(select.node.qualify), "QUALIFY")


class _QualifyReader(OrderReader):
    """Reads QUALIFY; what is not shown becomes a hidden column, as for ORDER BY."""

    def __init__(self, order: OrderReader) -> None:
        super().__init__(order.select, order.columns.schema, order.shown, order.groups)
        self._beside_windows = any(map(has_window, self.shown))
        if not self._beside_windows:
            self.below.columns.functions = frozenset()
        names = _ItemsFirst if self._beside_windows else _FromFirst
        self.columns = names(self)

    def whole(self, node: object) -> ResolvedExpression | None:
        if type(node) is not s.Function or node.over is None:
            return super().whole(node)
        if not self._beside_windows:
            return self.find_or_hide(self._below_items().read(node))
        written = (node, self.windows.get(node.over.name))
        if any(self._names_item(each.parts) for each in s.every(written) if type(each) is s.Name):
            raise NotSerializableError(
                "a window of QUALIFY over an item, beside windows that are shown, is not read",
                hint="put the SELECT in parentheses and filter its columns by WHERE",
            )
        return super().whole(node)

    def _names_item(self, parts: Parts) -> bool:
        """Whether a name is an item or a field of one, which the FROM has not under that name."""
        assert isinstance(self.columns, _ItemsFirst)
        found = self.columns.find_item(parts)
        if found is None:
            return False
        try:
            return found != self.below.columns.find_here(parts)
        except ViewscribeError:
            return True

    def _below_items(self) -> ExpressionReader:
        """Reads windows over the columns of the FROM, or over the groups, then over the items."""
        if self.groups is not None:
            return self.below
        columns = _Expressions(self.select.columns, self.columns.schema, self.shown)
        return ExpressionReader(self.select.queries, columns, self.windows)


class _Expressions(Columns):
    """The columns of a FROM, and behind them the items, each as the expression that it is."""

    def __init__(self, below: Columns, schema: Schema, shown: Sequence[ResolvedExpression]) -> None:
        super().__init__(
            below.whole, below.outer, width=len(below.schema), operation=below.operation
        )
        self._items, self._shown = schema, shown

    def find_beside(self, parts: Parts) -> ResolvedExpression | None:
        try:
            place = self._items.find(parts[0])
        except UnknownColumnError:
            return self.find_outside(parts)
        return with_fields(strip_alias(self._shown[place]), parts[1:])


class _FromFirst(Columns):
    """The columns of a FROM (of a group, its keys), and behind them the items."""

    def __init__(self, reader: _QualifyReader) -> None:
        below = reader.select.columns
        super().__init__(reader.columns.schema, below.outer)
        self._below, self._hide = reader.below.columns, reader.find_or_hide

    def find_here(self, parts: Parts) -> ResolvedExpression | None:
        found = self._below.find_here(parts)
        return super().find_here(parts) if found is None else self._hide(found)

    def find_from_inside(self, parts: Parts) -> ResolvedExpression | None:
        found = self._below.find_here(parts)  # a sub-query sees no alias
        return None if found is None else _seen_from_inside(self._hide(found))


class _ItemsFirst(Columns):
    """The items and the columns of the FROM that their windows take as they are; then the FROM."""

    def __init__(self, reader: _QualifyReader) -> None:
        below, shown = reader.select.columns, reader.columns.schema
        super().__init__(shown, below.outer)
        self._below, self._hide = reader.below.columns, reader.find_or_hide
        used = _taken_by_windows(reader.shown)
        self._both = Schema(
            (*shown.fields, *(below.whole.fields[each.index] for each in used)),
            (*shown.qualifiers, *(below.whole.qualifiers[each.index] for each in used)),
        )
        self._meanings = [*map(strip_alias, reader.shown), *used]

    def _find_place(self, parts: Parts) -> tuple[int, Parts]:
        places, fields = self._both.find_places(parts)
        if len({self._meanings[place] for place in places}) > 1:
            raise self._both.ambiguous(".".join(parts[: len(parts) - len(fields)]))
        return places[0], fields

    def find_item(self, parts: Parts) -> ResolvedExpression | None:
        """What the item of a name, or a field of it, is over the FROM; None if there is none."""
        try:
            place, fields = self._find_place(parts)
        except UnknownColumnError:
            return None
        return with_fields(self._meanings[place], fields)

    def find_here(self, parts: Parts) -> ResolvedExpression | None:
        try:
            place, fields = self._find_place(parts)
        except UnknownColumnError:
            found = self._below.find_here(parts)
            return None if found is None else self._hide(found)
        if place >= len(self.schema):
            return with_fields(self._hide(self._meanings[place]), fields)
        return with_fields(self.schema.reference(place), fields)

    def find_from_inside(self, parts: Parts) -> ResolvedExpression | None:
        return _seen_from_inside(self.find_here(parts))


def _seen_from_inside(found: ResolvedExpression | None) -> ResolvedExpression | None:
    """A column as a sub-query of the condition sees it."""
    if not isinstance(found, FieldReference):
        return None
    return OuterReference(1, found.index, found.name, found.type)


def _taken_by_windows(shown: Sequence[ResolvedExpression]) -> list[FieldReference]:
    """The columns that windows of items take as they are: what is computed of one is not it."""
    found: dict[FieldReference, None] = {}
    for item in shown:
        for node in preorder(item, skip=lambda node: node.is_query):
            if not isinstance(node, Over):
                continue
            parts = (*node.call.args, *node.partition_by, *(key.child for key in node.order_by))
            found |= dict.fromkeys(each for each in parts if type(each) is FieldReference)
    return list(found)
