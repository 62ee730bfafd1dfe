"""Parsing stored texts against the documents of their catalog.

This makes views written by Spark, Hive or a person as usable as our own, if their text parses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.view_checks import fields_of
from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.types.policy import coercion, coercion_of

# Carrying the comments of a text over to the same text with other names.
#
# The comments that ``annotate`` writes beside a view's clauses are only in its text. They are not
# in the tree, so printing the SQL again would lose them.

COMMENT = " -- "
"""The separator between a line and its comment."""


def with_comments(commented: str, plain: str, renamed: str) -> str | None:
    """Returns ``renamed`` with the comments of ``commented`` at the ends of its lines.

    Args:
        commented: the text with comments.
        plain: the same text without comments, as it is printed now.
        renamed: that text with other names.

    Returns:
        The text; None if the lines of the three do not correspond.
    """
    lines = [text.split("\n") for text in (commented, plain, renamed)]
    if len({len(each) for each in lines}) != 1:
        return None
    found = []
    for old, bare, new in zip(*lines, strict=True):
        comment = old.removeprefix(bare)
        if comment and (comment == old or not comment.startswith(COMMENT)):
            return None
        found.append(new + comment)
    return "\n".join(found)


Path = tuple[str, ...]
FindColumns = Callable[[Path], Sequence[Column] | None]
"""The columns of the table or view of a full name; None where it is not known here."""
FindFunction = Callable[[Path], UserFunction | None]
"""The function of a user of a full name; None where it is not known here."""


class DocumentWorld:
    """Resolves the tables and functions of a stored text by documents.

    Args:
        columns_of: finds columns.
        function_of: finds functions.
        home: the catalog and database of unqualified names.
    """

    def __init__(
        self,
        columns_of: FindColumns,
        function_of: FindFunction = lambda path: None,
        home: Path = (),
    ) -> None:
        self._columns_of = columns_of
        self._function_of = function_of
        self._home = home

    def _full(self, parts: Sequence[str]) -> Path:
        missing = 3 - len(parts)
        return (*self._home[: max(missing, 0)], *parts)

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        path = self._full(parts)
        columns = self._columns_of(path)
        if columns is None:
            raise ObjectNotFoundError(f"nobody knows the columns of `{'.'.join(path)}`")
        return CatalogSource.of(path, fields_of(columns))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        if len(parts) == 1 and is_sparks(parts[0]):
            return None
        return self._function_of(self._full(parts))

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Nothing: what such a function gives is known where it can be imported."""
        raise NotSerializableError(f"what the function `{'.'.join(parts)}` gives is not known here")


def text_tree(view: ViewDocument, world: DocumentWorld) -> QueryOperation:
    """Parses the text of a view, ignoring its plan.

    Raises:
        ViewscribeError: the text does not parse, or its columns are not those of the view.
    """
    refuse_settings(view.settings, view.sql)
    with coercion(coercion_of(view.settings)):
        tree = read_sql(view.sql, world, make_reading(view.settings))
    if len(tree.schema) != len(view.columns):
        raise ValidationError(
            f"{len(tree.schema)} columns are found, {len(view.columns)} are declared"
        )
    return tree


def leaf_tree(node: SqlText, columns_of: FindColumns) -> QueryOperation:
    """Parses the text of an opaque leaf, which an older version may have been unable to parse.

    Raises:
        ViewscribeError: the text does not parse.
    """
    known = {each.identifier.key: each for each in node.functions}

    def function_of(path: Path) -> UserFunction | None:
        key = tuple(part.casefold() for part in path)
        found = [each for full, each in known.items() if full[-len(key) :] == key]
        return found[0] if len(found) == 1 else None

    return read_sql(node.text, DocumentWorld(columns_of, function_of))
