"""Whether a stored SQL function can be called, found out without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import FunctionDocument
from viewscribe.catalog_store.view_checks import Fault
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.operations.base import QueryOperation

FindFunction = Callable[[Sequence[str]], FunctionDocument | None]
"""The document of the function that a name in the text of another one means."""


def function_faults(
    function: FunctionDocument, find: FindFunction, catalog: str
) -> Iterator[Fault]:
    """What is wrong with a function's text: it does not parse, names nothing, has another type.

    Args:
        function: its document; one that is not in SQL has no text.
        find: finds other functions of the catalog.
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
        check_function(name, source_of(function), _Functions(define))
    except _ReadsTablesError:
        return
    except ViewscribeError as error:
        yield Fault("function-body", error.message, error.hint)


class _ReadsTablesError(Exception):
    """A body reads a table, whose columns are not at hand: the rest is not looked at."""


class _Functions:
    """Where a body finds functions, and no tables."""

    def __init__(self, find: Callable[[Sequence[str]], UserFunction | None]) -> None:
        self._find = find

    def table(self, parts: Sequence[str]) -> QueryOperation:
        raise _ReadsTablesError

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        return self._find(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        raise _ReadsTablesError
