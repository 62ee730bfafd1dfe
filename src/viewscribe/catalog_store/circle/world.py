"""Where a text that was printed of a tree finds its names: in the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

import msgspec

from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.lineage.influence import ColumnId, Influence, Origins
from viewscribe.catalog_store.lineage.operations import query_lineage
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.text_reader import FindColumns, leaf_tree
from viewscribe.errors import (
    NotSerializableError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.process.inference import (
    KEYS,
    LAST,
    NULL_TIMES,
    ON_TIME,
    ORDER_KEYS,
    TABLES,
    UID,
)
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.expressions.node import find, holds
from viewscribe.expressions.nodes import FieldReference, Literal, ResolvedExpression, strip_alias
from viewscribe.expressions.resolve import Scope, resolve_in
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.process.arguments import TableArgument, texts_of
from viewscribe.operations.nodes import CatalogSource, Limit, OneRow, Process, Project, SqlText
from viewscribe.operations.normal_form import NormalForms
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.serializer.literals import print_literal
from viewscribe.types import BIGINT, BOOLEAN, INT, STRING, Field, LogicalType
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import coercion, coercion_of

# Calls of process table functions, read from the text of a tree that has them.


def _with_fields(call: Process, **fields: Any) -> Process:
    """The call with other fields and the columns that it has."""
    return msgspec.structs.replace(call, _hash=0, _marks=0, **fields)


def find_written_call(
    call: Process, args: Sequence[Any], named: Mapping[str, Any]
) -> Process | None:
    """The call that is written, where it has the shape of one of the tree, else None.

    Args:
        call: the call of the tree.
        args: what is written without names: nothing, in a text of ours.
        named: what is written with names.
    """
    given = dict(named)
    if not call.tables:
        is_same = not args and tuple(given) == call.arguments
        return _with_fields(call, args=tuple(given.values())) if is_same else None
    table = given.pop(TABLES if call.is_tagged else call.tables[0], None)
    on_time, null_times, keys, order_keys, uid = (
        texts_of(given.pop(name)) if name in given else ()
        for name in (ON_TIME, NULL_TIMES, KEYS, ORDER_KEYS, UID)
    )
    if args or not isinstance(table, TableArgument) or tuple(given) != call.arguments:
        return None
    child, scope = table.operation, Scope(table.operation.schema)
    if child.schema.names != call.child.schema.names:
        return None
    again = _with_fields(
        call,
        child=child,
        keys=tuple(resolve_in(each, scope) for each in table.partition_by or ()),
        order=tuple(resolve_in(each, scope) for each in table.order_by),
        args=tuple(given.values()),
        on_time=on_time,
        uid=uid[0] if uid else None,
    )
    said = (again.said_keys, again.said_order_keys, again.keeps_null_times)
    return again if (keys, order_keys, null_times == (LAST,)) == said else None


class TreeWorld:
    """The tables and functions that a tree has, and no others.

    Args:
        tree: the tree.
        instead: tables to be found in the place of those that the tree has.
    """

    def __init__(
        self, tree: QueryOperation, instead: Mapping[CatalogSource, CatalogSource] | None = None
    ) -> None:
        self._tables: dict[tuple[str, ...], QueryOperation] = {}
        self._then: dict[tuple[tuple[str, ...], str], tuple[Field, ...]] = {}
        for found in find(tree, CatalogSource):
            node = (instead or {}).get(found, found)
            path = tuple(map(fold, node.path))
            if node.as_of is None:
                self._tables[path] = node
            else:
                self._tables.setdefault(path, CatalogSource.of(node.path, node.fields))
                self._then[path, node.as_of] = node.fields
        self._calls = list(find(tree, Process))
        self._functions: dict[tuple[str, ...], UserFunction] = {
            tuple(map(fold, each.registered.parts)): each for each in user_functions(tree)
        }

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table of a name, which must be the whole one: a part of it may mean another."""
        found = self._tables.get(tuple(map(fold, parts)))
        if found is None:
            raise ValidationError(f"`{'.'.join(parts)}` is no table of the pipeline")
        return found

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was."""
        return self._then.get((tuple(map(fold, path)), as_of))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a name."""
        wanted = tuple(map(fold, parts))
        if len(wanted) == 1 and is_sparks(parts[0]):
            return None
        for path, function in self._functions.items():
            if path[-len(wanted) :] == wanted:
                return function
        return None

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """A call of a process table function, as the tree has one of the same shape.

        What it gives is what the tree says: for that its class would have to be imported.
        """
        function = self.function(parts)
        calls = [each for each in self._calls if each.function == function]
        for call in calls:
            again = find_written_call(call, args, named)
            if again is not None:
                return again
        raise UnknownFunctionError(f"the pipeline has no such call of `{'.'.join(parts)}`")


