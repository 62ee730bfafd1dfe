"""The text of a view that Spark wrote, with its names in full, and what it reads and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import Dependency
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.errors import ValidationError
from viewscribe.parser.qualify import with_full_names
from viewscribe.parser.settings import make_reading


def qualified_view(
    sql: str, namespace: Sequence[str], settings: Mapping[str, str], *, path: str
) -> tuple[str, tuple[Dependency, ...]]:
    """A view's text that says itself what its names mean, and what it reads and calls.

    Args:
        sql: the text.
        namespace: the catalog and database that were current when the view was made.
        settings: those that were in force then.
        path: the view, for messages.

    Raises:
        DamagedDocumentError: what a name means cannot be told; says which.
    """
    try:
        found = with_full_names(sql, namespace, make_reading(settings))
    except ValidationError as fault:
        raise DamagedDocumentError(
            f"the names of the view are meant in {'.'.join(namespace)}, "
            f"and its text cannot say so: {fault.message}",
            path=path,
            hint=fault.hint,
        ) from None
    tables = tuple(Dependency("table", name) for name in found.tables)
    return found.text, tables + tuple(Dependency("function", name) for name in found.functions)


def means_the_same_in(
    sql: str, namespace: Sequence[str], other: Sequence[str], settings: Mapping[str, str]
) -> bool:
    """Whether a text means the same wherever of two its names are meant."""
    if tuple(map(str.casefold, namespace)) == tuple(map(str.casefold, other)):
        return True
    reading = make_reading(settings)
    try:
        one, another = (with_full_names(sql, each, reading) for each in (namespace, other))
        return one.text == another.text
    except ValidationError:
        return False
