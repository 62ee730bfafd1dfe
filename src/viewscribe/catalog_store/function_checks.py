"""Whether a stored SQL function can be called, found out without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import Column, FunctionDocument
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.view_checks import Fault, fields_of
from viewscribe.errors import ViewscribeError
from viewscribe.operations.nodes import CatalogSource

if TYPE_CHECKING:
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.operations.base import QueryOperation

FindFunction = Callable[[Sequence[str]], FunctionDocument | None]
"""The document of the function that a name in the text of another one means."""

FindRelation = Callable[[Sequence[str]], "Sequence[Column] | bool"]
"""The columns of the table or view that a name means; False where there is none, True where it may
be one of another catalog, or where its columns are not known."""


def function_faults(
    function: FunctionDocument, find: FindFunction, relation: FindRelation, catalog: str
) -> Iterator[Fault]:
    """What is wrong with a function's text: it does not parse, names nothing, has another type.

    Args:
        function: its document; one that is not in SQL has no text.
        find: finds other functions of the catalog.
        relation: finds the columns of its tables and views.
        catalog: what the catalog is called.
    """
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.expressions.functions.identifiers import FunctionIdentifier
    from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
    from viewscribe.parser.definitions import check_function

    if function.language != "sql":
        return

    def define(parts: Sequence[str]) -> UserFunction | None:
        if len(parts) == 1 and is_sparks(parts[0]):
            return None
        found = find(parts)
        if found is None or found is function:  # Spark knows no recursion
            return None
        identifier = FunctionIdentifier(found.name, found.database, catalog)
        return UserFunction(identifier, source_of(found), temporary=False)

    name = f"{function.database}.{function.name}"
    try:
        check_function(name, source_of(function), _World(define, relation))
    except _ReadsTablesError:
        return
    except ViewscribeError as error:
        yield Fault("function-body", error.message, error.hint)


class _ReadsTablesError(Exception):
    """A body reads a table whose columns are not at hand: the rest is not looked at."""


class _World:
    """Where a body finds functions and tables."""

    def __init__(
        self, find: Callable[[Sequence[str]], UserFunction | None], relation: FindRelation
    ) -> None:
        self._find = find
        self._relation = relation

    def table(self, parts: Sequence[str]) -> QueryOperation:
        columns = self._relation(parts)
        if isinstance(columns, bool):
            if columns:
                raise _ReadsTablesError
            raise ObjectNotFoundError(f"it reads `{'.'.join(parts)}`, which is not there")
        return CatalogSource.of(tuple(parts), fields_of(columns))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        return self._find(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        raise _ReadsTablesError
