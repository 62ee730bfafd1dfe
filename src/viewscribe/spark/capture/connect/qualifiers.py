"""The tables that columns can still be called by, where Spark and the tree think otherwise.

``df.alias("d").union(other).select("d.a")``: columns keep the name of their table for as long as
Spark passes them on. With a struct column ``d`` it decides between a column and a field.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec import structs

from viewscribe.expressions.nodes import Alias, FieldReference, ResolvedExpression
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations.base import QueryOperation

Made = TypeVar("Made", bound=QueryOperation)


def with_qualifiers(made: Made, given: Iterable[Qualifier]) -> Made:
    """The operation whose first columns have these qualifiers, and whose others have none."""
    known = tuple(given)
    fields = made.schema.fields
    schema = Schema(fields, known + ((),) * (len(fields) - len(known)))
    return structs.replace(made, schema=schema)


def aliased_again(expression: ResolvedExpression, name: str) -> ResolvedExpression:
    """A column that was given a name, be it its own: no table is the column's any more."""
    if type(expression) is FieldReference:
        return Alias(expression, name, expression.type)
    return expression
