"""Where a text that was printed of a tree finds its names: in the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.catalog_store.circle.calls import find_written_call
from viewscribe.catalog_store.names import fold
from viewscribe.errors import UnknownFunctionError, ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.expressions.node import find
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, Process
from viewscribe.operations.user_functions import user_functions
from viewscribe.types import Field


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
