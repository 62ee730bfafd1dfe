"""The items of a SELECT, and the columns that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    OuterReference,
    ResolvedExpression,
    alias,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation


class Item:
    """An item of a SELECT list: what it is, and the name of its column.

    Args:
        expression: over the columns of the FROM.
        names: the name, or those of a generator's columns; none for the generator's own.
        made: the columns that a generator makes.
        is_lateral: whether it uses the aliases of items further left.
        aggregates: whether such an item was written with an aggregate of its own.
        node: what was written.
        is_aliased: whether it was given its name, be it that of the column which it is.
    """

    __slots__ = ("aggregates", "expression", "is_aliased", "is_lateral", "made", "names", "node")

    def __init__(
        self,
        expression: ResolvedExpression,
        names: tuple[str, ...] | None,
        *,
        is_aliased: bool = False,
    ) -> None:
        self.expression = expression
        self.names = names
        self.is_aliased = is_aliased
        self.node: Any = None
        self.made: tuple[FieldReference, ...] = ()
        self.is_lateral = False
        self.aggregates = False

    @property
    def named(self) -> ResolvedExpression:
        """The expression under its name."""
        assert self.names is not None
        return alias(self.expression, self.names[0])

    @property
    def is_generator(self) -> bool:
        """Whether it makes rows."""
        return build.is_generator(self.expression)


class Shown:
    """The columns that a SELECT shows, where only they are asked for."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema


def plainly(operation: QueryOperation, starred: bool) -> QueryOperation:
    """The operation as the Table API builds it.

    Where all columns of what is below are taken as they are, nothing is done to them; where others
    follow a ``*``, those are added.
    """
    if not isinstance(operation, n.Project):
        return operation
    below = operation.child.schema
    width = len(below)
    if not width or operation.expressions[:width] != below.references:
        return operation
    added = [each for each in operation.expressions[width:] if isinstance(each, Alias)]
    if len(added) < len(operation.expressions) - width or len(below.by_name) < width:
        return operation
    if not added:
        return operation.child
    if not starred:
        return operation
    fresh = {*(each.name.lower() for each in added), *below.by_name}
    if len(fresh) < len(added) + width:
        return operation
    return n.WithColumns.of(operation.child, tuple(added))


def without_tables(operation: QueryOperation, items: Sequence[Item]) -> QueryOperation:
    """The operation whose columns cannot be called by a table where items have an alias.

    ``SELECT s AS s, a AS a FROM s``: from here on, ``s.a`` is a field of the column ``s``.
    """
    schema = operation.schema
    places = [place for place, item in enumerate(items) if item.is_aliased]
    if not any(schema.qualifiers[place] for place in places):
        return operation
    qualifiers = list(schema.qualifiers)
    for place in places:
        qualifiers[place] = ()
    return msgspec.structs.replace(operation, schema=Schema(schema.fields, qualifiers))


def first_columns(operation: QueryOperation, width: int) -> QueryOperation:
    """The operation with its first columns only."""
    if len(operation.schema) == width:
        return operation
    return n.Project.of(operation, operation.schema.references[:width])


def name_of(expression: ResolvedExpression) -> str:
    """The name of a column, or the alias of an expression."""
    assert isinstance(expression, Alias | FieldReference | OuterReference)
    return expression.name