# Constants as they are read.


class Constants:
    """Constants as their texts are read: ``CAST(NULL AS STRING)``, ``array(1, 2)``."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._reading = make_reading(settings)
        self._known: dict[tuple[str, LogicalType], ResolvedExpression] = {}

    def __call__(self, literal: Literal) -> ResolvedExpression:
        if type(literal.value) in _PLAIN and literal.type in _PLAIN[type(literal.value)]:
            return literal
        key = (repr(literal.value), literal.type)
        if key not in self._known:
            text = f"SELECT {print_literal(literal).render()} AS constant"
            query = read_sql(text, _NOTHING, self._reading)
            assert isinstance(query, Project)
            self._known[key] = strip_alias(query.expressions[0])
        return self._known[key]


_PLAIN: dict[type, tuple[LogicalType, ...]] = {
    bool: (BOOLEAN.not_null(),),
    int: (INT.not_null(), BIGINT.not_null()),
    str: (STRING.not_null(),),
}
"""Constants that are read as they are."""

_NOTHING = TreeWorld(OneRow.of())


# The circle: a text that was printed from a tree must mean the tree when it is read again.
#
# The names in a text mean what is nearest to them: a table, an alias, a field, a query around.
# Reading the text as Spark does, among the very tables that the tree reads, shows without Spark
# where a name was caught by something else.

NOT_READ_BACK = "viewscribe.not_read_back"
"""The property of a stored view that says why its text was not read back."""


class ReadBack(NamedTuple):
    """What came of reading the text of a tree again; nothing to tell where it means the tree.

    Args:
        different: what is different in the tree that it is read as.
        unread: why it is not read, so that nothing is known of it without Spark.
    """

    different: str | None = None
    unread: str | None = None


def read_back(
    tree: QueryOperation,
    text: str,
    settings: Mapping[str, str],
    columns_of: FindColumns = lambda path: None,
) -> ReadBack:
    """Reads the text of a tree again and compares what it means.

    Args:
        tree: the tree.
        text: what was printed of it.
        settings: those under which the text is read.
        columns_of: finds the columns of tables, to tell why a text in the tree is not read.
    """
    for node in find(tree, SqlText):
        return ReadBack(unread=_why_text(node, settings, columns_of))
    try:
        refuse_settings(settings, text)
        with coercion(coercion_of(settings)):
            again = read_sql(text, TreeWorld(tree), make_reading(settings))
            different = _other_columns(tree, again) or _other_meaning(tree, again, settings)
            return ReadBack(different)
    except (NotSerializableError, UnknownFunctionError) as error:
        return ReadBack(unread=error.message)  # Spark knows more than is read here
    except ViewscribeError as error:
        where = f", {error.location.splitlines()[0]}" if error.location else ""
        return ReadBack(f"{error.message}{where}")


def read_over(
    tree: QueryOperation,
    text: str,
    settings: Mapping[str, str],
    instead: Mapping[CatalogSource, CatalogSource],
) -> QueryOperation | None:
    """What the text of a tree means over other tables; None where it is not sure to mean the tree.

    Args:
        tree: the tree.
        text: what was printed of it.
        settings: those under which the text is read.
        instead: the tables in the place of those that the tree has.

    Raises:
        ViewscribeError: the text does not fit the other tables.
    """
    if holds(tree, Process):
        return None  # what its function gives over them is not known
    if read_back(tree, text, settings) != ReadBack():
        return None
    with coercion(coercion_of(settings)):
        return read_sql(text, TreeWorld(tree, instead), make_reading(settings))


def _why_text(node: SqlText, settings: Mapping[str, str], columns_of: FindColumns) -> str:
    """Why a query of the tree is kept as text."""
    start = shorten(node.text, 60, placeholder=" …")
    try:
        with coercion(coercion_of(settings)):
            leaf_tree(node, columns_of)
    except ObjectNotFoundError:
        return f"`{start}` is kept as text"
    except ViewscribeError as error:
        return f"`{start}` is kept as text: {error.message}"
    return f"`{start}` is kept as text"


def mean_the_same(one: QueryOperation, other: QueryOperation, settings: Mapping[str, str]) -> bool:
    """Whether two trees have the same columns and one normal form: then they give the same rows.

    Args:
        one: a tree.
        other: another one.
        settings: those under which texts of both are read.
    """
    forms = NormalForms(Constants(settings))
    return _other_columns(one, other) is None and forms.of(one) == forms.of(other)


def _other_columns(tree: QueryOperation, again: QueryOperation) -> str | None:
    made, read = tree.schema.fields, again.schema.fields
    if len(made) != len(read):
        return f"it has {len(read)} columns, the pipeline {len(made)}"
    for one, other in zip(made, read, strict=True):
        if one.name != other.name:
            return f"`{one.name}` is named `{other.name}` in it"
        # The length of a CHAR is that of a column; what is computed of it is a STRING.
        if value_type(one.type) != value_type(other.type):
            return f"`{one.name}` is {other.type} in it, and {one.type} in the pipeline"
    return None


def _other_meaning(
    tree: QueryOperation, again: QueryOperation, settings: Mapping[str, str]
) -> str | None:
    if tree == again:  # mostly so, and faster to find out
        return None
    forms = NormalForms(Constants(settings))
    made, read = forms.of(tree), forms.of(again)
    if made == read:
        return None
    lineage = _other_lineage(tree, again)
    if lineage is not None:
        return lineage
    for place, (one, other) in enumerate(zip(made.columns, read.columns, strict=True)):
        if one != other:
            name = tree.schema.fields[place].name
            said, meant = _expression(again, place), _expression(tree, place)
            if said == meant:
                return f"`{name}` is of other rows in it"
            return f"`{name}` is {said} in it, and {meant} in the pipeline"
    return f"it is not the same in {forms.difference(made, read)}"


def _expression(query: QueryOperation, place: int) -> str:
    """How a query computes a column, for human eyes."""
    while True:
        items = query.column_expressions()
        if items:
            expression = strip_alias(items[place])
            if not isinstance(expression, FieldReference):
                return expression.as_summary_string()
            place = expression.index
        elif not query.keeps_columns:
            return f"`{query.schema.fields[place].name}`"
        query = query.inputs()[0]


def _other_lineage(tree: QueryOperation, again: QueryOperation) -> str | None:
    made, read = query_lineage(tree), query_lineage(again)
    if made.unknown or read.unknown:
        return None
    counted = holds(tree, Limit)
    chosen = set if counted else _unsorted  # the order decides which rows a LIMIT takes
    for name, one, other in zip(tree.schema.names, made.columns, read.columns, strict=True):
        if chosen(one) != chosen(other):
            return (
                f"`{name}` comes from {_show(other)} in it, and from {_show(one)} in the pipeline"
            )
    if chosen(made.rows) != chosen(read.rows):
        return f"its rows depend on {_show(read.rows)}, those of the pipeline on {_show(made.rows)}"
    return None


def _unsorted(origins: Origins) -> set[ColumnId]:
    """The origins without the order of rows: an order that another one replaces is not printed."""
    return {column for column, influence in origins.items() if influence & ~Influence.SORT}


def _show(columns: Origins) -> str:
    names = sorted(
        ".".join(part for part in (each.path[-1], each.column) if part) for each in columns
    )
    return ", ".join(names) or "no column"
