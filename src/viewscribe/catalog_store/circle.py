"""The circle: a text that was printed from a tree must mean the tree when it is read again.

The names in a text mean what is nearest to them: a table, an alias, a field, a query around.
Reading the text as Spark does, among the very tables that the tree reads, shows without Spark where
a name was caught by something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.catalog_store.lineage.influence import ColumnId, Influence, Origins
from viewscribe.catalog_store.lineage.operations import query_lineage
from viewscribe.catalog_store.names import fold
from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.called import user_functions
from viewscribe.operations.nodes import CatalogSource, Limit, Process, SqlText
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import reading_of, refuse_settings
from viewscribe.types.nested import value_type
from viewscribe.types.policy import coercion, coercion_of

_FOR_SPARK = (SqlText, Process)
"""What puts text into a statement of which only Spark knows the meaning."""


def misreading(tree: QueryOperation, text: str, settings: Mapping[str, str]) -> str | None:
    """What is different in the tree that the text of a tree is read as; None where nothing is.

    Where the text has something that is not read, or is not ours alone, nothing is said.

    Args:
        tree: the tree.
        text: what was printed of it.
        settings: those under which the text is read.
    """
    if any(isinstance(node, _FOR_SPARK) for node in preorder(tree)):
        return None
    try:
        refuse_settings(settings, text)
        with coercion(coercion_of(settings)):
            again = read_sql(text, _TreeWorld(tree), reading_of(settings))
    except (NotSerializableError, SqlSyntaxError, UnknownFunctionError):
        return None  # Spark knows more than is read here, functions of users for one
    except ViewscribeError as error:
        where = f", {error.location.splitlines()[0]}" if error.location else ""
        return f"{error.message}{where}"
    return _other_columns(tree, again) or _other_lineage(tree, again)


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


def _other_lineage(tree: QueryOperation, again: QueryOperation) -> str | None:
    made, read = query_lineage(tree), query_lineage(again)
    if made.unknown or read.unknown:
        return None
    counted = any(isinstance(node, Limit) for node in preorder(tree))
    chosen = set if counted else _unsorted  # the order decides which rows a LIMIT takes
    for name, one, other in zip(tree.schema.names, made.columns, read.columns, strict=True):
        if chosen(one) != chosen(other):
            return (
                f"`{name}` comes from {_shown(other)} in it, and from {_shown(one)} in the pipeline"
            )
    if chosen(made.rows) != chosen(read.rows):
        return (
            f"its rows depend on {_shown(read.rows)}, those of the pipeline on {_shown(made.rows)}"
        )
    return None


def _unsorted(origins: Origins) -> set[ColumnId]:
    """The origins without the order of rows: an order that another one replaces is not printed."""
    return {column for column, influence in origins.items() if influence & ~Influence.SORT}


def _shown(columns: Origins) -> str:
    names = sorted(
        ".".join(part for part in (each.path[-1], each.column) if part) for each in columns
    )
    return ", ".join(names) or "no column"


class _TreeWorld:
    """The tables and functions that a tree has, and no others."""

    def __init__(self, tree: QueryOperation) -> None:
        self._tables: dict[tuple[str, ...], QueryOperation] = {}
        for node in preorder(tree):
            if isinstance(node, CatalogSource):
                plain = node if node.as_of is None else CatalogSource.of(node.path, node.fields)
                self._tables[tuple(map(fold, node.path))] = plain
        self._functions: dict[tuple[str, ...], UserFunction] = {
            tuple(map(fold, each.registered.parts)): each for each in user_functions(tree)
        }

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table of a name, which must be the whole one: a part of it may mean another."""
        found = self._tables.get(tuple(map(fold, parts)))
        if found is None:
            raise ValidationError(f"`{'.'.join(parts)}` is no table of the pipeline")
        return found

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
        """Nothing: a tree that has such a call is not read again."""
        raise UnknownFunctionError(f"`{'.'.join(parts)}` is no function of the pipeline")
